"""The longest sequence that a language model was made for, as its ``config.json`` says.

Longer sequences end vLLM's start ("greater than the derived max_model_len"), unless ``--hf-overrides`` changes the
file. The rules of scaling are vLLM's as they are known, and were not compared with its source.
"""

from collections.abc import Mapping
from typing import Any

FIELD = "max_position_embeddings"
_COUNTED = ("su", "longrope", "llama3", "default", "mrope", "proportional")
"""Kinds of scaling whose longer length the file states already, or that make nothing longer."""


def find_longest_sequence(content: Mapping[str, Any]) -> int | None:
    """Return the most tokens of a sequence; None if the file does not say so plainly.

    Args:
        content: The content of a ``config.json``.
    """
    inner = content.get("text_config")
    own = inner if isinstance(inner, Mapping) else content
    longest = own.get(FIELD)
    if type(longest) is not int or longest < 1:
        return None
    scaling = own.get("rope_scaling") or own.get("rope_parameters") or {}
    if not isinstance(scaling, Mapping) or any(isinstance(value, Mapping) for value in scaling.values()):
        return None
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind in _COUNTED or str(own.get("model_type")).startswith("gemma3"):
        return longest
    first = scaling.get("original_max_position_embeddings") if kind == "yarn" else None
    factor = scaling.get("factor", 1)
    if type(factor) not in (int, float) or not 1 <= factor <= 1000:
        return None
    return int((first if type(first) is int else longest) * factor)
