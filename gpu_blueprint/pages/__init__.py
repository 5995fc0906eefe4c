"""Draw the picture of a stack as SVG, and write pages of HTML."""

from .picture import draw_stack

__all__ = ["draw_stack"]
