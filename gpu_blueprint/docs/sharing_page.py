"""The matrix of GPU × AMI × sharing with verdicts, as the code gives them."""

from collections.abc import Iterator

from ..catalog import AMI_FAMILIES, GPUS, AmiFamily, Gpu, instances
from ..sharing import Exclusive, Mig, Mps, Sharing, TimeSlicing, refusals, sharing_profile

_HEAD = """# Ways to share a GPU

What each GPU model can do on each AMI family, and the name under which pods ask for it. A dash carries the number of its
reason below. Generated from the code that decides: `make docs`.

- **exclusive**: one pod, one GPU. **MIG**: hardware-isolated instances, one profile for all (`profile`) or a mix (`layout`).
  **MIG shared**: pods take turns on an instance. **time-slicing**: pods take turns on a GPU, nothing is isolated.
  **MPS**: pods run at once, memory is divided but faults are not isolated.
- On AL2023 the GPU Operator applies it; a fresh A100 node reboots once for MIG. On Bottlerocket the node does, at boot.
- `blueprint mig GPU` lists profiles and layouts; `blueprint explain STACK POOL` shows the whole chain.
"""


def sharing_page() -> str:
    """The page as Markdown."""
    reasons: dict[str, int] = {}
    rows = list(_rows(reasons))
    header = "| GPU | AMI | exclusive | MIG profile | MIG layout | MIG shared | time-slicing | MPS |"
    notes = [f"{number}. {reason}" for reason, number in reasons.items()]
    return "\n".join([_HEAD, header, "|---" * 8 + "|", *rows, "", "## Why not", "", *notes]) + "\n"


def _rows(reasons: dict[str, int]) -> Iterator[str]:
    for gpu in GPUS.values():
        carriers = [row for row in instances().values() if row.gpu_name == gpu.name]
        families = sorted({row.family for row in carriers if not row.fractional})
        fractions = sorted({row.family for row in carriers if row.fractional})
        for names, fractional in ((families, False), (fractions, True)):
            for family in AMI_FAMILIES.values() if names else ():
                cells = [_cell(gpu, family, sharing, fractional, reasons) for sharing in _samples(gpu)]
                label = f"{gpu.name}{' fraction' if fractional else ''} ({', '.join(names)})"
                yield f"| {label} | {family.display} | {' | '.join(cells)} |"


def _samples(gpu: Gpu) -> tuple[Sharing, ...]:
    """One of each way; where the GPU has no MIG, any profile will do to be refused."""
    smallest, half = (gpu.mig.rows[0].name, _half(gpu)) if gpu.mig else ("1g.10gb", "3g.40gb")
    return (
        Exclusive(),
        Mig.model_validate({"mode": "mig", "profile": smallest}),
        Mig.model_validate({"mode": "mig", "layout": {half: 1, smallest: 1}}),
        Mig.model_validate({"mode": "mig", "profile": smallest, "replicas": 2}),
        TimeSlicing(mode="time-slicing", replicas=4),
        Mps(mode="mps", replicas=4),
    )


def _half(gpu: Gpu) -> str:
    assert gpu.mig is not None
    return next(
        row.name
        for row in gpu.mig.rows
        if row.name.startswith(("3g", "2g")) and row.memory_slices * 2 == gpu.mig.memory_slices
    )


def _cell(gpu: Gpu, family: AmiFamily, sharing: Sharing, fractional: bool, reasons: dict[str, int]) -> str:
    found = [
        problem.message.replace(gpu.name, "it", 1) for problem in refusals(gpu, family, sharing, fractional=fractional)
    ]
    if found:
        return "– " + ", ".join(str(reasons.setdefault(reason, len(reasons) + 1)) for reason in found)
    profile = sharing_profile("pool", gpu, family, sharing)
    return ", ".join(f"`{name.removeprefix('nvidia.com/')}`" for name in profile.per_device)
