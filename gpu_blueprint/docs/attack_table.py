"""The table of attacks in docs/tenancy.md. ``python -m tests.attacks`` plays the attacks and writes the rows."""

import json
from pathlib import Path

from .markdown import format_table

ATTACKS = Path(__file__).with_name("attacks.json")
"""Rows with name, what keeps the attack out, and its end in version 0.2 (``today``) and now."""


def render_attack_table() -> str:
    """Return a Markdown table: what a tenant tries, what became of it in version 0.2 and becomes of it now."""
    rows = json.loads(ATTACKS.read_text(encoding="utf-8"))
    header = ("attack", "version 0.2", "now", "the tenant reads")
    cells = [(row["name"], row["today"], row["now"], row["message"].replace("|", "\\|")) for row in rows]
    return "\n".join(format_table(header, cells)) + "\n"
