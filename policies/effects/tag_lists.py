"""The tags of AWS resources, which providers write as a mapping or as a list."""

from collections.abc import Mapping
from typing import Any

from ..values import UNKNOWN, read_text


def read_tags(value: Any) -> Mapping[str, Any]:
    """Return tags as key → value, from a mapping or from a list of blocks with key and value."""
    if isinstance(value, Mapping):
        return value
    pairs = [pair for pair in value if pair is UNKNOWN or isinstance(pair, Mapping)] if isinstance(value, list) else []
    return {
        read_text(pair.get("key", pair.get("Key")), "tags.key"): pair.get("value", pair.get("Value")) for pair in pairs
    }
