"""Placeholder until the table of engines lands."""

from pathlib import Path

_BIN = Path(__file__).resolve().parents[1] / ".lab" / "bin"


def find_engine(name: str) -> Path:
    return _BIN / name


def find_crds() -> Path:
    return _BIN.parent / "crds"
