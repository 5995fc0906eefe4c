"""From answers of Prometheus to what was observed of a stack."""

from collections.abc import Iterable, Mapping

from ...catalog import instances
from ...config import Pool, StackConfig
from ...errors import MetricsError, UsageError
from ...monitoring.metrics import resource_label
from .observed import Activity, Largest, Observed, PoolUse, QuotaUse, Window
from .prometheus import FORWARD, Prometheus, Sample
from .queries import Look, clusters, of_cluster, questions

Answers = Mapping[str, list[Sample]]
"""Name of a question → answer."""
_QUOTA_PREFIX = "requests."
_MIB = 2**20
_ALWAYS = 0.95
"""Part of the time in which something must have run to have run always."""


def observe(server: Prometheus, stack: StackConfig, days: int, cluster: str | None = None) -> Observed:
    """Ask for a window that ends now; ``cluster`` is what the label of that name says, if not the cluster's name.

    Raises:
        MetricsError: The server did not answer, or has no series of the platform.
        UsageError: It is another cluster's.
    """
    look = Look(days)
    only = _cluster(server, stack, look, cluster)
    answers: dict[str, list[Sample]] = {}
    for name, expr in questions(look).items():
        answers[name] = server.query(of_cluster(expr, only) if only else expr)
        if name == "moments":
            _refuse(server.url, stack, answers)
    return read(stack, look, answers, tuple(server.warnings))


def _cluster(server: Prometheus, stack: StackConfig, look: Look, given: str | None) -> str:
    """What the label ``cluster`` of the stack's series says; empty where series have none, as in a cluster's own Prometheus."""
    names = {sample.labels.get("cluster", "") for sample in server.query(clusters(look))}
    wanted = given or stack.cluster_name
    if wanted in names:
        return wanted
    if given and names <= {""}:
        raise UsageError(f"{server.url}: its series have no label `cluster`; leave --cluster out")
    if names - {""}:
        known = ", ".join(sorted(name or "nothing" for name in names))
        raise UsageError(f"{server.url}: the label `cluster` says {known}, never {wanted}; --cluster tells what it says for this stack")  # fmt: skip
    return ""


def _refuse(url: str, stack: StackConfig, answers: Answers) -> None:
    known = sorted(_by(answers["pools"], "pool"))
    if not known or not any(sample.value for sample in answers["moments"]):
        missing = "series of the platform's rules" if not known else "labels of namespaces from kube-state-metrics"
        text = (
            f"no {missing} in the window: is `monitoring` applied, and is this the Prometheus of {stack.cluster_name}?"
        )
        raise MetricsError(f"{url}: {text} ({FORWARD})")
    if not {pool.name for pool in stack.pools} & {*known}:
        raise UsageError(f"{url}: knows the pools {', '.join(known)}, none of which {stack.cluster_name} has; is it another cluster's?")  # fmt: skip


def read(stack: StackConfig, look: Look, answers: Answers, warnings: tuple[str, ...] = ()) -> Observed:
    """Make sense of the answers, and of what the server said against them."""
    moments = sum(sample.value for sample in answers["moments"])
    window = Window(days=look.days, coverage=min(moments / look.moments, 1.0), warnings=warnings)
    return Observed(
        window=window,
        pools={pool.name: _pool(pool, look, moments, answers) for pool in stack.pools},
        quotas=_quotas(moments, answers),
        reservations=_by(answers["reservations"], "reservation"),
    )


def _pool(pool: Pool, look: Look, moments: float, answers: Answers) -> PoolUse:
    def of(name: str) -> float:
        return _by(answers[name], "pool").get(pool.name, 0.0)

    waiting = _by(answers["waiting"], "resource")
    return PoolUse(
        gpus_mean=of("gpus sum") / moments,
        gpus_peak=of("gpus peak"),
        gpus_low=of("gpus low") if of("gpus count") >= _ALWAYS * moments else 0.0,
        held_mean=of("held sum") / moments,
        held_peak=of("held peak"),
        node_hours=_node_hours(pool, look, answers["node moments"]),
        waiting=max(waiting.get(resource_label(name), 0.0) for name in pool.profile.per_device) / moments,
        interruptions=_by(answers["interruptions"], "nodepool").get(pool.name, 0.0),
        largest=_largest(pool, answers),
        activity=_activity(pool, answers),
        unknown_types=_unknown_types(pool, answers["node moments"]),
    )


def _unknown_types(pool: Pool, samples: Iterable[Sample]) -> frozenset[str]:
    ran = {one.labels.get("instance_type", "") for one in samples if one.labels.get("pool") == pool.name}
    return frozenset(ran - {*instances()})


def _node_hours(pool: Pool, look: Look, samples: Iterable[Sample]) -> dict[tuple[str, str], float]:
    return {
        (sample.labels["instance_type"], sample.labels.get("capacity_type", "")): sample.value * look.step / 60
        for sample in samples
        # Of others neither GPUs nor price are known.
        if sample.labels.get("pool") == pool.name and sample.labels.get("instance_type") in instances()
    }


def _largest(pool: Pool, answers: Answers) -> Largest | None:
    units = _by(answers["largest"], "pool").get(pool.name)
    if units is None:
        return None
    memory = _by(answers["memory asked"], "pool").get(pool.name)
    return Largest(
        units=units,
        vcpu=_by(answers["vcpu"], "pool").get(pool.name),
        memory_mib=None if memory is None else memory / _MIB,
    )


def _activity(pool: Pool, answers: Answers) -> Activity | None:
    names = ("sm sum", "sm count", "sm moments", "sm p95", "tensor p95", "dram p95", "memory used")
    found = [_by(answers[name], "pool").get(pool.name) for name in names]
    if pool.profile.operands_off or None in found or not found[1]:
        return None
    total, count, moments, sm, tensor, dram, memory = (value or 0.0 for value in found)
    held = _by(answers["held count"], "pool").get(pool.name, 0.0)
    return Activity(
        sm_mean=total / count,
        sm_p95=sm,
        tensor_p95=tensor,
        dram_p95=dram,
        memory_mib=memory,
        coverage=min(moments / held, 1.0) if held else 0.0,
    )


def _quotas(moments: float, answers: Answers) -> dict[tuple[str, str], QuotaUse]:
    near = {_quota_key(sample): sample.value for sample in answers["quota near"]}
    return {
        key: QuotaUse(peak=sample.value, near=min(near.get(key, 0.0) / moments, 1.0))
        for sample in answers["quota peak"]
        if all(key := _quota_key(sample))
    }


def _quota_key(sample: Sample) -> tuple[str, str]:
    return sample.labels.get("namespace", ""), sample.labels.get("resource", "").removeprefix(_QUOTA_PREFIX)


def _by(samples: Iterable[Sample], label: str) -> dict[str, float]:
    return {sample.labels[label]: sample.value for sample in samples if label in sample.labels}
