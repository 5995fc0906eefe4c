"""CEL, the language of admission policies: Python values as literals."""

import json
from typing import Any


def write_literal(value: Any) -> str:
    """Write a text, a number, a truth value, or a list or mapping of them, as CEL does."""
    return json.dumps(value, ensure_ascii=False).replace('"', "'")
