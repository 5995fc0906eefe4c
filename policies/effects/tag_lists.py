"""Read the tags of AWS resources, which providers write in two forms."""

from collections.abc import Mapping
from typing import Any

from ..values import UNKNOWN, read_text


def read_tags(value: Any) -> Mapping[str, Any]:
    """Return tags as key → value; other programs write them as a list too, with keys and values."""
    if isinstance(value, Mapping):
        return value
    pairs = [pair for pair in value if pair is UNKNOWN or isinstance(pair, Mapping)] if isinstance(value, list) else []
    return {
        read_text(pair.get("key", pair.get("Key")), "tags.key"): pair.get("value", pair.get("Value")) for pair in pairs
    }
