"""Why a GPU, an AMI family and a way of sharing cannot go together."""

from collections.abc import Iterator

from ..catalog import AL2023, BOTTLEROCKET, GPUS, AmiFamily, Gpu, MigTable
from ..errors import Problem
from .modes import Mig, Mps, Sharing
from .placement import refusal


def refusals(gpu: Gpu, family: AmiFamily, sharing: Sharing, *, fractional: bool) -> Iterator[Problem]:
    """Yield each reason, at its field below the pool; nothing when the combination works."""
    if gpu.min_driver > family.driver_branch:
        yield Problem(
            "todo",
            ("gpu",),
            f"{gpu.name} needs NVIDIA driver {gpu.min_driver} or newer, and no supported AMI has it "
            f"({family.display} ships {family.driver_branch}); choose another GPU model",
        )
    if isinstance(sharing, Mps) and fractional:
        yield Problem(
            "todo",
            ("sharing", "mode"),
            "MPS needs whole GPUs, and these types hold a fraction of one; use time-slicing or exclusive",
        )
    if isinstance(sharing, Mig):
        yield from _mig_refusals(gpu, family, sharing, fractional=fractional)


def _mig_refusals(gpu: Gpu, family: AmiFamily, sharing: Mig, *, fractional: bool) -> Iterator[Problem]:
    if gpu.mig is None or fractional:
        able = ", ".join(row.name for row in GPUS.values() if row.mig and row.karpenter_name)
        what = "a fractional GPU" if fractional else gpu.name
        yield Problem(
            "todo",
            ("sharing", "mode"),
            f"{what} has no MIG (these have: {able}); use time-slicing{'' if fractional else ' or mps'} to share it",
        )
        return
    for path, layout in _named_layouts(sharing):
        yield from _layout_refusals(gpu, gpu.mig, layout, path)
    if family is BOTTLEROCKET:
        yield from _bottlerocket_refusals(gpu, sharing)


def _named_layouts(sharing: Mig) -> Iterator[tuple[tuple[str, str], dict[str, int]]]:
    if sharing.profile is not None:
        yield ("sharing", "profile"), {sharing.profile: 1}
    if sharing.layout is not None:
        yield ("sharing", "layout"), sharing.layout


def _layout_refusals(gpu: Gpu, table: MigTable, layout: dict[str, int], path: tuple[str, str]) -> Iterator[Problem]:
    unknown = [name for name in layout if name not in table.profiles]
    for name in unknown:
        where = path if path[-1] == "profile" else (*path, name)
        yield Problem("todo", where, f"{gpu.name} has no MIG profile {name!r} (it has {', '.join(table.profiles)})")
    if not unknown and (why := refusal(table, layout)):
        yield Problem(
            "todo", path, f"{gpu.name} cannot hold {' + '.join(f'{n} × {p}' for p, n in layout.items())}: {why}"
        )


def _bottlerocket_refusals(gpu: Gpu, sharing: Mig) -> Iterator[Problem]:
    remedy = f"use ami.family {AL2023.name}, where the GPU Operator's MIG manager applies it"
    if sharing.layout is not None:
        yield Problem(
            "todo",
            ("sharing", "layout"),
            f"Bottlerocket applies one profile to every GPU, never a mix; {remedy}, or name one profile",
        )
    if gpu.bottlerocket_mig_key is None:
        yield Problem("todo", ("ami", "family"), f"Bottlerocket has no MIG setting for {gpu.name}; {remedy}")
    if sharing.profile and not sharing.profile.endswith("gb"):
        yield Problem(
            "todo",
            ("sharing", "profile"),
            f"Bottlerocket knows no profile with engines such as {sharing.profile!r}; {remedy}",
        )
