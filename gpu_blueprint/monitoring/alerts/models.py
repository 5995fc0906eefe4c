"""Alerts about models that the platform serves, beside the alerts about everything that KEDA scales."""

from ...catalog import namespaces
from ..facts import MODEL
from ..recording import copy_label, count_new
from ..rules import Heading
from ..scaling import RANDOM

_OF_MODEL = f"and on (namespace, deployment) {MODEL}"
"""Keeps the Deployments of models."""
NEARLY_FULL = 0.95
"""Share of the KV cache above which the next sequence displaces another."""
MOST_RESTARTS = 3
"""Restarts of a model's servers within an hour: a node that goes takes its pods along and restarts none."""
OPENING_SECONDS = 2 * 3600
"""Age of an opening of a pool below which its failure counts: it repeats every hour of the pool's day."""

_READY = "max by (namespace, deployment) (kube_deployment_status_replicas_ready)"
_STANDS_STILL = (
    'max by (namespace, deployment) (kube_deployment_status_condition{condition="Progressing",status="false"}) == 1'
)
# The job of a PodMonitor is its namespace and its name, and a model's monitor has the name of its Deployment.
_CACHE = f"avg by (namespace, deployment) ({copy_label('vllm:kv_cache_usage_perc', 'deployment', 'job', '[^/]+/(.+)')})"
_RESTARTS = copy_label(
    count_new("kube_pod_container_status_restarts_total", "1h"), "deployment", "pod", f"(.+)-{RANDOM}+-{RANDOM}{{5}}"
)
# The close of a pool sets this limit to 0, and the opening removes it (docs/decisions/0007-hours.md). Karpenter exports
# the limits that a NodePool has now: pkg/controllers/metrics/nodepool.
_CLOSED = copy_label('karpenter_nodepools_limit{resource_type="cpu"} == 0', "pool", "nodepool")
_FAILED_OPENINGS = (
    f'kube_job_failed{{namespace="{namespaces.KUBE_SYSTEM}",job_name=~"hours-open-.+",condition="true"}} == 1'
    f" and on (namespace, job_name) time() - kube_job_created < {OPENING_SECONDS}"
)
_NOT_OPENED = copy_label(f"({_FAILED_OPENINGS})", "pool", "job_name", "hours-open-(.+)-[0-9]+")
_SHOULD_ANSWER = f"({MODEL} > 0 unless on (pool) ({_CLOSED} unless on (pool) {_NOT_OPENED}))"
"""Versions that should have a replica now: of a pool with hours while it is open, or has failed to open."""
_WHO = "{{ $labels.namespace }}/{{ $labels.deployment }}"
_PODS = "`kubectl get pods -n {{ $labels.namespace }} -l app.kubernetes.io/instance={{ $labels.deployment }}`"
_ON_DEPLOYMENT = "-n {{ $labels.namespace }} deployment/{{ $labels.deployment }}"

_MODELS = Heading("Models")
MODEL_ALERTS = (
    _MODELS.critical(
        name="ModelNotReady",
        # A model that may have no replica is asleep, and not broken.
        expr=f"({_READY} == 0) and on (namespace, deployment) {_SHOULD_ANSWER}",
        hold_for="15m",
        summary=f"No replica of model {_WHO} has been ready for 15 minutes",
        impact="Every request to this version of the model fails.",
        steps=(
            f"See where its pods are: {_PODS}.",
            "If they are Pending: read the runbook of ServicePodsPending. If there are none: ServicePodsRefused.",
            "If they are Pending because their pool has not opened (`hours`): see the failed Job of its opening,"
            " `kubectl get jobs -n kube-system`. docs/decisions/0007-hours.md opens a pool by hand.",
            f"If they restart: `kubectl logs {_ON_DEPLOYMENT} --previous` tells why; a wrong path of the weights, too"
            " little memory for `maxModelLen` and a missing right to read the storage end a server at its start.",
            "If they load for longer than `blueprint explain STACK MODEL` says: compare the source of the weights with"
            " its throughput.",
            "If an edit of the stack file broke it: undo the edit, and try it as `next` beside the old version.",
        ),
    ),
    _MODELS.warning(
        name="ModelRolloutStandsStill",
        expr=f"({_STANDS_STILL}) {_OF_MODEL}",
        summary=f"The rollout of model {_WHO} has made no progress within its deadline",
        impact="The model runs with replicas of the old and the new settings, and with fewer than its load asks for.",
        steps=(
            f"See which pods are new and what they wait for: {_PODS}.",
            "If the new pods are Pending: the pool or the quota is full; read the runbook of ServicePodsPending.",
            f"If the new pods restart: `kubectl logs {_ON_DEPLOYMENT} --previous` tells why. Undo the edit of the stack"
            " file.",
        ),
    ),
    _MODELS.warning(
        name="ModelCacheFull",
        expr=f"({_CACHE} > {NEARLY_FULL}) {_OF_MODEL}",
        hold_for="30m",
        summary=f"The replicas of model {_WHO} have used {{{{ $value | humanizePercentage }}}} of their KV cache for"
        " half an hour",
        impact="Sequences displace each other and are computed again: answers are slow, and GPUs work twice.",
        steps=(
            "If the autoscaler has reached its maximum, ServiceAtMostReplicas fires: raise `replicas.max`.",
            "If it has not: lower `perReplica` of the signal `queue`, so that replicas come earlier.",
            "Let a replica hold more: `kvCacheDtype: fp8`, a `quantization`, a lower `maxModelLen`, or a pool with more"
            " memory per GPU. `blueprint explain STACK MODEL` shows how many sequences fit.",
        ),
    ),
    _MODELS.warning(
        name="ModelRestarts",
        expr=f"(sum by (namespace, deployment) ({_RESTARTS}) > {MOST_RESTARTS}) {_OF_MODEL}",
        summary=f"The servers of model {_WHO} have restarted {{{{ $value | humanize }}}} times within an hour",
        impact="Each restart breaks off the requests of a replica, and the replica loads its weights again.",
        steps=(
            f"Read the last words of a server: `kubectl logs {_ON_DEPLOYMENT} --previous`.",
            "If the reason is `OOMKilled` (`kubectl describe pod`): the container needs more memory; raise `podSize` of"
            " the pool, or take larger nodes.",
            "If the log says `CUDA out of memory`: lower `gpuMemoryUtilization` or `maxNumSeqs`.",
            "If the events say `Liveness probe failed`: the server hangs; look for Xid errors of its GPU, and for a"
            " newer image.",
        ),
    ),
)
