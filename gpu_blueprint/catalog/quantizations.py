"""Stand-in until the table of facts joins."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantization:
    """One method."""

    name: str
    bytes_per_parameter: float
    min_compute_capability: float


QUANTIZATIONS = {
    "fp8": Quantization(name="fp8", bytes_per_parameter=1.0, min_compute_capability=8.9),
    "awq": Quantization(name="awq", bytes_per_parameter=0.56, min_compute_capability=7.5),
}


def find_quantization(name: str) -> Quantization | None:
    """Return a method."""
    return QUANTIZATIONS.get(name)


def find_kv_bytes(arguments: Mapping[str, Any]) -> float | None:
    """Return the bytes of a number in the KV cache that flags choose; None for the model's own type."""
    return 1.0 if str(arguments.get("kv-cache-dtype", "auto")).startswith("fp8") else None
