"""The heart: one GPU model, one AMI family and one way of sharing become everything that depends on them.

Resource names, counts, labels, taint, overlay and the settings that apply the sharing are all derived here, once, so
that they cannot disagree. Why these choices: docs/decisions/0002-distinct-resource-names.md.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ..catalog import BOTTLEROCKET, AmiFamily, Gpu, Instance, profile_of
from .modes import Exclusive, Mig, Mps, Sharing, TimeSlicing

WHOLE_GPU = "nvidia.com/gpu"
_SHARED = ".shared"
SHARED_GPU = WHOLE_GPU + _SHARED
POOL_KEY = "gpu-blueprint/pool"
"""Label of every node with its pool's name; also the taint of pools that hand out several resources."""
MIG_CONFIG_LABEL = "nvidia.com/mig.config"
OPERANDS_LABEL = "nvidia.com/gpu.deploy.operands"
PLUGIN_CONFIG_LABEL = "nvidia.com/device-plugin.config"


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingProfile:
    """What the nodes of one pool hand out, and what makes them do so."""

    summary: str
    """For people, such as ``7 × mig-1g.10gb per GPU``."""
    per_device: Mapping[str, int]
    """Extended resource → how many of it one GPU device hands out."""
    taint: Mapping[str, str]
    node_labels: Mapping[str, str] = field(default_factory=dict)
    plugin_configs: Mapping[str, Any] = field(default_factory=dict)
    """Key → device-plugin config file; the GPU Operator's plugin reads the one its node label names."""
    mig_configs: Mapping[str, Any] = field(default_factory=dict)
    """Key → mig-parted config; the GPU Operator's MIG manager applies the one its node label names."""
    bottlerocket: Mapping[str, Any] = field(default_factory=dict)
    """Settings under ``settings.kubelet-device-plugins.nvidia``; applied at boot."""
    reboots: bool = False
    """Whether applying it restarts a fresh node once."""

    @property
    def units(self) -> dict[str, str]:
        """What users call it → extended resource: a MIG profile such as ``1g.10gb+me``, else ``gpu``."""
        return {_unit(name): name for name in self.per_device}

    @property
    def operands_off(self) -> bool:
        """Whether the GPU Operator stays off these nodes, because they apply the sharing themselves."""
        return self.node_labels.get(OPERANDS_LABEL) == "false"

    def per_node(self, instance: Instance) -> dict[str, int]:
        """Extended resource → how many of it a node of this type hands out."""
        return {name: count * instance.gpu_devices for name, count in self.per_device.items()}

    def ceiling(self, max_gpus: int) -> dict[str, int]:
        """Extended resource → how many of it so many GPU devices hand out."""
        return {name: count * max_gpus for name, count in self.per_device.items()}

    def overlay(self, instance: Instance) -> dict[str, int]:
        """What Karpenter must be told about nodes of this type; empty where EC2's own count is right.

        Whole GPUs that nobody can ask for are overlaid with 0, so that no whole-GPU pod is planned there.
        """
        truth = self.per_node(instance)
        seen = {WHOLE_GPU: instance.gpu_count} if instance.gpu_count else {}
        return {} if truth == seen else {**truth, **{name: 0 for name in seen if name not in truth}}


def _unit(resource: str) -> str:
    return profile_of(resource) or resource.removeprefix("nvidia.com/").removesuffix(_SHARED)


def sharing_profile(pool: str, gpu: Gpu, family: AmiFamily, sharing: Sharing) -> SharingProfile:
    """Derive the profile of a combination that ``refusals`` lets pass; ``pool`` is the taint of a mixed layout."""
    if family is BOTTLEROCKET:
        return _on_bottlerocket(gpu, sharing)
    match sharing:
        case Exclusive():
            return _handing_out({WHOLE_GPU: 1}, "whole GPUs")
        case TimeSlicing(replicas=replicas):
            return _shared({WHOLE_GPU: 1}, replicas, "time-slicing", f"{replicas} pods take turns on each GPU")
        case Mps(replicas=replicas):
            return _shared({WHOLE_GPU: 1}, replicas, "mps", f"{replicas} pods at once on each GPU (MPS)")
        case Mig():
            profile = _mig(gpu, sharing)
            return profile if len(profile.per_device) == 1 else replace(profile, taint=_pool_taint(pool))


def _handing_out(per_device: Mapping[str, int], summary: str, **applied: Any) -> SharingProfile:
    """Key the taint by the resource: EKS lets a pod that asks for an extended resource tolerate the taint of that name."""
    taint = {"key": next(iter(per_device)), "effect": "NoSchedule"}
    return SharingProfile(summary=summary, per_device=per_device, taint=taint, **applied)


def _pool_taint(pool: str) -> dict[str, str]:
    """Several resources on one node have no one name: the pool has, and its pods tolerate that explicitly."""
    return {"key": POOL_KEY, "value": pool, "effect": "NoSchedule"}


def _shared(
    whole: Mapping[str, int], replicas: int, mode: str, summary: str, key: str = "", **applied: Any
) -> SharingProfile:
    """Hand out each resource several times over under ``<name>.shared``, as the plugin renames it."""
    key = key or f"{mode}-{replicas}"
    labels = {PLUGIN_CONFIG_LABEL: key, **applied.pop("node_labels", {})}
    settings = {
        "renameByDefault": True,
        "failRequestsGreaterThanOne": True,
        "resources": [{"name": name, "replicas": replicas} for name in whole],
    }
    plugin = {key: {"version": "v1", "sharing": {"timeSlicing" if mode == "time-slicing" else mode: settings}}}
    resources = {f"{name}{_SHARED}": count * replicas for name, count in whole.items()}
    return _handing_out(resources, summary, node_labels=labels, plugin_configs=plugin, **applied)


def mig_layout(gpu: Gpu, sharing: Mig) -> dict[str, int]:
    """How many of each profile one GPU is cut into; a single profile is repeated as often as it fits."""
    assert gpu.mig is not None, "refusals() lets no GPU without MIG pass"
    if sharing.layout is not None:
        return dict(sharing.layout)
    profile = gpu.mig.profiles[str(sharing.profile)]
    return {profile.name: gpu.mig.most(profile)}


def _mig(gpu: Gpu, sharing: Mig) -> SharingProfile:
    assert gpu.mig is not None
    layout = mig_layout(gpu, sharing)
    key = f"{gpu.name}-{_digest(layout) if sharing.layout else sharing.profile}".replace("+", ".")
    config = [{"devices": "all", "mig-enabled": True, "mig-devices": layout}]
    resources = {gpu.mig.profiles[name].resource: count for name, count in layout.items()}
    applied = {"mig_configs": {key: config}, "node_labels": {MIG_CONFIG_LABEL: key}, "reboots": gpu.mig_needs_reboot}
    summary = f"{' + '.join(f'{count} × {name}' for name, count in layout.items())} on each GPU (MIG)"
    if sharing.replicas is None:
        return _handing_out(resources, summary, **applied)
    turns = f"{summary}, {sharing.replicas} pods take turns on each instance"
    return _shared(
        resources, sharing.replicas, "time-slicing", turns, f"{key}-time-slicing-{sharing.replicas}", **applied
    )


def _digest(layout: Mapping[str, int]) -> str:
    """A name that changes with the layout: a node label that changes is drift, and so nodes with the old cut are replaced."""
    return f"layout-{hashlib.sha256(json.dumps(layout, sort_keys=True).encode()).hexdigest()[:8]}"


def _on_bottlerocket(gpu: Gpu, sharing: Sharing) -> SharingProfile:
    """Bottlerocket's own settings apply the sharing at boot; the GPU Operator's operands stay off these nodes."""
    count, settings, words = 1, dict[str, Any](), []
    if isinstance(sharing, Mig):
        ((name, count),) = mig_layout(gpu, sharing).items()
        settings |= {"device-partitioning-strategy": "mig", "mig": {"profile": {str(gpu.bottlerocket_mig_key): name}}}
        words.append(f"{count} × {name} on each GPU (MIG)")
    replicas = None if isinstance(sharing, Exclusive) else sharing.replicas
    if replicas is not None:
        strategy = "mps" if isinstance(sharing, Mps) else "time-slicing"
        strict = {} if strategy == "mps" else {"fail-requests-greater-than-one": True}
        settings |= {
            "device-sharing-strategy": strategy,
            strategy: {"replicas": replicas, "rename-by-default": True, **strict},
        }
        words.append(
            f"{replicas} pods {'at once' if strategy == 'mps' else 'take turns'} on each {'instance' if words else 'GPU'}"
        )
    return _handing_out(
        {f"{WHOLE_GPU}.shared" if replicas else WHOLE_GPU: count * (replicas or 1)},
        ", ".join(words) or "whole GPUs",
        bottlerocket=settings,
        node_labels={OPERANDS_LABEL: "false"},
    )
