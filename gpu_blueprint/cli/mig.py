"""``mig``: which MIG layouts can a GPU hold?"""

import argparse

from ..catalog import GPUS, CatalogError, Gpu, MigTable, gpu
from ..errors import BlueprintError, UsageError, near
from ..sharing.placement import Layout, can_place, describe, leftover, maximal_layouts, refusal
from .text.tables import console, table


def run(arguments: argparse.Namespace) -> int:
    """List a GPU's profiles and layouts, or judge one layout: 0 legal, 1 not."""
    model = gpu(arguments.gpu)
    if model.mig is None:
        able = ", ".join(row.name for row in GPUS.values() if row.mig)
        raise BlueprintError(f"{model.name} has no MIG; these have: {able}")
    if arguments.layout is None:
        _list(model, model.mig)
        return 0
    return _judge(model, model.mig, _parsed(arguments.layout, model, model.mig))


def _list(model: Gpu, mig: MigTable) -> None:
    out = console()
    profiles = table(f"MIG profiles of {model.product}", "profile", "most", "compute", "memory", "starts", "resource")
    for row in mig.rows:
        compute = f"{row.compute_slices} of {mig.compute_slices}"
        starts = ", ".join(map(str, row.starts))
        profiles.add_row(row.name, str(mig.most(row)), compute, f"{row.memory_gb} GB", starts, row.resource)
    out.print(profiles)
    out.print(
        "\n[bold]Layouts to which nothing can be added[/] (each smaller one is legal too; a +me or +gfx profile takes"
    )
    out.print("the place of its plain one)")
    for layout in maximal_layouts(mig):
        out.print(f"  {describe(layout)}")


def _parsed(text: str, model: Gpu, mig: MigTable) -> Layout:
    layout: dict[str, int] = {}
    for part in text.split(","):
        name, equals, count = part.strip().partition("=")
        if not equals or not count.isdecimal() or int(count) < 1:
            raise UsageError(f"{part!r} is not a profile and its count, such as 1g.10gb=2; separate several by commas")
        if name not in mig.profiles:
            raise CatalogError(f"{model.name} has no MIG profile {name!r} {near(name, mig.profiles, 'it has')}")
        layout[name] = layout.get(name, 0) + int(count)
    return layout


def _judge(model: Gpu, mig: MigTable, layout: Layout) -> int:
    if not can_place(mig, layout):
        raise BlueprintError(f"{model.name} cannot hold {describe(layout)}: {refusal(mig, layout)}")
    spare = [describe(addition) for addition in leftover(mig, layout)]
    more = [f"{len(spare) - 3} other ways"] if len(spare) > 3 else []
    rest = " or ".join(spare[:3] + more) or "nothing"
    print(f"legal: {model.name} holds {describe(layout)}; left over: {rest}")
    return 0
