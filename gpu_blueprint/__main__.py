"""``python -m gpu_blueprint``, and the command ``blueprint``."""

import _thread
import signal
import sys

_INTERRUPTED = 130
"""The code with which shells report a program that Ctrl-C has ended."""


def run() -> int:
    """Run the command line and return its exit code, also if Ctrl-C comes while modules are loaded."""
    sys.unraisablehook = _repeat_interrupt
    try:
        import gc

        from .cli import main

        # A command ends within seconds and uses nearly all that it makes. Python would search for garbage again and
        # again, and once more at the end, which takes a quarter of the time of `preview`.
        gc.disable()
        code = main()
        gc.freeze()
    except KeyboardInterrupt:
        code = _INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the result stands, and Python's own end must print no traceback
    return code


def _repeat_interrupt(lost: "sys.UnraisableHookArgs") -> None:
    """Raise a Ctrl-C again that came inside a callback, where Python would print and forget it."""
    if issubclass(lost.exc_type, KeyboardInterrupt):
        _thread.interrupt_main()
    else:
        sys.__unraisablehook__(lost)


if __name__ == "__main__":
    sys.exit(run())
