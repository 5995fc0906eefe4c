"""``python -m gpu_blueprint``."""

import gc
import sys

from .cli import main

# A command ends within seconds and uses nearly all that it makes. Python would search for garbage again and again, and
# once more at the end, which takes a quarter of the time of `preview`.
gc.disable()
code = main()
gc.freeze()
sys.exit(code)
