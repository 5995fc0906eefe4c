"""Speed up the recording of a plan: Pulumi's SDK skips work that has no effect on the plan.

``sdk_patches.py`` replaces internal functions of one version of the SDK. With any other version the SDK stays as it is:
the recording is slower, and the plan is the same. After a change of the pinned version, compare the replaced functions
with the SDK's new functions, then change ``VERSION``; a test fails until that is done.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from pulumi._version import _VERSION

VERSION = "3.272.0"


@contextmanager
def quick_sdk() -> Iterator[None]:
    """Replace functions of the SDK, and restore them at the end."""
    if _VERSION != VERSION:
        yield
        return
    from .sdk_patches import PATCHES

    originals = [(place, name, getattr(place, name)) for place, name, _ in PATCHES]
    for place, name, patch in PATCHES:
        setattr(place, name, patch)
    try:
        yield
    finally:
        for place, name, original in originals:
            setattr(place, name, original)
