"""Queues: what each tenant owns, borrows and lends, who waits, and for how long."""

from ..alerts.queues import JOB_WAITS
from ..queues import (
    BORROWED,
    CEILING,
    FREE,
    LENT,
    OWN,
    PENDING,
    SPENDING,
    TOTAL,
    USED,
    WAIT,
    WAITING,
)
from ..recording import count_new
from .panels import PERCENT, Dashboard, Query, Row, areas, bars, lines, number, table
from .queries import POOL, POOLS, TENANT, TENANTS

_CHOSEN = f"{{{TENANTS},{POOLS}}}"
# The ClusterQueue has the name of its tenant.
_STOPPED = 'kueue_evicted_workloads_total{cluster_queue=~"$tenant"}'
_OLDEST = f"(({JOB_WAITS}) and on (tenant) {WAITING}{{{TENANTS}}})"


def _add(series: str, by: str) -> str:
    return f"sum by ({by}) ({series}{_CHOSEN})"


_NOW = (
    number(
        "Jobs waiting",
        "Jobs that Kueue holds until their GPUs are free. Waiting costs nothing; the table below lists the jobs.",
        f"sum({WAITING}{{{TENANTS}}}) or vector(0)",
        width=5,
    ),
    number(
        "Wait until start",
        "95 % of the jobs that started in the last six hours waited no longer, the worst of the chosen tenants. If it"
        " grows from week to week, the pools are too small for their teams.",
        f"max({WAIT}{{{TENANTS}}})",
        unit="s",
        thresholds=((3600, "orange"), (14400, "red")),
        width=5,
        no_value="no start",
    ),
    number(
        "Free for jobs",
        "Units of the chosen pools that no started job holds. Free units beside waiting jobs: the jobs are larger, want"
        " another pool, or may not borrow.",
        Query(f"sum by (pool, resource) ({FREE}{{{POOLS}}})", "{{pool}} {{resource}}"),
        width=14,
    ),
)
_SHARES = (
    table(
        "Tenants",
        "Grant, units in use, and units borrowed from or lent to others, in each pool. A tenant that always borrows"
        " needs a larger grant; a tenant that always lends holds more than it needs.",
        Query(_add(USED, "tenant, pool, resource"), "used"),
        Query(_add(OWN, "tenant, pool, resource"), "own"),
        Query(_add(BORROWED, "tenant, pool, resource"), "borrowed"),
        Query(_add(LENT, "tenant, pool, resource"), "lent"),
        width=24,
    ),
    areas(
        "Used, by tenant",
        "Units that started jobs hold, and units that nobody holds.",
        Query(_add(USED, "tenant"), "{{tenant}}"),
        Query(f"sum({FREE}{{{POOLS}}})", "free"),
        width=8,
    ),
    areas(
        "Borrowed, by tenant",
        "Units beyond the own grant. They go back as soon as their owner wants them: jobs there need checkpoints.",
        Query(_add(BORROWED, "tenant"), "{{tenant}}"),
        width=8,
    ),
    areas(
        "Lent, by tenant",
        "Unused units of the own grant that others hold; where several tenants lend, in proportion.",
        Query(_add(LENT, "tenant"), "{{tenant}}"),
        width=8,
    ),
    lines(
        "Pools used",
        "Share of a pool that started jobs hold. At 100 % with waiting jobs the queue does its work: raise `maxGpus` if"
        " the wait is too long.",
        Query(f"1 - {FREE}{{{POOLS}}} / on (pool, resource) ({TOTAL} > 0)", "{{pool}} {{resource}}"),
        unit="percentunit",
        maximum=1,
    ),
    lines(
        "Hourly ceiling used",
        "Share of a tenant's `hourlyCeiling` that its started jobs count, idle or not. At 100 % its next job waits,"
        " though GPUs may be free.",
        Query(f"{SPENDING}{{{TENANTS}}} / on (tenant) ({CEILING} > 0)", "{{tenant}}"),
        unit="percentunit",
        thresholds=PERCENT,
        maximum=1,
        no_value="no ceiling",
    ),
)
_WAITS = (
    areas(
        "Waiting jobs, by tenant",
        "Jobs that Kueue holds. If a line never falls to zero, the tenant lacks GPUs, or a job is too large.",
        Query(f"sum by (tenant) ({WAITING}{{{TENANTS}}})", "{{tenant}}"),
        width=8,
    ),
    areas(
        "Units that waiting jobs want",
        "By tenant and resource. Far more than the pool has: the wait will be long whatever the weights.",
        Query(f"{PENDING}{{{TENANTS}}}", "{{tenant}} {{resource}}"),
        width=8,
    ),
    lines(
        "Wait until start, by tenant",
        "Within this time 95 % of the jobs of the last six hours started. Tenants far apart: compare weights and"
        " grants.",
        Query(f"{WAIT}{{{TENANTS}}}", "{{tenant}}"),
        unit="s",
        width=8,
        no_value="no start",
    ),
    bars(
        "Stopped jobs per hour, by tenant and reason",
        "Preempted: others took back what was theirs. PodsReadyTimeout: the pods were not ready in time, for example"
        " because AWS has no capacity.",
        Query(f"sum by (cluster_queue, reason) ({count_new(_STOPPED, '1h')})", "{{cluster_queue}} {{reason}}"),
        no_value="none",
    ),
    table(
        "Jobs without pods",
        "Time since the creation of each job that does not run, a job that was stopped included. `kubectl describe job`"
        " shows Kueue's reason.",
        Query(_OLDEST, "created ago", unit="s"),
        no_value="none",
    ),
)

QUEUES = Dashboard(
    uid="gpu-queues",
    title="GPU queues",
    about="Shares of the tenants in the queued pools, and the jobs that wait.",
    variables=(TENANT, POOL),
    rows=(Row("Now", _NOW), Row("Shares, in units of the stack file", _SHARES), Row("Waiting", _WAITS)),
)
