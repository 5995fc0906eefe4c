"""Alerts about the eyes themselves: without these series every other alert stays silent."""

from ..facts import PER_DEVICE
from ..metrics import DCGM_JOB
from ..recording import NODE
from ..rules import Alert

WATCH_ALERTS = (
    Alert(
        name="DcgmExporterDown",
        subject="Monitoring itself",
        severity="critical",
        expr=f'({NODE} and on (pool) {PER_DEVICE}) unless on (node) (up{{job="{DCGM_JOB}"}} == 1)',
        wait="15m",
        summary="Nothing measures the GPUs of {{ $labels.node }} (pool {{ $labels.pool }})",
        costs="Faults and idle GPUs of the node go unseen.",
        steps=(
            "`kubectl get pods -n gpu-operator -l app=nvidia-dcgm-exporter -o wide`: is there one on the node, and is it ready?",
            "There is none: the node lacks `nvidia.com/gpu.deploy.dcgm-exporter`; read the operator's log.",
            "It restarts: its log names the field that it cannot watch, or DCGM's engine that it cannot reach.",
        ),
    ),
    Alert(
        name="KubeStateMetricsMissing",
        subject="Monitoring itself",
        severity="critical",
        expr="absent(kube_node_labels)",
        wait="10m",
        summary="kube-state-metrics shows no node labels",
        costs="No series can be told by pool or tenant: allocation, waste and most alerts are blind.",
        steps=(
            "`kubectl get pods -A -l app.kubernetes.io/name=kube-state-metrics`: is it running?",
            "With a Prometheus of your own: it needs the values of docs/own-prometheus.md.",
        ),
    ),
    Alert(
        name="KarpenterMissing",
        subject="Monitoring itself",
        severity="critical",
        expr="absent(karpenter_build_info)",
        wait="10m",
        summary="Karpenter is not running, or nobody scrapes it",
        costs="If it does not run: no node comes, none goes, and interrupted spot nodes are not drained.",
        steps=(
            "`kubectl get pods -n kube-system -l app.kubernetes.io/name=karpenter`, and its log.",
            "It runs: look at the targets of the ServiceMonitor karpenter in Prometheus.",
        ),
    ),
)
