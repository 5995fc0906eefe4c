"""What a team's own Prometheus has to bring, so that rules, dashboards, services and advice see anything."""

import yaml

from ..monitoring.metrics import METRICS
from ..monitoring.state_metrics import state_metrics

_HEAD = """# With your own Prometheus

`monitoring: {mode: existing}` makes the monitors of dcgm-exporter and Karpenter, the rules and the dashboards in the namespace
`monitoring`, and the CRDs they need. Namespace and CRDs stay when `monitoring` is taken out. Where the namespace is there already,
`pulumi up` stops at it: `pulumi import` the namespace first. The rest is yours:

1. **kube-state-metrics shows the labels that rules join with**, and NodeOverlays. These are values of its chart, to be merged with
   yours; within kube-prometheus-stack they stand below `kube-state-metrics:`. Without them nothing is known of pools and tenants;
   the alert KubeStateMetricsMissing tells only where no label of any node is shown.

```yaml
"""

_TAIL = """```

2. **Prometheus selects what is made**: ServiceMonitors, PrometheusRules and, for `services`, PodMonitors in the tenants' namespaces. Where it
   selects by labels, `monitoring.labels` names them.
3. **Labels stay what exporters say**: `honorLabels: true` for kube-state-metrics, and the label `node` on what kubelets say, as with
   kube-prometheus-stack.
4. **`monitoring.url` is where it answers in the cluster**: KEDA asks there. It wants no password, since KEDA is given none.
5. **Grafana's sidecar looks into the namespace `monitoring`** for ConfigMaps with the label `grafana_dashboard`.
6. **Where several clusters write to one place**, an external label `cluster` has the cluster's name, by which `advise` tells them apart.

Then `count(kube_node_labels{label_gpu_blueprint_pool!=""})` is the number of GPU nodes, and `gpu_pool:gpus:total` that of GPUs.

## What is read, by exporter

"""


def own_prometheus_page() -> str:
    """The page as Markdown."""
    block = yaml.safe_dump(state_metrics(), sort_keys=False, width=120)
    exporters = dict.fromkeys(metric.exporter for metric in METRICS.values() if metric.exporter != "prometheus")
    listed = [
        f"- {exporter}: {', '.join(f'`{name}`' for name, metric in METRICS.items() if metric.exporter == exporter)}"
        for exporter in exporters
    ]
    return "\n".join([f"{_HEAD}{block}{_TAIL}" + "\n".join(listed), "", "Generated from the rules: `make docs`.", ""])
