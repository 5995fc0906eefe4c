"""The largest ceiling of a pool that a monthly budget holds."""

from collections.abc import Callable

from .wish import MOST_GPUS


def find_largest(fits: Callable[[int], bool], step: int, most: int = MOST_GPUS) -> int:
    """Return the largest multiple of ``step`` that fits, at most ``most``; 0 if not even ``step`` fits.

    Args:
        fits: Tells whether a ceiling fits; a larger ceiling never fits where a smaller does not.
        step: GPUs of the smallest node.
        most: The largest ceiling of a pool.
    """
    last = most // step
    small, large = 0, 1
    while large <= last and fits(large * step):
        small, large = large, large * 2
    large = min(large, last + 1)
    while large - small > 1:
        middle = (small + large) // 2
        small, large = (middle, large) if fits(middle * step) else (small, middle)
    return small * step
