"""The tags of AWS resources, in both forms of providers."""

from collections.abc import Mapping
from typing import Any

from ..values import UNKNOWN, read_text


def read_tags(value: Any) -> Mapping[str, Any]:
    """Return tags as key → value, also from a list of keys and values."""
    if isinstance(value, Mapping):
        return value
    pairs = [pair for pair in value if pair is UNKNOWN or isinstance(pair, Mapping)] if isinstance(value, list) else []
    return {
        read_text(pair.get("key", pair.get("Key")), "tags.key"): pair.get("value", pair.get("Value")) for pair in pairs
    }
