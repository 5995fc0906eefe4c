"""``docs``: write the pages that are made from the code."""

import argparse

from ..docs import render_pages


def run(arguments: argparse.Namespace) -> int:  # noqa: ARG001
    """Write every page and print its path."""
    for path, text in render_pages().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(path)
    return 0
