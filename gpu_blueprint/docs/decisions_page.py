"""docs/decisions/README.md: the list of all decision records, from their titles."""

from pathlib import Path

FOLDER = Path(__file__).parents[2] / "docs" / "decisions"
_HEAD = """# Decisions

Each page explains one decision of the design: the question, the choice and the reasons.

Generated from the titles: `make docs`.
"""


def render_decisions_page() -> str:
    """Return the page as Markdown."""
    titles = {file.name: file.read_text(encoding="utf-8").splitlines()[0] for file in sorted(FOLDER.glob("0*.md"))}
    return "\n".join([_HEAD, *(f"- [{title.removeprefix('# ')}]({name})" for name, title in titles.items())]) + "\n"
