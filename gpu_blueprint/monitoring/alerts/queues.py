"""Alerts about queues: jobs that wait, tenants without their own grant, lost work, and Kueue itself."""

from ..facts import QUEUED, QUEUED_QUOTA
from ..queues import (
    BORROWED,
    CEILING,
    OWN,
    PENDING,
    SPENDING,
    USED,
    WAITING,
    WANTED_USD,
    count_events,
)
from ..recording import NAMESPACE, copy_label, count_new, select_requests
from ..rules import Heading
from .nodes import NO_CAPACITY

STANDSTILL = "4h"
"""Half a working day: a queue is there to wait in, yet at some time of a morning a job ends and the next job starts."""
OLD_JOB_SECONDS = 24 * 3600
"""A job that waits overnight is what queues are for. After a day, nights and mornings have passed without it."""
STARVED = "30m"
"""Reclaim stops borrowed work and hands over within a minute; with a new node and MIG, within a quarter of an hour."""
EVICTION_WINDOW = "2h"
"""Twice the longest pause of Kueue between two tries of a job, `backoffMaxSeconds`."""
MOST_PREEMPTIONS = 10
"""Preempted jobs of a tenant within an hour. A reclaim stops a few jobs once; more means jobs that displace each other
again and again."""

JOBS_WAIT = f"sum by (tenant) ({WAITING})"
_TIMEOUT, _PREEMPTED = 'reason="PodsReadyTimeout"', 'reason="Preempted"'
_EVICTED = "kueue_evicted_workloads_total"

_OWN_REST = f"min by (tenant, resource) ((({OWN} > 0) - {USED}) and on (pool) {QUEUED})"
"""Unused units of its own grant that a tenant has in each of its pools, whichever pool a job wants."""
_ONE_RESOURCE = f"count by (tenant) ({PENDING} > 0) == 1"
_JOB_SIZE = (
    f"(({PENDING} > 0) / on (tenant) group_left () ({JOBS_WAIT} and on (tenant) {_ONE_RESOURCE}) or {PENDING} > 0)"
)
"""Units of a waiting job: the mean, so that the smallest job is no larger. Where jobs wait for several resources, the
mean is unknown, and all waiting jobs of a resource count as one."""
_OVER_CEILING = f"({WANTED_USD} / on (tenant) {JOBS_WAIT} + on (tenant) {SPENDING} > on (tenant) {CEILING})"

_COMPLETED = "max by (namespace, job_name) (kube_job_status_completion_time)"
_ENDED = f'({_COMPLETED} or max by (namespace, job_name) (kube_job_failed{{condition="true"}} == 1))'
JOB_WAITS = (
    "(time() - max by (namespace, job_name) (kube_job_created)"
    " and on (namespace, job_name) max by (namespace, job_name) (kube_job_status_active) == 0"
    f" unless on (namespace, job_name) {_ENDED})"
    f' * on (namespace) group_left (tenant) {NAMESPACE}{{tenant!="none"}}'
)
"""Seconds since the creation of each job of a tenant that has no pods and has not ended."""
_PODS_OF_JOBS = copy_label('kube_pod_owner{owner_kind="Job"}', "job_name", "owner_name")
_WITH_GPUS = f"max by (namespace, job_name) ({_PODS_OF_JOBS} and on (namespace, pod) {select_requests()})"
_READY = (
    f"max by (namespace, job_name) ({_PODS_OF_JOBS}"
    ' and on (namespace, pod) (kube_pod_status_ready{condition="true"} == 1))'
)
NO_POD_READY = (
    "(max by (namespace, job_name) (kube_job_status_active) > 0"
    f" and on (namespace, job_name) {_WITH_GPUS} unless on (namespace, job_name) {_READY})"
    f' * on (namespace) group_left (tenant) {NAMESPACE}{{tenant!="none"}}'
)
"""Pods of each job of a tenant that has started, asks for GPUs, and has no pod that is ready."""
READY_WITHIN = "20m"
"""A node with MIG and a large image take a quarter of an hour; Kueue takes the job back after 30 minutes
(``queueing.readyTimeout``)."""
_HOOKS = "(m|v)(job|jobset|trainjob|rayjob|workload|clusterqueue|cohort|resourceflavor)[.]kb[.]io"
"""Names of Kueue's webhooks, of the kinds that the platform lets it hold."""
_REJECTED = f'apiserver_admission_webhook_rejection_count{{name=~"{_HOOKS}",error_type="calling_webhook_error"}}'

BUT_IN_QUEUES = {
    # Queues fill their pools by design, and jobs that wait there have alerts of their own.
    "GpuPoolAtCeiling": f"unless on (nodepool) {copy_label(QUEUED, 'nodepool', 'pool')}",
    # A tenant whose jobs use all that they may is at its quota, and Kueue holds its next job before it makes a pod.
    "GpuQuotaNearlyUsed": f"unless on (namespace, resource) {QUEUED_QUOTA}",
}
"""Alert → the part that leaves out what queues do by design, in stacks with queues."""

_READ = (
    "Read the reason of each waiting job: `kubectl get workloads -A`, then"
    " `kubectl describe workload -n NAMESPACE NAME`. docs/queues.md explains the messages."
)
_FRAGMENTS = (
    "If the pool is at `maxGpus` and its nodes have free GPUs, but none as many as a pod requests: end or move a small"
    " job, and give small jobs a pool of their own; docs/queues.md, Free GPUs in fragments."
)
_SHARES = "See who holds the pool: `blueprint explain STACK {{ $labels.tenant }}`, and the dashboard GPU queues."

_QUEUES = Heading("Queues")
QUEUE_ALERTS = (
    _QUEUES.warning(
        name="QueueStandsStill",
        expr=f"({JOBS_WAIT} > 0) unless on (tenant) ({count_events('kueue_admitted_workloads_total', '15m')} > 0)",
        hold_for=STANDSTILL,
        summary="{{ $value }} jobs of tenant {{ $labels.tenant }} wait, and no job of the tenant has started for four"
        " hours",
        impact="The team cannot work. AWS bills nothing for a waiting job.",
        steps=(
            _READ,
            _SHARES,
            "If other teams hold the GPUs by right: grant the tenant more, raise `maxGpus`, or raise the weight of its"
            " queue, which divides idle GPUs.",
            "If the queue's `order` is `strict`, a large job at its head holds back all others: make it smaller, or"
            " delete it.",
        ),
    ),
    _QUEUES.warning(
        name="QueuedJobOld",
        expr=f"({JOB_WAITS}) > {OLD_JOB_SECONDS}",
        hold_for="1h",
        summary="Job {{ $labels.namespace }}/{{ $labels.job_name }} of tenant {{ $labels.tenant }} was created"
        " {{ $value | humanizeDuration }} ago and does not run",
        impact="Nobody knows whether it will ever run: a job larger than all that its tenant may hold waits for ever,"
        " and smaller jobs pass a large job.",
        steps=(
            "Read the reason: `kubectl describe job -n {{ $labels.namespace }} {{ $labels.job_name }}`, and"
            " `kubectl get workloads -n {{ $labels.namespace }}`.",
            "If the reason says `maximum capacity`: the job requests more than the tenant may hold."
            " `blueprint explain STACK {{ $labels.tenant }}` shows the most; make the job smaller, or raise the grant.",
            "If smaller jobs pass it: set `queueing.order: strict`.",
            "If nobody needs it: `kubectl delete job -n {{ $labels.namespace }} {{ $labels.job_name }}`.",
        ),
    ),
    _QUEUES.warning(
        name="TenantStarves",
        # After an eviction a job waits out its pause by design, and QueueCapacityMissing has fired.
        expr=f"({_OWN_REST} >= on (tenant, resource) {_JOB_SIZE})"
        f" unless on (tenant) ({count_events(_EVICTED, EVICTION_WINDOW, _TIMEOUT)} > 0)"
        f" unless on (tenant) {_OVER_CEILING}",
        hold_for=STARVED,
        summary="Tenant {{ $labels.tenant }} waits for {{ $labels.resource }} although {{ $value }} units of its own"
        " grant are unused",
        impact="The grant is a promise that the queue does not keep: borrowed GPUs do not come back, or the queue does"
        " not see the job.",
        steps=(
            _READ,
            "See who borrows: `sum by (tenant, pool) (" + BORROWED + ")`. Kueue stops borrowers at once; if their pods"
            " end slowly, lower `terminationGracePeriodSeconds`.",
            "Check that the queue is active: `kubectl describe clusterqueue {{ $labels.tenant }}`.",
            "If nothing blocks it, restart Kueue; running jobs go on:"
            " `kubectl rollout restart deploy -n kueue-system kueue-controller-manager`.",
        ),
    ),
    _QUEUES.warning(
        name="StartedJobNotReady",
        expr=NO_POD_READY,
        hold_for=READY_WITHIN,
        summary="Job {{ $labels.namespace }}/{{ $labels.job_name }} of tenant {{ $labels.tenant }} was started 20"
        " minutes ago, and none of its {{ $value }} pods is ready",
        impact="The queue counts GPUs as the job's that nobody uses, and other jobs wait for them. Nodes that have"
        " started for it are paid for.",
        steps=(
            "Read why: `kubectl get pods -n {{ $labels.namespace }} -l job-name={{ $labels.job_name }} -o wide`, and"
            " `kubectl describe pod` of one of them.",
            "If no node has room: pods that hang in Terminating may hold the GPUs, on a node whose kubelet does not"
            " answer; `kubectl get pods -A -o wide` shows both. Kueue counts their GPUs as free, and they count against"
            " `maxGpus` of the pool: replace that node, as in the runbook of NodeNotReady.",
            _FRAGMENTS,
            "If pods still load images: GpuImagePullSlow. Otherwise Kueue takes the job back after"
            " `queueing.readyTimeout`, and tries it again (QueueCapacityMissing).",
        ),
    ),
    _QUEUES.warning(
        name="QueueCapacityMissing",
        expr=f"{count_events(_EVICTED, '1h', _TIMEOUT)} > 0",
        summary="Kueue took back {{ $value | humanize }} started jobs of tenant {{ $labels.tenant }} within an hour:"
        " their pods were not ready in time",
        impact="The jobs wait again and are tried again, for ever. While a job is tried, it holds GPUs that other jobs"
        " could use, and its nodes are paid for.",
        steps=(
            "Read why pods were not ready: `kubectl get events -A --field-selector reason=FailedScheduling`.",
            f"{NO_CAPACITY}: add instance types, zones or on-demand to the pool.",
            _FRAGMENTS,
            "If nodes started and pods were still loading: raise `queueing.readyTimeout`, or make images smaller"
            " (GpuImagePullSlow).",
            "If a container crashes, the team must repair the job:"
            " `kubectl get pods -A --field-selector status.phase=Failed`.",
        ),
    ),
    _QUEUES.warning(
        name="QueuePreemptionsFrequent",
        expr=f"{count_events(_EVICTED, '1h', _PREEMPTED)} > {MOST_PREEMPTIONS}",
        summary="Kueue stopped {{ $value | humanize }} jobs of tenant {{ $labels.tenant }} within an hour to make room",
        impact="Each stopped job loses the work since its last checkpoint, and starts again from the queue.",
        steps=(
            _SHARES,
            "If jobs on borrowed GPUs are stopped again and again: limit `queue.borrow` of the tenant, or grant it what"
            " it uses.",
            "Read who stops them: `kubectl get workloads -n NAMESPACE -o custom-columns='JOB:.metadata.ownerReferences"
            '[0].name,WHY:.status.conditions[?(@.type=="Preempted")].message\'`.',
            "If jobs of the tenant stop each other (`prioritization in the ClusterQueue`): give classes of priority to"
            " few jobs (`kueue.x-k8s.io/priority-class`).",
            "If one job is stopped again and again and the job that stops it does not start, Kueue undoes its own"
            " decision: delete the waiting job, and set `queueing.fair: false` until Kueue is mended.",
            "Let jobs save checkpoints and carry the class `checkpointed`, which gives way first.",
        ),
    ),
    _QUEUES.critical(
        name="KueueDown",
        expr='absent(leader_election_master_status{name=~".+[.]kueue[.]x-k8s[.]io"} == 1)',
        hold_for="5m",
        summary="Prometheus sees no Kueue that leads: it does not run, or it is not scraped",
        impact="If Kueue does not run, no job starts, and new jobs of tenants are refused (`failed calling webhook`)."
        " Services, pods and running jobs go on. A deleted namespace ends only when Kueue is back, because the API"
        " server cannot list Kueue's kinds.",
        steps=(
            "Check its pods: `kubectl get pods -n kueue-system`, and their logs:"
            " `kubectl logs -n kueue-system -l control-plane=controller-manager --tail=100`.",
            "If Kueue runs: check the targets of the ServiceMonitor gpu-blueprint-kueue in Prometheus. 401 or 403 means"
            " that Prometheus may not read `/metrics`: docs/own-prometheus.md.",
            "New jobs are accepted as soon as Kueue is back; nothing has to be repeated but refused requests.",
        ),
    ),
    _QUEUES.warning(
        name="KueueWebhookFails",
        expr=f"sum by (name) ({count_new(_REJECTED, '15m')}) > 0",
        hold_for="5m",
        summary="The API server cannot reach Kueue's webhook {{ $labels.name }}: {{ $value | humanize }} requests were"
        " refused within 15 minutes",
        impact="Jobs of tenants, or changes of queues, are refused. Services, pods and running jobs go on.",
        steps=(
            "If KueueDown fires too, start there.",
            "If Kueue runs: check that the webhook's Service has addresses,"
            " `kubectl get endpointslices -n kueue-system`, and that a NetworkPolicy admits the API server to port"
            " 9443.",
            "If the message of a refused job speaks of a certificate: restart Kueue, which writes a new certificate:"
            " `kubectl rollout restart deploy -n kueue-system kueue-controller-manager`.",
        ),
    ),
)
