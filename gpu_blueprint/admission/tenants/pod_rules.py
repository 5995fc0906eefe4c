"""The rules about pods that concern no pool: the way past the scheduler, past the device plugin, and past a drain."""

from collections.abc import Iterator

from ...cel.literals import write_literal
from ...cel.pod_subject import PodSubject
from ...cel.pod_variables import ASKS
from ...cel.policy import AdmissionRule
from ...config import Pool, StackConfig
from ...config.cpu_pools import CpuPool
from ...config.scalars import count_seconds

_DEVICE_VARIABLES = (
    "NVIDIA_VISIBLE_DEVICES",
    "NVIDIA_MIG_CONFIG_DEVICES",
    "NVIDIA_MIG_MONITOR_DEVICES",
    "NVIDIA_IMEX_CHANNELS",
    "NVIDIA_MOFED",
    "NVIDIA_NVSWITCH",
)
"""Variables by which NVIDIA's container toolkit adds devices to a container (its package internal/config/image, and the
gated devices of internal/modifier). Others, such as NVIDIA_DRIVER_CAPABILITIES, add no device."""
_NO_DEVICES = ("", "void", "none")
"""Values of these variables that add none."""
PIN = "karpenter.sh/do-not-disrupt"
_LONGEST_PIN = "4h"
"""Longest time for which a pod may keep its node from consolidation in a pool whose purpose allows no endless pin.

Drift, expiry and the end of a pool's hours take the node all the same, at the end of the pool's terminationGracePeriod.
"""
_PINNING_PURPOSES = ("training", "notebook", "batch")
"""Purposes whose pods lose work if their node terminates."""
_USUAL_DRAIN_S = 3600
_VOLUMES = (
    *("configMap", "secret", "emptyDir", "projected", "downwardAPI"),
    *("persistentVolumeClaim", "ephemeral", "image"),
)
"""Kinds of volumes that come from the API server, from the node's own disk, from a claim or from an image."""


def list_scheduling_rules(subject: PodSubject) -> Iterator[AdmissionRule]:
    """Yield the rules that bring every pod before the one scheduler."""
    yield _refuse_node_names(subject)
    yield AdmissionRule(
        id="one-scheduler",
        keeps="No pod waits for ever for a scheduler that does not exist.",
        expression="variables.spec.?schedulerName.orValue('default-scheduler') in ['', 'default-scheduler']",
        message="spec.schedulerName names a scheduler that this cluster does not have: remove it",
    )


def list_device_rules(subject: PodSubject) -> Iterator[AdmissionRule]:
    """Yield the rules that leave the device plugin as the only way to a GPU."""
    yield _refuse_device_variables(subject)
    yield AdmissionRule(
        id="no-device-annotations",
        keeps="No annotation adds devices to a container.",
        expression="!variables.metadata.?annotations.orValue({}).exists(k, k.contains('cdi.k8s.io/'))",
        message="annotations of cdi.k8s.io add devices to containers: remove them, and ask for a GPU in "
        "resources.limits",
    )
    runtime = "variables.spec.?runtimeClassName.orValue('')"
    yield AdmissionRule(
        id="no-device-runtimes",
        keeps="No runtime class reaches devices that the pod does not ask for.",
        expression=f"{runtime} == '' || ({runtime} == 'nvidia' && {ASKS})",
        message="spec.runtimeClassName may be nvidia in a pod that requests a GPU: remove it",
    )
    yield AdmissionRule(
        id="no-claimed-devices",
        keeps="No pod takes devices by a ResourceClaim, which the quotas of GPUs do not count.",
        expression="variables.spec.?resourceClaims.orValue([]).size() == 0",
        message="the pools of this platform take no ResourceClaims: remove spec.resourceClaims, and ask for a GPU in "
        "resources.limits",
    )
    kinds = " || ".join(f"has(v.{kind})" for kind in _VOLUMES)
    yield AdmissionRule(
        id="no-node-volumes",
        keeps="No volume is mounted by the node, past traffic rules and claims.",
        expression=f"variables.spec.?volumes.orValue([]).all(v, {kinds})",
        message="the node itself would mount a volume of this kind (nfs, csi, hostPath or alike), past traffic rules "
        "and quotas: use a PersistentVolumeClaim",
    )


def list_drain_rules(config: StackConfig, subject: PodSubject) -> Iterator[AdmissionRule]:  # noqa: ARG001
    """Yield the rules that let nodes terminate in time, and leave room to others."""
    yield _bound_grace(config)
    yield _refuse_endless_pins(config)
    yield _refuse_foreign_affinity()


def _refuse_node_names(subject: PodSubject) -> AdmissionRule:
    running = "" if subject.is_template else "request.operation != 'CREATE' || "  # a pod that runs has a nodeName
    return AdmissionRule(
        id="no-node-name",
        keeps="A tenant cannot put a pod onto a node past the scheduler and every taint.",
        expression=f"{running}variables.spec.?nodeName.orValue('') == ''",
        message="spec.nodeName passes by the scheduler and every taint: remove it; "
        "nodeSelector gpu-blueprint/pool chooses a pool",
    )


def _refuse_device_variables(subject: PodSubject) -> AdmissionRule:
    environments = "variables.boxes.map(c, c.?env.orValue([]))"
    if not subject.is_template:
        environments = f"({environments} + variables.spec.?ephemeralContainers.orValue([]).map(c, c.?env.orValue([])))"
    fine = f"!has(e.valueFrom) && e.?value.orValue('') in {write_literal(_NO_DEVICES)}"
    return AdmissionRule(
        id="no-device-variables",
        keeps="No environment variable shows GPUs of others, or network devices, to a container.",
        expression=f"{environments}.all(v, v.all(e, !(e.name in {write_literal(_DEVICE_VARIABLES)}) || ({fine})))",
        message=f"{', '.join(_DEVICE_VARIABLES)} would show devices of others: remove the variable, since the device "
        "plugin sets what a container needs; only the values void and none are fine",
    )


def _bound_grace(config: StackConfig) -> AdmissionRule:
    pools: list[Pool | CpuPool] = config.all_pools
    drains = {pool.name: count_seconds(pool.lifecycle.termination_grace_period or "1h") for pool in pools}
    usual = max((drains[pool.name] for pool in config.cpu_pools), default=_USUAL_DRAIN_S)
    longest = f"{write_literal(drains)}[?variables.target].orValue({usual})"
    return AdmissionRule(
        id="bounded-grace",
        keeps="No pod delays the drain of its node beyond the pool's terminationGracePeriod.",
        expression=f"variables.spec.?terminationGracePeriodSeconds.orValue(30) <= {longest}",
        message=f"'terminationGracePeriodSeconds may be at most ' + string({longest}) + ' here: its node terminates'",
        is_message_cel=True,
    )


def list_pinnable_pools(config: StackConfig) -> list[str]:
    """Return the pools whose pods may keep their nodes from consolidation without an end."""
    return [pool.name for pool in config.gpu_pools if pool.purpose in _PINNING_PURPOSES]


def _refuse_endless_pins(config: StackConfig) -> AdmissionRule:
    pools = list_pinnable_pools(config)
    pin = f"variables.metadata.?annotations[?'{PIN}'].orValue('')"
    # At most three parts of five digits, since a longer duration would break CEL.
    is_time = f"{pin}.matches('^([0-9]{{1,5}}([.][0-9]{{1,5}})?(s|m|h)){{1,3}}$') && duration({pin}) <= "
    return AdmissionRule(
        id="no-endless-pins",
        keeps="Pods keep their node from consolidation without an end only in pools for training, notebooks and batch "
        f"jobs, and elsewhere for at most {_LONGEST_PIN}.",
        expression=f"{pin} in ['', 'false'] || ({pin} == 'true' && {ASKS} && variables.target in "
        f"{write_literal(pools)}) || ({is_time}duration('{_LONGEST_PIN}'))",
        message=f"{PIN} keeps nodes that nobody needs: write a time of at most {_LONGEST_PIN}, such as 30m; true is "
        "for " + (f"pods with GPUs in {' or '.join(pools)}" if pools else "pools of other purposes"),
    )


def _refuse_foreign_affinity() -> AdmissionRule:
    """Refuse affinity that names namespaces, by which a pod could keep others off a zone.

    A quota holds the same where the policies only warn; to it, too, the pod's own namespace is a name.
    """
    mine = "(!has(t.namespaceSelector) && t.?namespaces.orValue([]).size() == 0)"
    during = "DuringSchedulingIgnoredDuringExecution.orValue([])"
    checks = [
        f"variables.spec.?affinity.?{kind}.?{terms}.all(t, {mine})"
        for kind in ("podAffinity", "podAntiAffinity")
        for terms in (f"required{during}", f"preferred{during}.map(p, p.podAffinityTerm)")
    ]
    return AdmissionRule(
        id="no-foreign-affinity",
        keeps="No pod keeps the pods of other namespaces off a node or a zone, or follows them.",
        expression=" && ".join(checks),
        message="affinity to pods of other namespaces moves the pods of others: remove namespaces and "
        "namespaceSelector from podAffinity and podAntiAffinity; without them the pod's own namespace is meant",
    )
