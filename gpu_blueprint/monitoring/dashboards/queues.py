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
from .panels import PERCENT, Dashboard, Panel, Query, Row
from .queries import POOL, POOLS, TENANT, TENANTS

_CHOSEN = f"{{{TENANTS},{POOLS}}}"
# The ClusterQueue has the name of its tenant.
_STOPPED = 'kueue_evicted_workloads_total{cluster_queue=~"$tenant"}'
_OLDEST = f"(({JOB_WAITS}) and on (tenant) {WAITING}{{{TENANTS}}})"


def _add(series: str, by: str) -> str:
    return f"sum by ({by}) ({series}{_CHOSEN})"


_NOW = Row(
    "Now",
    (
        Panel(
            title="Jobs waiting",
            about="Jobs that Kueue holds until their GPUs are free. Waiting costs nothing; the table below lists the"
            " jobs.",
            kind="number",
            queries=(Query(expr=f"sum({WAITING}{{{TENANTS}}}) or vector(0)"),),
            width=5,
            height=4,
        ),
        Panel(
            title="Wait until start",
            about="95 % of the jobs that started in the last six hours waited no longer, the worst of the chosen"
            " tenants. If it grows from week to week, the pools are too small for their teams.",
            kind="number",
            queries=(Query(expr=f"max({WAIT}{{{TENANTS}}})"),),
            unit="s",
            thresholds=((3600, "orange"), (14400, "red")),
            width=5,
            height=4,
            no_value="no start",
        ),
        Panel(
            title="Free for jobs",
            about="Units of the chosen pools that no started job holds. Free units beside waiting jobs: the jobs are"
            " larger, want another pool, or may not borrow.",
            kind="number",
            queries=(Query(expr=f"sum by (pool, resource) ({FREE}{{{POOLS}}})", legend="{{pool}} {{resource}}"),),
            width=14,
            height=4,
        ),
    ),
)
_SHARES = Row(
    "Shares, in units of the stack file",
    (
        Panel(
            title="Tenants",
            about="Grant, units in use, and units borrowed from or lent to others, in each pool. A tenant that always"
            " borrows needs a larger grant; a tenant that always lends holds more than it needs.",
            kind="table",
            queries=(
                Query(expr=_add(USED, "tenant, pool, resource"), legend="used"),
                Query(expr=_add(OWN, "tenant, pool, resource"), legend="own"),
                Query(expr=_add(BORROWED, "tenant, pool, resource"), legend="borrowed"),
                Query(expr=_add(LENT, "tenant, pool, resource"), legend="lent"),
            ),
            width=24,
        ),
        Panel(
            title="Used, by tenant",
            about="Units that started jobs hold, and units that nobody holds.",
            kind="areas",
            queries=(
                Query(expr=_add(USED, "tenant"), legend="{{tenant}}"),
                Query(expr=f"sum({FREE}{{{POOLS}}})", legend="free"),
            ),
            width=8,
        ),
        Panel(
            title="Borrowed, by tenant",
            about="Units beyond the own grant. They go back as soon as their owner wants them: jobs there need"
            " checkpoints.",
            kind="areas",
            queries=(Query(expr=_add(BORROWED, "tenant"), legend="{{tenant}}"),),
            width=8,
        ),
        Panel(
            title="Lent, by tenant",
            about="Unused units of the own grant that others hold; where several tenants lend, in proportion.",
            kind="areas",
            queries=(Query(expr=_add(LENT, "tenant"), legend="{{tenant}}"),),
            width=8,
        ),
        Panel(
            title="Pools used",
            about="Share of a pool that started jobs hold. At 100 % with waiting jobs the queue does its work: raise"
            " `maxGpus` if the wait is too long.",
            kind="lines",
            queries=(
                Query(
                    expr=f"1 - {FREE}{{{POOLS}}} / on (pool, resource) ({TOTAL} > 0)", legend="{{pool}} {{resource}}"
                ),
            ),
            unit="percentunit",
            maximum=1,
        ),
        Panel(
            title="Hourly ceiling used",
            about="Share of a tenant's `hourlyCeiling` that its started jobs count, idle or not. At 100 % its next job"
            " waits, though GPUs may be free.",
            kind="lines",
            queries=(
                Query(
                    expr=f"{SPENDING}{{{TENANTS}}} / on (tenant) ({CEILING} > 0)",
                    legend="{{tenant}}",
                ),
            ),
            unit="percentunit",
            thresholds=PERCENT,
            maximum=1,
            no_value="no ceiling",
        ),
    ),
)
_WAITS = Row(
    "Waiting",
    (
        Panel(
            title="Waiting jobs, by tenant",
            about="Jobs that Kueue holds. If a line never falls to zero, the tenant lacks GPUs, or a job is too large.",
            kind="areas",
            queries=(Query(expr=f"sum by (tenant) ({WAITING}{{{TENANTS}}})", legend="{{tenant}}"),),
            width=8,
        ),
        Panel(
            title="Units that waiting jobs want",
            about="By tenant and resource. Far more than the pool has: the wait will be long whatever the weights.",
            kind="areas",
            queries=(Query(expr=f"{PENDING}{{{TENANTS}}}", legend="{{tenant}} {{resource}}"),),
            width=8,
        ),
        Panel(
            title="Wait until start, by tenant",
            about="Within this time 95 % of the jobs of the last six hours started. Tenants far apart: compare weights"
            " and grants.",
            kind="lines",
            queries=(Query(expr=f"{WAIT}{{{TENANTS}}}", legend="{{tenant}}"),),
            unit="s",
            width=8,
            no_value="no start",
        ),
        Panel(
            title="Stopped jobs per hour, by tenant and reason",
            about="Preempted: others took back what was theirs. PodsReadyTimeout: the pods were not ready in time, for"
            " example because AWS has no capacity.",
            kind="bars",
            queries=(
                Query(
                    expr=f"sum by (cluster_queue, reason) ({count_new(_STOPPED, '1h')})",
                    legend="{{cluster_queue}} {{reason}}",
                ),
            ),
            no_value="none",
        ),
        Panel(
            title="Jobs without pods",
            about="Time since the creation of each job that does not run, a job that was stopped included."
            " `kubectl describe job` shows Kueue's reason.",
            kind="table",
            queries=(Query(expr=_OLDEST, legend="created ago", unit="s"),),
            no_value="none",
        ),
    ),
)

QUEUES = Dashboard(
    uid="gpu-queues",
    title="GPU queues",
    about="Shares of the tenants in the queued pools, and the jobs that wait.",
    variables=(TENANT, POOL),
    rows=(_NOW, _SHARES, _WAITS),
)
