"""Draw the picture of a stack as SVG."""

from .picture import draw_stack

__all__ = ["draw_stack"]
