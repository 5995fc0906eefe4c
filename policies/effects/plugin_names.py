"""The names under which NVIDIA's device plugin advertises MIG slices, by its version."""

import re
from collections import Counter
from collections.abc import Mapping

from ..resources import Resource
from ..values import read_text
from .charts import is_chart, read_value

_VARIANT_SUFFIX = re.compile(r"(?<=gb).*")
"""Suffix of a MIG resource's name that means a variant of its profile, such as .me, .me.all, .gfx and -me."""
_FIRST_PLUGIN, _FIRST_CHART = (0, 20, 0), (26, 7, 0)
"""First version of the device plugin that names variants, and of the GPU Operator's chart that installs this plugin."""


def is_plugin(release: Resource) -> bool:
    """Tell whether a chart is NVIDIA's device plugin alone, which partitions no GPUs."""
    return is_chart(release, "nvidia-device-plugin")


def name_variants(counts: Mapping[str, int], operator: Resource) -> Mapping[str, int] | None:
    """Return slices under the names of the GPU Operator's device plugin; None if its version is unknown.

    Before v0.20.0 a profile such as 1g.10gb+me has the name of the plain profile, because the pattern of the plain
    profile fits its beginning (NVIDIA/k8s-device-plugin#1462; its changelog of v0.20.0, #1807; run on v0.19.1).
    """
    plain: Counter[str] = Counter()
    for name, count in counts.items():
        plain[_VARIANT_SUFFIX.sub("", name)] += count
    if plain == counts:
        return counts
    stated = read_text(read_value(operator, "devicePlugin", "version"), "devicePlugin.version")
    version = _parse_version(stated or operator.read_text("version"))
    if version is None:
        return None
    return counts if version >= (_FIRST_PLUGIN if stated else _FIRST_CHART) else plain


def _parse_version(text: str) -> tuple[int, ...] | None:
    """Return the numbers of an exact version, with or without v; None for ranges, digests and no version."""
    found = re.fullmatch(r"v?(\d+)\.(\d+)\.(\d+)([-+].*)?", text.strip())
    return tuple(map(int, found.groups()[:3])) if found else None
