"""One pool as a chain: from the GPU to what a pod must request, each step derived from the one before."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from ..catalog.prices import HOURS_A_MONTH
from ..config import Headroom, Hours, Pool, StackConfig
from ..cost.pools import kept, terms_of
from ..sharing import POOL_KEY
from ..sharing.profile import MIG_CONFIG_LABEL, PLUGIN_CONFIG_LABEL


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the chain; ``lines`` are for people."""

    title: str
    lines: tuple[str, ...]


def explain(stack: StackConfig, pool: Pool) -> Iterator[Step]:
    """Yield the steps in order."""
    profile = pool.profile
    yield Step("GPU", (f"{pool.model.product}, {profile.summary}",))
    yield Step("a node hands out", tuple(_nodes(stack, pool)))
    yield Step("made so by", tuple(_applied_by(pool)))
    yield Step(
        "node labels", (f"{POOL_KEY}={pool.name}", *(f"{key}={value}" for key, value in profile.node_labels.items()))
    )
    yield Step("node taints", tuple(_taint(taint) for taint in pool.node_taints))
    yield Step("Karpenter is told", tuple(_overlays(stack, pool)))
    yield Step("ceiling", tuple(_ceiling(pool)))
    if pool.hours:
        yield Step("hours", tuple(_hours(pool, pool.hours)))
    if pool.headroom:
        yield Step("headroom", tuple(_headroom(stack, pool, pool.headroom)))
    yield Step("quota keys", tuple(_quotas(stack, pool)))
    yield Step("a pod asks", tuple(yaml.safe_dump(pod(stack, pool), sort_keys=False).splitlines()))


def pod(stack: StackConfig, pool: Pool) -> dict[str, Any]:
    """The smallest pod that runs in the pool; the taint named after its resource is tolerated without saying so."""
    resource = next(iter(pool.profile.per_device))
    limits: dict[str, Any] = {resource: 1}
    if pool.multi_node:
        row = pool.candidates[0]
        limits = {resource: row.gpu_devices, "vpc.amazonaws.com/efa": row.efa_interfaces}
    tolerations = [
        taint | {"operator": "Equal" if "value" in taint else "Exists"}
        for taint in pool.node_taints
        if taint["key"] != resource
    ]
    spec: dict[str, Any] = {"nodeSelector": {POOL_KEY: pool.name}}
    if tolerations:
        spec["tolerations"] = tolerations
    spec["containers"] = [{"name": "main", "image": "YOUR-IMAGE", "resources": {"limits": limits}}]
    users = [tenant.space for tenant in stack.tenants if pool.name in tenant.gpus]
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "example", "namespace": (users or ["YOUR-NAMESPACE"])[0]},
        "spec": spec,
    }


def _nodes(stack: StackConfig, pool: Pool) -> Iterator[str]:
    for row in stack.instances_of(pool):
        given = ", ".join(f"{count} {name}" for name, count in pool.profile.per_node(row).items())
        gpus = f"{row.gpu_devices} × {row.gpu_memory_mib / 1024:.0f} GiB"
        yield f"{row.instance_type}: {gpus} → {given}"


def _applied_by(pool: Pool) -> Iterator[str]:
    profile = pool.profile
    if profile.operands_off:
        yield f"Bottlerocket at boot, from user data ({pool.ami.alias}); the GPU Operator stays off"
        yield from (f"settings.kubelet-device-plugins.nvidia.{line}" for line in _settings(profile.bottlerocket, ""))
        return
    yield f"NVIDIA's GPU Operator on {pool.ami.alias}, by node label:"
    if MIG_CONFIG_LABEL in profile.node_labels:
        reboot = "; a fresh node reboots once" if profile.reboots else ""
        yield f"MIG manager applies {profile.node_labels[MIG_CONFIG_LABEL]!r}{reboot}"
    yield f"device plugin reads config {profile.node_labels.get(PLUGIN_CONFIG_LABEL, 'none')!r}, MIG strategy mixed"


def _settings(value: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path} = {value}"
        return
    for key, below in value.items():
        yield from _settings(below, f"{path}.{key}" if path else key)


def _taint(taint: dict[str, str]) -> str:
    value = f"={taint['value']}" if "value" in taint else ""
    return f"{taint['key']}{value}:{taint['effect']}"


def _overlays(stack: StackConfig, pool: Pool) -> Iterator[str]:
    if pool.static_nodes:
        yield f"nothing: {pool.static_nodes} static nodes in a managed node group"
        return
    seen: dict[str, list[str]] = {}
    for row in stack.instances_of(pool):
        capacity = ", ".join(f"{name}: {count}" for name, count in pool.overlay(row).items())
        seen.setdefault(capacity, []).append(row.instance_type)
    for capacity, types in seen.items():
        yield f"NodeOverlay for {', '.join(types)}: {capacity}" if capacity else "nothing: EC2's own count is right"


def _ceiling(pool: Pool) -> Iterator[str]:
    yield f"{pool.max_gpus} GPUs"
    yield from (f"limits {name}: {count}" for name, count in pool.profile.ceiling(pool.max_gpus).items())


def _hours(pool: Pool, hours: Hours) -> Iterator[str]:
    yield f"{hours}: {hours.per_week:g} hours a week, {pool.hours_per_month:.0f} of {HOURS_A_MONTH} a month"
    after = (
        "its nodes take no new pods, and go when their jobs are done"
        if pool.holds_jobs
        else f"its nodes are drained, within {pool.lifecycle.termination_grace_period}"
    )
    yield f"closes at {hours.closes!r}: Karpenter launches nothing more (limits cpu: 0); {after}"
    yield f"opens at {hours.opens!r}"


def _headroom(stack: StackConfig, pool: Pool, room: Headroom) -> Iterator[str]:
    asked = pool.by_unit(room.gpus)
    each = ", ".join(f"{count} {pool.profile.units[unit]}" for unit, count in asked.items() if count)
    always = kept(stack, pool, terms_of(stack, pool))
    yield f"{room.pods} × room for a pod of {each}, {room.cpu} CPU, {room.memory}, held by placeholders that give way at once"
    yield f"{always.hour} an hour, whatever runs: nodes with {always.warm} × {pool.model.product}"


def _quotas(stack: StackConfig, pool: Pool) -> Iterator[str]:
    for unit, name in pool.profile.units.items():
        shares = [
            f"{tenant.name} {_share(tenant.gpus[pool.name], unit)}"
            for tenant in stack.tenants
            if pool.name in tenant.gpus
        ]
        yield f"requests.{name}: {', '.join(shares) or 'no tenant has a share'}"


def _share(grant: Any, unit: str) -> int:
    return int(grant.get(unit, 0)) if isinstance(grant, dict) else int(grant)
