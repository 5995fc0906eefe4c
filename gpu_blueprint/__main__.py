"""``python -m gpu_blueprint``."""

import sys

from .cli import main

sys.exit(main())
