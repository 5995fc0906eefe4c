"""``mig``: list the MIG layouts that fit on a GPU, or judge one layout."""

import argparse
import re

from ..catalog import GPUS, CatalogError, Gpu, MigTable, find_gpu
from ..errors import BlueprintError, UsageError, suggest
from ..sharing.placement import Layout, can_place, list_leftover, list_maximal_layouts
from .text.mig import describe_refusal, show_layouts, show_legal

_COUNT = re.compile("[1-9][0-9]{0,3}")


def run(arguments: argparse.Namespace) -> int:
    """List a GPU's MIG profiles and layouts, or judge one layout. Raise an error for an illegal layout."""
    try:
        model = find_gpu(arguments.gpu)
    except CatalogError as error:
        raise UsageError(str(error)) from None
    if model.mig is None:
        able = ", ".join(row.name for row in GPUS.values() if row.mig)
        raise BlueprintError(f"{model.name} has no MIG; these have: {able}")
    if arguments.layout is None:
        show_layouts(model, model.mig, list_maximal_layouts(model.mig))
        return 0
    layout = _parse_layout(arguments.layout, model, model.mig)
    if not can_place(model.mig, layout):
        raise BlueprintError(describe_refusal(model, model.mig, layout))
    show_legal(model, layout, list_leftover(model.mig, layout))
    return 0


def _parse_layout(text: str, model: Gpu, mig: MigTable) -> Layout:
    layout: dict[str, int] = {}
    for part in text.split(","):
        name, equals, count = part.strip().partition("=")
        if not equals or not _COUNT.fullmatch(count):
            raise UsageError(f"{part!r} is not a profile and its count, such as 1g.10gb=2; separate several by commas")
        if name not in mig.profiles:
            raise CatalogError(f"{model.name} has no MIG profile {name!r}; {suggest(name, mig.profiles, 'it has')}")
        layout[name] = layout.get(name, 0) + int(count)
    return layout
