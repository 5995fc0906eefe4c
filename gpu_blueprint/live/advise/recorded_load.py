"""A load for `replay` from the metrics of a running stack: the pods that held GPUs, with their requests and use."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from ...config import Pool, StackConfig
from ...errors import MetricsError
from ...monitoring.recording import ON_A_NODE, ON_POOL, UNITS, select_requests
from ...replay.cells import count_from_monday
from ...replay.jobs import DAY_S, Job, Load, Stretch
from ...replay.load_file import MOST_JOBS
from ...sharing import Exclusive
from .failures import FORWARD
from .measure import find_cluster_label
from .prometheus import Prometheus, Sample
from .queries import DEVICE_LABELS, MEMORY, SM, Sampling, select_cluster, select_held

_MIB, _GIB, _MINUTE_S = 1024, 2**30, 60


class PodKey(NamedTuple):
    """A pod in a pool."""

    namespace: str
    pod: str
    pool: str


Values = Mapping[PodKey, float]


def read_recorded_load(
    server: Prometheus, stack: StackConfig, days: int, cluster: str | None, now: datetime | None = None
) -> Load:
    """Return the pods that held GPUs, in a window that ends now, as a load.

    Args:
        server: The Prometheus of the stack.
        stack: The stack that ran.
        days: Days of the window.
        cluster: Value of the label ``cluster``, if it is not the cluster's name.
        now: The end of the window; None for the present time.

    Raises:
        MetricsError: The server did not answer, or knows no pod with GPUs, or more pods than a load may have.
        UsageError: The series belong to another cluster.
    """
    sampling = Sampling(days)
    label = find_cluster_label(server, stack, sampling, cluster)

    def ask(expr: str) -> Values:
        return dict(_read_pods(server.query(select_cluster(expr, label) if label else expr)))

    answers = {name: ask(expr) for name, expr in write_pod_queries(sampling).items()}
    time = f"{days} day{'' if days == 1 else 's'}"
    begin = (now or datetime.now(UTC)) - timedelta(days=days)
    pools = stack.gpu_pools_by_name
    jobs = [_build_job(key, pools[key.pool], answers, begin, sampling) for key in answers["units"] if key.pool in pools]
    if not jobs:
        raise MetricsError(f"{server.url}: no pod held GPUs of {stack.cluster_name} in {time} ({FORWARD})")
    if len(jobs) > MOST_JOBS:
        raise MetricsError(f"{server.url}: {len(jobs):,} pods, and a load has at most {MOST_JOBS:,}; take fewer days")
    ordered = sorted((job for job in jobs if job.submit_s < days * DAY_S), key=lambda job: (job.submit_s, job.name))
    local = begin.astimezone(ZoneInfo(stack.timezone)).replace(tzinfo=None)
    stretch = Stretch(tuple(ordered), count_from_monday(local), days * DAY_S)
    method = f"pods that held GPUs of {stack.cluster_name} in {time} of metrics"
    return Load(name=stack.cluster_name, stretches=(stretch,), method=method, file=server.url)


def write_pod_queries(sampling: Sampling) -> Mapping[str, str]:
    """Return name → query; each query returns one value for each pod and its pool."""
    held = f"sum by (namespace, pod, pool) ({UNITS})"
    active = f"avg by (namespace, pod, pool) (max by ({DEVICE_LABELS}, namespace, pod) ({select_held(SM)}))"
    memory = f"max by (namespace, pod, pool) ({select_held(MEMORY)})"
    return {
        "units": sampling.over("max", held),
        "begin": sampling.over("min", f"timestamp({held})"),
        "end": sampling.over("max", f"timestamp({held})"),
        "active": sampling.over("avg", active),
        "memory used": sampling.over("max", memory),
        "cpu": sampling.over("max", _sum_requests("cpu")),
        "memory": sampling.over("max", _sum_requests("memory")),
    }


def _sum_requests(resource: str) -> str:
    of = f'resource="{resource}"'
    asked = f"sum by (namespace, pod, node) ({select_requests(ON_A_NODE, of=of)})"
    return f"sum by (namespace, pod, pool) (({asked} and on (namespace, pod) {UNITS}) {ON_POOL})"


def _read_pods(samples: list[Sample]) -> Iterator[tuple[PodKey, float]]:
    for sample in samples:
        key = PodKey(*(sample.labels.get(label, "") for label in PodKey._fields))
        if all(key):
            yield key, sample.value


def _build_job(key: PodKey, pool: Pool, answers: Mapping[str, Values], begin: datetime, sampling: Sampling) -> Job:
    """Return a pod as a job. On a shared GPU, its use is unknown: the metrics show the activity of all pods."""

    def read(name: str, convert: Callable[[float], float]) -> float | None:
        value = answers[name].get(key)
        return None if value is None else convert(value)

    is_whole = isinstance(pool.sharing, Exclusive)
    used = read("active", lambda share: min(share, 1.0)) if is_whole else None
    first, last = (answers[name].get(key, begin.timestamp()) for name in ("begin", "end"))
    return Job(
        name=f"{key.namespace}/{key.pod}",
        purpose=pool.purpose,
        pool=pool.name,
        submit_s=max(first - begin.timestamp(), 0.0),
        duration_s=last - first + sampling.step * _MINUTE_S,
        gpus=max(round(answers["units"][key]), 1) if is_whole else 1,
        used=used,
        gpu=pool.model.name if used is not None else None,
        gpu_memory_gib=read("memory used", lambda mib: mib / _MIB) if is_whole else None,
        cpu=read("cpu", float),
        memory_gib=read("memory", lambda amount: amount / _GIB),
    )
