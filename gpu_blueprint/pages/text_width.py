"""The width of a text before a browser draws it.

A picture names several fonts, of which the reader's machine has one. The widths here are at least those of DejaVu
Sans 2.37 (the tables ``hmtx`` of the regular and the bold font), which is wider than the other fonts that the picture
names: Segoe UI, Helvetica, Arial, Roboto and Liberation Sans. So a text may be narrower than its estimate, not wider.
"""

from collections.abc import Mapping
from types import MappingProxyType

_CLASSES = (
    (" ',.:;/\\|ijlI·", 0.34, 0.4),
    ('!"()*[]_`frt-–', 0.5, 0.53),
    ("ABCDEFGHJKLNOPQRSTUVXYZ", 0.79, 0.85),
    ("#%&+<=>@MWmw^~×→≤…", 1.0, 1.11),
)
"""Characters, their greatest width in the regular font, and in the bold font; in parts of the font's size."""
_OTHERS = (0.64, 0.74)
"""Greatest widths of the other characters of ASCII."""
_FOREIGN = (1.0, 1.11)
"""Widths of characters outside ASCII and the classes, such as Chinese characters."""
_WIDTHS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {character: (regular, bold) for characters, regular, bold in _CLASSES for character in characters}
)
ELLIPSIS = "…"


def estimate_width(text: str, size: float, *, bold: bool = False) -> float:
    """Return an upper bound of the text's width, in the unit of the font's size."""
    widths = (_WIDTHS.get(each, _OTHERS if each.isascii() else _FOREIGN)[bold] for each in text)
    return size * sum(widths)


def shorten(text: str, room: float, size: float, *, bold: bool = False) -> str:
    """Return the text, or its longest beginning that fits into the room with an ellipsis."""
    if estimate_width(text, size, bold=bold) <= room:
        return text
    kept = text
    while kept and estimate_width(kept + ELLIPSIS, size, bold=bold) > room:
        kept = kept[:-1]
    return kept.rstrip(" ,·") + ELLIPSIS
