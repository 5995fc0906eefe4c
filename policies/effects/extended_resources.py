"""Read names and quantities of the extended resources that GPU nodes hand out."""

from typing import Any


def is_gpu_resource(name: str) -> bool:
    """Tell whether a resource is a GPU, a MIG slice or a share of a GPU."""
    return name.startswith("nvidia.com/")


def is_slice_or_share(name: str) -> bool:
    """Tell whether a resource is a MIG slice or a share of a GPU."""
    return is_gpu_resource(name) and name != "nvidia.com/gpu"


def parse_count(quantity: Any) -> int:
    """Return a quantity of an extended resource, given as a number or as text; 0 if it is not a whole number."""
    return int(str(quantity)) if str(quantity).isdecimal() else 0
