"""The estimated width of a text is never less than the real one, and a shortened text fits."""

from gpu_blueprint.pages.text_width import ELLIPSIS, estimate_width, shorten

ADVANCES = {
    "i": (0.278, 0.343),
    "r": (0.411, 0.493),
    "-": (0.361, 0.415),
    "J": (0.5, 0.556),  # of Arial; that of DejaVu Sans is narrower
    "a": (0.613, 0.675),
    "8": (0.636, 0.696),
    "E": (0.667, 0.683),
    "O": (0.787, 0.85),
    "m": (0.974, 1.042),
    "W": (0.989, 1.103),
    "%": (0.95, 1.002),
    "→": (0.838, 0.838),
    ELLIPSIS: (1.0, 1.0),
}
"""Character → its width in the regular and in the bold font: the greater of DejaVu Sans 2.37 and Arial."""


def test_an_estimate_is_at_least_the_width_of_the_widest_fonts() -> None:
    for character, widths in ADVANCES.items():
        for bold, width in enumerate(widths):
            estimate = estimate_width(character, 1, bold=bool(bold))
            assert width <= estimate <= 1.6 * width, character


def test_a_text_without_room_ends_with_an_ellipsis_and_fits() -> None:
    assert shorten("infer-l40s", 200, 12) == "infer-l40s"
    for room in (12, 30, 55):
        text = shorten("training-h100", room, 12)
        assert text.endswith(ELLIPSIS) and estimate_width(text, 12) <= room
