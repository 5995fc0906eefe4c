"""Helm values on which a stack rests: the platform sets them, or the chart's default holds, and an override harms.

A test holds that each value that the platform sets stands here, or in its list of values that people may change.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...config import StackConfig
from ...config.monitoring import Amp, InstallMonitoring
from ...problem import Severity
from ...records import Record, replace
from ...sharing import build_mig_manager_env


class Need(Record, kw_only=True):
    """A Helm value, or a section of values, that a stack needs."""

    chart: str
    """Field of ``helmOverrides``, as the stack file writes it."""
    path: tuple[str, ...]
    """Keys from the top of the chart's values."""
    harm: str
    """Sentence about the harm of another value."""
    keeps: Callable[[Any], bool]
    """True if an override of this value does no harm."""
    hint: str = "remove it"
    severity: Severity = "error"


def list_needs(stack: StackConfig) -> Iterator[Need]:
    """Yield the Helm values that a stack needs, by chart."""
    yield from _list_karpenter(stack)
    yield from _list_gpu_operator(stack)
    if isinstance(stack.monitoring, InstallMonitoring):
        yield from _list_prometheus(stack.monitoring)
        yield from _list_prometheus_parts(stack.monitoring)
        yield from _list_receivers(stack.monitoring)
    yield from _list_scalers_and_queues(stack)
    harm, hint = "the room of system nodes is counted for these pods, and other nodes go", "remove it"
    if stack.existing_cluster:
        harm, hint = "cluster.systemNodes says where all pods of the platform run", "state it there, and remove it"
    for part in _ON_SYSTEM_NODES:
        for field in ("nodeSelector", "tolerations"):
            yield _warn(f"{part}/{field}", harm, hint=hint)


_ON_SYSTEM_NODES = (
    "karpenter",
    "gpuOperator/operator",
    "gpuOperator/node-feature-discovery/master",
    "gpuOperator/node-feature-discovery/gc",
    "kubePrometheusStack/alertmanager/alertmanagerSpec",
    "kubePrometheusStack/grafana",
    "kubePrometheusStack/kube-state-metrics",
    "kubePrometheusStack/prometheus/prometheusSpec",
    "kubePrometheusStack/prometheusOperator",
    "kubePrometheusStack/prometheusOperator/admissionWebhooks/patch",
    "keda",
    "kueue/controllerManager",
    "jobset/controller",
)
"""Values of pods that run on system nodes."""
_UNTOLERATED = "a node with a taint that it does not tolerate gets no pod of this DaemonSet"
_UNSEEN = "Prometheus no longer reads all monitors and rules, so alerts, dashboards and scalers lack series"
_READ = "alerts, dashboards and scalers read its series"
_SHARED = "labels of nodes name this ConfigMap and its files, so nodes get no GPUs, or unshared ones"
_STATED_SHARING = "state sharing in the pools, and remove it"


def _is(wanted: object) -> Callable[[Any], bool]:
    return lambda value: type(value) is type(wanted) and value == wanted


def _holds(wanted: Mapping[str, str]) -> Callable[[Any], bool]:
    """Return a test whether a list of environment variables has these values; the last of a name wins."""

    def holds(env: Any) -> bool:
        entries = [each for each in env if isinstance(each, dict)] if isinstance(env, list) else []
        found = {str(each.get("name")): each.get("value", "") for each in entries}
        return all(found.get(name) == value for name, value in wanted.items())

    return holds


def _describe_env(wanted: Mapping[str, str]) -> str:
    return " and ".join(f"{name}={value or '(empty)'}" for name, value in wanted.items())


def _never(_: Any) -> bool:
    return False


def _runs(replicas: Any) -> bool:
    return isinstance(replicas, int) and not isinstance(replicas, bool) and replicas >= 1


def _states_no_retention(arguments: Any) -> bool:
    return "storage.tsdb.retention" not in str(arguments)


def _need(place: str, harm: str, keeps: Callable[[Any], bool] = _never, hint: str = "remove it") -> Need:
    chart, *path = place.split("/")
    return Need(chart=chart, path=tuple(path), harm=harm, keeps=keeps, hint=hint)


def _warn(place: str, harm: str, keeps: Callable[[Any], bool] = _never, hint: str = "remove it") -> Need:
    return replace(_need(place, harm, keeps, hint), severity="warning")


def _list_karpenter(stack: StackConfig) -> Iterator[Need]:
    name, settings, gates = stack.cluster_name, "karpenter/settings", "karpenter/settings/featureGates"
    yield _need("karpenter/replicas", "without Karpenter no pool gets a node", _runs)
    yield _need(f"{settings}/clusterName", "Karpenter launches nodes for another cluster", _is(name))
    deaf = "Karpenter may read the queue of its cluster alone, so pods hear nothing before EC2 takes their spot node"
    yield _need(f"{settings}/interruptionQueue", deaf, _is(name))
    yield _warn(f"{settings}/eksControlPlane", "Karpenter asks EKS for the cluster's address and version", _is(True))
    overlaid = [pool.name for pool in stack.gpu_pools if any(pool.list_overlay(row) for row in pool.named_instances)]
    if overlaid:
        harm = f"no node is launched for the shares or slices of {', '.join(overlaid)}"
        yield _need(f"{gates}/nodeOverlay", harm, _is(True))
    if reserved := [pool.name for pool in stack.gpu_pools if "reserved" in pool.purchase]:
        harm = f"the reservations of {', '.join(reserved)} are paid and stay idle"
        yield _need(f"{gates}/reservedCapacity", harm, _is(True))
    harm, hint = "alerts and `changes` follow cluster.nodeRepair", "set cluster.nodeRepair, and remove it"
    yield _need(f"{gates}/nodeRepair", harm, _is(stack.cluster.node_repair), hint)
    yield _warn(
        f"{gates}/spotToSpotConsolidation", "Karpenter ends pods on spot to move them to cheaper spot", _is(False)
    )
    yield _warn(f"{gates}/staticCapacity", "no NodePool of the platform states replicas", _is(False))
    harm = "the role that launches nodes is bound to the ServiceAccount karpenter"
    yield _need("karpenter/serviceAccount/name", harm, _is("karpenter"))
    yield _need("karpenter/serviceAccount/create", "nobody else makes Karpenter's ServiceAccount", _is(True))


def _list_gpu_operator(stack: StackConfig) -> Iterator[Need]:
    yield _need("gpuOperator/driver/enabled", "AMIs of AL2023 bring the driver, and another one fails", _is(False))
    yield _need("gpuOperator/toolkit/enabled", "AMIs of AL2023 bring the container toolkit", _is(False))
    yield _warn("gpuOperator/cdi/enabled", "containers get their GPUs by CDI", _is(True))
    plugin = "gpuOperator/devicePlugin"
    yield _need(f"{plugin}/enabled", "without the device plugin no node offers GPUs", _is(True))
    yield _need(f"{plugin}/config/create", _SHARED, _is(True))
    yield _need(f"{plugin}/config/name", _SHARED, _is("device-plugin-configs"))
    yield _need(f"{plugin}/config/default", _SHARED, hint=_STATED_SHARING)
    yield _need(f"{plugin}/config/data", _SHARED, hint=_STATED_SHARING)
    if sliced := ", ".join(pool.name for pool in stack.gpu_pools if pool.profile.mig_configs):
        yield _need("gpuOperator/migManager/enabled", f"nobody cuts the GPUs of {sliced} into slices", _is(True))
        harm = f"the MIG manager lacks the layout of {sliced}"
        yield _need("gpuOperator/migManager/config", harm, hint=_STATED_SHARING)
        wanted = build_mig_manager_env(
            [each.profile for each in stack.gpu_pools] + [each.profile for each in stack.retired_sharing]
        )
        harm = (
            f"the MIG manager of {sliced} gets other values than {_describe_env(wanted)}: it may stop the kubelet, or"
        )
        harm += " restart no node that needs it, and the node stays NotReady"
        yield _warn(
            "gpuOperator/migManager/env", harm, _holds(wanted), "state both in the list, as `render` shows them"
        )
    harm = "the MIG manager and the device plugin of shared nodes wait for the labels of GPUs"
    yield _need("gpuOperator/gfd/enabled", harm, _is(True))
    harm = "the operator finds GPU nodes by the labels of node-feature-discovery"
    yield _need("gpuOperator/nfd/enabled", harm, _is(True))
    exporter = "gpuOperator/dcgmExporter"
    if stack.monitoring is not None:
        yield _need(f"{exporter}/enabled", f"without dcgm-exporter GPUs are not measured: {_READ}", _is(True))
        yield _need(f"{exporter}/config", f"the platform lists the metrics of dcgm-exporter: {_READ}")
    yield _warn(f"{exporter}/env", "this list replaces the variables by which dcgm-exporter finds DCGM and its metrics")
    yield _warn(f"{exporter}/hostNetwork", "dcgm-exporter reaches DCGM at the node's own address", _is(True))
    yield _warn(
        f"{exporter}/serviceMonitor/enabled", "each GPU is scraped twice, beside our ServiceMonitor", _is(False)
    )
    yield _warn("gpuOperator/dcgm/enabled", "two DCGMs on a node disturb each other; the platform chose which one runs")
    yield _warn("gpuOperator/daemonsets/tolerations", _UNTOLERATED)
    yield _warn("gpuOperator/node-feature-discovery/worker/tolerations", _UNTOLERATED)


def _list_prometheus(monitoring: InstallMonitoring) -> Iterator[Need]:
    top = "kubePrometheusStack"
    spec, state = f"{top}/prometheus/prometheusSpec", f"{top}/kube-state-metrics"
    known = "scalers, network policies and docs know Prometheus by its name and namespace"
    yield _need(f"{top}/fullnameOverride", known, _is("kube-prometheus-stack"))
    yield _need(f"{top}/namespaceOverride", known, _is(""))
    yield _need(f"{top}/crds/enabled", "a release of its own upgrades the CRDs", _is(False))
    yield _need(f"{top}/prometheus/enabled", f"without Prometheus nothing is measured: {_READ}", _is(True))
    yield _need(f"{top}/prometheusOperator/enabled", "without its operator Prometheus does not start", _is(True))
    yield _need(
        f"{top}/kubeStateMetrics/enabled", f"without kube-state-metrics objects have no series: {_READ}", _is(True)
    )
    for field in ("metricLabelsAllowlist", "customResourceState", "rbac"):
        yield _need(f"{state}/{field}", f"kube-state-metrics exports what the platform lists: {_READ}")
    yield _warn(f"{top}/nodeExporter/enabled", "the dashboards of nodes stay empty", _is(True))
    tell = _need if isinstance(monitoring.remote_write, Amp) else _warn
    harm = "the role that writes to AMP is bound to the ServiceAccount prometheus"
    yield tell(f"{top}/prometheus/serviceAccount/name", harm, _is("prometheus"))
    for kind in ("serviceMonitor", "podMonitor", "rule", "probe", "scrapeConfig"):
        yield _need(f"{spec}/{kind}SelectorNilUsesHelmValues", _UNSEEN, _is(False))
        yield _need(f"{spec}/{kind}Selector", _UNSEEN)
        yield _need(f"{spec}/{kind}NamespaceSelector", _UNSEEN)
    for field in ("enforcedNamespaceLabel", "excludedFromEnforcement"):
        yield _need(f"{spec}/{field}", "a tenant's pods speak for its namespace alone, and the platform for all")
    for field, stated in {
        "retention": "monitoring.retentionDays",
        "retentionSize": "monitoring.storageGib",
        "storageSpec": "monitoring.storageGib",
        "remoteWrite": "monitoring.remoteWrite",
    }.items():
        yield _warn(f"{spec}/{field}", f"{stated} states it", hint=f"set {stated}, and remove it")
    harm = "since Prometheus 3.11 its file wins, which holds monitoring.retentionDays and storageGib"
    yield _warn(f"{spec}/additionalArgs", harm, _states_no_retention, "set monitoring.retentionDays, and remove it")
    yield _warn(f"{spec}/externalLabels", "series of clusters are told apart by these labels")
    yield _warn(f"{spec}/persistentVolumeClaimRetentionPolicy", "an edit of the StatefulSet may delete all samples")
    yield _warn(f"{spec}/reloadStrategy", "every pod could end Prometheus by HTTP", _is("ProcessSignal"))


def _list_receivers(monitoring: InstallMonitoring) -> Iterator[Need]:
    """Yield the values by which alerts reach ``monitoring.notify``."""
    top = "kubePrometheusStack"
    if monitoring.notify is not None:
        harm, hint = "alerts may not reach monitoring.notify", "set monitoring.notify, and remove it"
        yield _need(f"{top}/alertmanager/enabled", harm, _is(True))
        yield _warn(f"{top}/alertmanager/config", harm, hint=hint)
        yield _warn(f"{top}/alertmanager/alertmanagerSpec/useExistingSecret", harm, _is(False), hint)
        # Helm would fill in the placeholders of the messages itself, or read stringConfig in place of the routes.
        yield _warn(f"{top}/alertmanager/tplConfig", harm, _is(False), hint)
        harm = "Alertmanager reads the addresses of monitoring.notify from the Secret alert-routes"
        yield _need(f"{top}/alertmanager/alertmanagerSpec/secrets", harm)
    if monitoring.notify is not None and monitoring.notify.watchdog:
        harm, rules = "the dead man's switch would hear no Watchdog, and call people for ever", f"{top}/defaultRules"
        yield _need(f"{rules}/create", harm, _is(True))
        yield _need(f"{rules}/rules/general", harm, _is(True))
        yield _need(f"{rules}/disabled/Watchdog", harm, lambda disabled: not disabled)


def _list_prometheus_parts(monitoring: InstallMonitoring) -> Iterator[Need]:
    top = "kubePrometheusStack"
    yield _warn(f"{top}/prometheus-node-exporter/tolerations", _UNTOLERATED)
    for part in ("kubeControllerManager", "kubeScheduler", "kubeEtcd", "kubeProxy"):
        yield _warn(f"{top}/{part}/enabled", "EKS hides these metrics, so an alert fires for ever", _is(False))
    hint = "set monitoring.grafana, and remove it"
    yield _warn(f"{top}/grafana/enabled", "monitoring.grafana states it", _is(monitoring.grafana), hint)
    yield _warn(f"{top}/grafana/admin", "the login of Grafana is the Secret grafana-admin")
    yield _warn(f"{top}/grafana/rbac", "Grafana would read ConfigMaps and Secrets of all namespaces")
    yield _warn(f"{top}/grafana/serviceAccount/name", "the rights of Grafana's sidecar name its ServiceAccount")
    yield _warn(f"{top}/grafana/sidecar/dashboards", "Grafana may not find the platform's dashboards")
    yield _warn(f"{top}/grafana/sidecar/datasources", "dashboards may not find Prometheus")


def _list_scalers_and_queues(stack: StackConfig) -> Iterator[Need]:
    scaled = {stack.find_namespace(service) for service in stack.all_services}

    def reads_all(watched: Any) -> bool:
        """KEDA takes several namespaces with commas between them, and watches all if it has no name."""
        names = {name.strip() for name in watched.split(",")} if isinstance(watched, str) else set()
        return names == {""} or (bool(names) and scaled <= names)

    yield _need("keda/operator/replicaCount", "without KEDA's operator nothing scales", _runs)
    yield _need("keda/metricsServer/replicaCount", "without KEDA's metrics server nothing scales beyond 1", _runs)
    yield _need("keda/crds/install", "nobody else installs KEDA's CRDs", _is(True))
    yield _warn(
        "keda/crds/additionalAnnotations", "a KEDA that goes takes the scalers of teams along, without its CRDs"
    )
    lacking = f"KEDA reads no scalers of other namespaces, and those are in {', '.join(sorted(scaled))}"
    yield _need("keda/watchNamespace", lacking, reads_all)
    yield _need("kueue/controllerManager/replicas", "without Kueue no Job of a tenant starts", _runs)
    yield _warn("kueue/controllerManager/manager/image/tag", "the configuration fits the pinned release of Kueue")
    yield _need("jobset/controller/replicas", "without JobSet no run over several nodes starts", _runs)
    yield _warn("jobset/image/tag", "the CRD of the chart fits the pinned release of JobSet")
