"""Alerts about the monitoring itself. If its series are missing, all other alerts stay silent."""

from ..metrics import DCGM_JOB
from ..recording import GPU_NODE
from ..rules import Alert

WATCH_ALERTS = (
    Alert(
        name="DcgmExporterDown",
        subject="Monitoring itself",
        severity="critical",
        expr=f'{GPU_NODE} unless on (node) (up{{job="{DCGM_JOB}"}} == 1)',
        wait="15m",
        summary="The GPUs of node {{ $labels.node }} (pool {{ $labels.pool }}) are not measured:"
        " dcgm-exporter does not answer",
        costs="Nobody sees faults and idle GPUs of the node.",
        steps=(
            "Check that an exporter pod runs on the node and is ready:"
            " `kubectl get pods -A -l app=nvidia-dcgm-exporter -o wide`.",
            "If an AL2023 node has no exporter pod: it lacks the label `nvidia.com/gpu.deploy.dcgm-exporter`;"
            " read the log of the GPU operator. On Bottlerocket the exporter runs in the namespace `monitoring`.",
            "If the pod restarts: its log names the field that it cannot watch,"
            " or the DCGM engine that it cannot reach.",
        ),
    ),
    Alert(
        name="KubeStateMetricsMissing",
        subject="Monitoring itself",
        severity="critical",
        expr="absent(kube_node_labels)"
        ' or count(kube_horizontalpodautoscaler_info{horizontalpodautoscaler=~"keda-hpa-.+"}) > 0'
        " and absent(kube_scaledobject_spec_min_replicas)",
        wait="10m",
        summary="kube-state-metrics exports no node labels, or no state of KEDA's ScaledObjects",
        costs="Without node labels, series have no pool and no tenant: allocation, waste and most alerts do not work."
        " Without ScaledObjects, ServiceNotMeasured and ServiceBelowMinimum cannot fire.",
        steps=(
            "Check that it runs: `kubectl get pods -A -l app.kubernetes.io/name=kube-state-metrics`.",
            "With your own Prometheus: give kube-state-metrics the values of docs/own-prometheus.md.",
        ),
    ),
    Alert(
        name="KarpenterMissing",
        subject="Monitoring itself",
        severity="critical",
        expr="absent(karpenter_build_info)",
        wait="10m",
        summary="Prometheus sees no Karpenter: it does not run, or it is not scraped",
        costs="If Karpenter does not run, no node starts or stops, and interrupted spot nodes are not drained.",
        steps=(
            "Check its pods: `kubectl get pods -n kube-system -l app.kubernetes.io/name=karpenter`, and their logs:"
            " `kubectl logs -n kube-system -l app.kubernetes.io/name=karpenter --tail=100`.",
            "If Karpenter runs: check the targets of the ServiceMonitor karpenter in Prometheus.",
        ),
    ),
)
