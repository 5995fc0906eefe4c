"""All metrics that a rule or a dashboard may use, with their labels after scraping.

Sources: kube-state-metrics docs/metrics (node, pod, namespace, resourcequota, horizontalpodautoscaler) and
customresourcestate-metrics; Karpenter v1.15 reference/metrics.md, pkg/metrics, pkg/cloudprovider/metrics and
pkg/controllers/metrics/nodepool; operatorpkg status/metrics.go; dcgm-exporter 4.8.3; Kubernetes metrics
reference (kubelet_image_pull_duration_seconds, ALPHA); /metrics of kube-apiserver 1.36.4. Read 2026-11-21.
CoreDNS plugin/metrics and kubernetes/dns cmd/node-cache/app/metrics.go. Read 2026-11-23.
vLLM, v1/metrics/loggers.py and v1/engine; Triton, docs/user_guide/metrics.md. Read 2026-11-23.
/metrics of two replicas of Kueue 0.18.3, and of a kube-apiserver whose calls of Kueue fail. Read 2026-11-23.
Kueue 0.19.2 has the same names and labels (its pkg/metrics/metrics.go, read 2026-11-29).
docs/decisions/0009-monitoring.md explains the labels that this platform chooses where exporters leave a choice.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ..catalog.dcgm_metrics import DCGM_FIELDS
from ..catalog.labels import TENANT_LABEL
from ..records import Record
from ..sharing import POOL_KEY, SHARED_GPU

INSTANCE_TYPE_LABEL = "node.kubernetes.io/instance-type"
CAPACITY_TYPE_LABEL = "karpenter.sh/capacity-type"
RESERVATION_LABEL = "karpenter.k8s.aws/capacity-reservation-id"
MIG_STATE_LABEL = "nvidia.com/mig.config.state"
NODE_LABELS = (POOL_KEY, INSTANCE_TYPE_LABEL, CAPACITY_TYPE_LABEL, RESERVATION_LABEL, MIG_STATE_LABEL)
"""Node labels that rules need; kube-state-metrics exports only the labels that its values list."""
NAMESPACE_LABELS = (TENANT_LABEL,)

DCGM_JOB = "nvidia-dcgm-exporter"
POD_NAMES_ENV = {
    # One series for each pod of a GPU that several pods share. Without it, the series name none of the pods.
    "KUBERNETES_VIRTUAL_GPUS": "true",
    # The exporter knows nvidia.com/gpu and the names of MIG profiles. It names the pods that hold a resource of
    # another name only if this variable lists the name.
    "NVIDIA_RESOURCE_NAMES": SHARED_GPU,
}
"""Environment by which dcgm-exporter names the pods that use shared GPUs."""


class Metric(Record):
    """The exporter of a metric and its labels, without the labels of the scrape target (job, instance)."""

    exporter: str
    labels: frozenset[str]


def sanitize_label(label: str) -> str:
    """Return the name that kube-state-metrics gives a Kubernetes label: ``label_gpu_blueprint_pool``."""
    return "label_" + sanitize_resource(label)


def sanitize_resource(resource: str) -> str:
    """Return the name that kube-state-metrics gives an extended resource: ``nvidia_com_gpu``."""
    return "".join(letter if letter.isalnum() else "_" for letter in resource)


def _list_metrics(exporter: str, **labels: str) -> dict[str, Metric]:
    """Build the metrics of an exporter from their names and their labels in one string."""
    return {name: Metric(exporter, frozenset(text.split())) for name, text in labels.items()}


_STATE = _list_metrics(
    "kube-state-metrics",
    kube_node_labels=f"node {' '.join(map(sanitize_label, NODE_LABELS))}",
    kube_namespace_labels=f"namespace {' '.join(map(sanitize_label, NAMESPACE_LABELS))}",
    kube_node_status_allocatable="node resource unit",
    kube_node_status_capacity="node resource unit",
    kube_node_status_condition="node condition status",
    kube_pod_container_resource_requests="namespace pod uid container node resource unit",
    kube_pod_init_container_resource_requests="namespace pod uid container node resource unit",
    kube_pod_init_container_info="namespace pod uid container restart_policy",
    kube_pod_init_container_status_running="namespace pod uid container",
    kube_pod_init_container_status_restarts_total="namespace pod uid container",
    kube_pod_status_phase="namespace pod uid phase",
    kube_pod_status_ready="namespace pod uid condition",
    kube_pod_owner="namespace pod uid owner_kind owner_name owner_is_controller",
    kube_pod_created="namespace pod uid",
    kube_job_created="namespace job_name",
    kube_job_owner="namespace job_name owner_kind owner_name owner_is_controller",
    kube_job_spec_parallelism="namespace job_name",
    kube_job_status_active="namespace job_name",
    kube_job_status_completion_time="namespace job_name",
    kube_job_status_succeeded="namespace job_name",
    kube_job_failed="namespace job_name condition",
    kube_resourcequota="namespace resourcequota resource type",
    kube_nodeoverlay_metadata_generation="nodeoverlay",
    kube_nodeoverlay_status_condition="nodeoverlay type",
    kube_scaledobject_status_condition="namespace scaledobject deployment type",
    kube_scaledobject_spec_min_replicas="namespace scaledobject deployment",
    kube_deployment_spec_replicas="namespace deployment",
    kube_deployment_status_replicas="namespace deployment",
    kube_deployment_status_replicas_ready="namespace deployment",
    kube_deployment_status_condition="namespace deployment condition status reason",
    kube_pod_container_status_restarts_total="namespace pod uid container",
    kube_horizontalpodautoscaler_info="namespace horizontalpodautoscaler scaletargetref_kind scaletargetref_name",
    kube_horizontalpodautoscaler_spec_min_replicas="namespace horizontalpodautoscaler",
    kube_horizontalpodautoscaler_spec_max_replicas="namespace horizontalpodautoscaler",
    kube_horizontalpodautoscaler_status_current_replicas="namespace horizontalpodautoscaler",
    kube_horizontalpodautoscaler_status_desired_replicas="namespace horizontalpodautoscaler",
)
_KARPENTER = _list_metrics(
    "karpenter",
    karpenter_build_info="version goversion goarch commit",
    karpenter_nodepools_usage="nodepool resource_type",
    karpenter_nodepools_limit="nodepool resource_type",
    karpenter_nodeclaims_created_total="nodepool reason min_values_relaxed",
    karpenter_nodeclaims_disrupted_total="nodepool reason capacity_type",
    karpenter_cloudprovider_errors_total="controller method provider error",
    operator_nodeclaim_status_condition_count="name type status reason",
    operator_nodeclaim_status_condition_transition_seconds_bucket="type status le",
    operator_ec2nodeclass_status_condition_count="name type status reason",
)
_KUBELET = _list_metrics(
    "kubelet",
    kubelet_image_pull_duration_seconds_bucket="node le image_size_in_bytes",
    kubelet_image_pull_duration_seconds_count="node image_size_in_bytes",
)
_API_SERVER = _list_metrics(
    "kube-apiserver",
    apiserver_validating_admission_policy_check_total="policy policy_binding enforcement_action error_type",
    apiserver_mutating_admission_policy_check_total="policy policy_binding error_type",
    apiserver_admission_webhook_rejection_count="name type operation error_type rejection_code",
)
_OF_QUEUE = "cluster_queue cohort flavor resource replica_role"
_KUEUE = _list_metrics(
    "kueue",
    kueue_cluster_queue_nominal_quota=_OF_QUEUE,
    kueue_cluster_queue_resource_usage=_OF_QUEUE,
    kueue_cluster_queue_resource_pending="cluster_queue resource replica_role",
    kueue_cohort_subtree_quota="cohort flavor resource replica_role",
    kueue_pending_workloads="cluster_queue status replica_role",
    kueue_admitted_workloads_total="cluster_queue priority_class replica_role",
    kueue_admission_wait_time_seconds_bucket="cluster_queue priority_class replica_role le",
    kueue_evicted_workloads_total="cluster_queue reason underlying_cause priority_class replica_role",
    leader_election_master_status="name",
)
_DEVICE = "gpu UUID device modelName node hostname namespace pod container pod_uid vgpu GPU_I_ID GPU_I_PROFILE"
_FURTHER = {"DCGM_EXP_XID_ERRORS_COUNT": " xid", "DCGM_EXP_CLOCK_EVENTS_COUNT": " clock_event"}
_DCGM = _list_metrics("dcgm-exporter", **{field.name: _DEVICE + _FURTHER.get(field.name, "") for field in DCGM_FIELDS})

_NODE_CACHE = _list_metrics(
    "node-local-dns",
    coredns_dns_responses_total="node server zone view rcode plugin",
    coredns_dns_response_rcode_count_total="node server zone rcode",
    coredns_nodecache_setup_errors_total="node errortype",
)

# The label job is chosen by the PodMonitor of a server: its namespace, a slash, and the Deployment of the server.
_OF_SERVER = "job namespace pod container"
_OF_VLLM = f"{_OF_SERVER} engine model_name"
_VLLM = _list_metrics(
    "vllm",
    **{
        "vllm:kv_cache_usage_perc": _OF_VLLM,
        "vllm:num_requests_running": _OF_VLLM,
        "vllm:num_requests_waiting": _OF_VLLM,
        "vllm:request_success_total": f"{_OF_VLLM} finished_reason",
        "vllm:generation_tokens_total": _OF_VLLM,
        "vllm:time_to_first_token_seconds_bucket": f"{_OF_VLLM} le",
        "vllm:request_queue_time_seconds_sum": _OF_VLLM,
        "vllm:request_queue_time_seconds_count": _OF_VLLM,
        "vllm:e2e_request_latency_seconds_sum": _OF_VLLM,
        "vllm:e2e_request_latency_seconds_count": _OF_VLLM,
    },
)
_OF_TRITON = f"{_OF_SERVER} model version"
_TRITON = _list_metrics(
    "triton",
    nv_inference_request_success=_OF_TRITON,
    nv_inference_request_failure=f"{_OF_TRITON} reason",
    nv_inference_pending_request_count=_OF_TRITON,
    nv_inference_request_duration_us=_OF_TRITON,
    nv_inference_queue_duration_us=_OF_TRITON,
)

_PROMETHEUS = _list_metrics(
    "prometheus",
    up="job instance node endpoint",
    ALERTS="alertname alertstate severity source",
    prometheus_rule_evaluation_failures_total="rule_group",
)

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        **_STATE,
        **_KARPENTER,
        **_KUBELET,
        **_API_SERVER,
        **_KUEUE,
        **_DCGM,
        **_NODE_CACHE,
        **_VLLM,
        **_TRITON,
        **_PROMETHEUS,
    }
)
"""Name → exporter and labels."""
