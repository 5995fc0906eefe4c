"""Cases of the rule about parts that Helm values switch off."""

from typing import Any

from policies import UNKNOWN, Resource

from .stacks import (
    Build,
    cases_of,
    fails,
    node_pool,
    passes,
    program,
    release,
    requirement,
    resource,
    shipped_stack,
    undecided,
    with_value,
)

_GATES = ("values", "settings", "featureGates")
_KARPENTER, _OPERATOR = "gpu-prod-karpenter-controller", "gpu-research-gpu-operator-release"
_GPU = requirement("node.kubernetes.io/instance-type", "g6.xlarge")
_CUT = {"metadata": {"labels": {"nvidia.com/mig.config": "all-1g.10gb"}}}
_UNCUT = {"metadata": {"labels": {"nvidia.com/mig.config": "all-disabled"}}}
_OFF: dict[str, Any] = {"enabled": False}


def set_value(stack: str, chart: str, path: tuple[str, ...], value: Any) -> Build:
    return with_value(stack, "Release", chart, path, value)


def _object(kind: str, name: str = "ours", namespace: str = "vision", **spec: Any) -> Resource:
    groups = {"NodeOverlay": "karpenter.sh/v1alpha1", "EC2NodeClass": "karpenter.k8s.aws/v1"}
    type_ = f"kubernetes:{groups.get(kind, 'example.com/v1')}:{kind}"
    return resource(type_, name, {"metadata": {"name": name, "namespace": namespace}, "spec": spec})


def _chart(name: str, values: Any, *objects: Resource) -> Build:
    return program(release(name, values=values), *objects)


def _group(**inputs: Any) -> Resource:
    return resource("aws:eks/nodeGroup:NodeGroup", "group", {"instanceTypes": ["g6.xlarge"], **inputs})


def _role(group: str, kind: str = "Role") -> Resource:
    rules = [{"apiGroups": groups, "resources": ["*"], "verbs": ["create"]} for groups in (["", group], ["apps"])]
    return resource(f"kubernetes:rbac.authorization.k8s.io/v1:{kind}", "members", {"rules": rules})


def _write(file: Any) -> Resource:
    return resource("kubernetes:yaml:ConfigFile", "plugin", {"file": file, "resourcePrefix": "x"})


def _daemon_set(image: str) -> Resource:
    spec = {"template": {"spec": {"containers": [{"name": "main", "image": image}]}}}
    return resource("kubernetes:apps/v1:DaemonSet", "daemon", {"metadata": {"name": "daemon"}, "spec": spec})


def _plugin_off(*objects: Resource) -> Build:
    return _chart("gpu-operator", {"devicePlugin": _OFF}, *objects)


def _nfd_off(*objects: Resource) -> Build:
    return _chart("gpu-operator", {"nfd": _OFF}, *objects)


def _pool(**spec: Any) -> Resource:
    return node_pool(_GPU, name="gpus", **spec)


_BOTTLEROCKET = _object("EC2NodeClass", "rocket", amiSelectorTerms=[{"alias": "bottlerocket@v1.67.0"}])
_ON_BOTTLEROCKET = _pool(node={"nodeClassRef": {"name": "rocket"}})
_DEVICES = ("10de", "0302_10de", "0300_10de")


def _mark(device: str) -> dict[str, Any]:
    return {"metadata": {"labels": {f"feature.node.kubernetes.io/pci-{device}.present": "true"}}}


_SWITCHES: tuple[tuple[str, Any, Resource, str], ...] = (
    ("karpenter", {"replicas": 0}, _pool(), "is off: no pool gets a node (gpus)"),
    ("karpenter", {"settings": {"featureGates": {"nodeOverlay": "false"}}}, _object("NodeOverlay"), "nodeOverlay of"),
    ("karpenter", {}, _object("NodeOverlay"), "is off: Karpenter ignores overlays"),
    ("karpenter", None, _pool(replicas=2), "staticCapacity of theirs is off: Karpenter ignores pools with replicas"),
    (
        "karpenter",
        {"settings": {"featureGates": {"reservedCapacity": False}}},
        _object("EC2NodeClass", capacityReservationSelectorTerms=[{"id": "cr-1"}]),
        "is off: reservations stay idle",
    ),
    ("gpu-operator", {"devicePlugin": _OFF}, _pool(), "is off: nodes offer no GPUs (gpus)"),
    ("gpu-operator", {"devicePlugin": {"enabled": ""}}, _group(), "nodes offer no GPUs (group)"),
    ("gpu-operator", {"migManager": _OFF}, _pool(template=_CUT), "is off: nobody cuts GPUs into slices"),
    ("gpu-operator", {"nfd": _OFF}, _pool(), "is off: the operator finds no GPU nodes"),
    ("gpu-operator", {"dcgmExporter": _OFF}, _object("ServiceMonitor", "dcgm"), "is off: nobody measures GPUs (dcgm)"),
    (
        "gpu-operator",
        {"dcgmExporter": _OFF},
        _object("PodMonitor", selector={"app": "dcgm"}),
        "is off: nobody measures",
    ),
    ("keda", {"operator": {"replicaCount": "0"}}, _object("ScaledObject"), "is off: nothing scales (ours)"),
    ("keda", {"operator": {"replicaCount": 0}}, _object("ScaledJob"), "is off: nothing scales (ours)"),
    ("keda", {"metricsServer": {"replicaCount": 0}}, _object("ScaledObject"), "is off: nothing scales beyond 1"),
    ("kueue", {"controllerManager": {"replicas": 0}}, _object("ClusterQueue"), "is off: no queued job starts"),
    ("kueue", {"controllerManager": {"replicas": 0}}, _object("LocalQueue"), "is off: no queued job starts"),
    ("jobset", {"controller": {"replicas": 0}}, _object("JobSet"), "is off: no JobSet gets pods"),
    ("kube-prometheus-stack", {"prometheus": _OFF}, _object("ServiceMonitor"), "is off: nobody reads monitors (ours)"),
    (
        "kube-prometheus-stack",
        {"prometheusOperator": _OFF},
        _object("PodMonitor"),
        "Operator.enabled of theirs is off: nobody reads",
    ),
)
"""Chart, its values, an object that needs the part, and words of the message."""
_LEFT_ALONE = (
    ("karpenter", _object("EC2NodeClass", capacityReservationSelectorTerms=[{"id": "cr-1"}])),
    ("karpenter", _object("EC2NodeClass")),
    ("karpenter", _pool()),
    ("gpu-operator", _pool(template=_CUT)),
    ("gpu-operator", _object("ServiceMonitor", "dcgm")),
    ("keda", _object("ScaledObject")),
    ("keda", _object("ScaledJob")),
    ("kueue", _object("ClusterQueue")),
    ("jobset", _object("JobSet")),
    ("kube-prometheus-stack", _object("ServiceMonitor")),
)
"""Charts whose own values have the part on."""
_SPEECH = {"watchNamespace": "speech"}
_NOWHERE = _object("ScaledJob", namespace="")
_STACK = "kube-prometheus-stack"
_SECOND_OFF = release(_STACK, "second", values={"prometheus": _OFF})
_MONITORS_OFF = {"prometheus": _OFF, "prometheusOperator": _OFF}

CASES = cases_of(
    "needed-parts-run",
    *(passes(f"the parts of {stack}", shipped_stack(stack)) for stack in ("dev", "research", "prod")),
    *(
        fails(f"{chart}, {needs.kind}: {words}", _chart(chart, values, needs), "theirs", words=words)
        for chart, values, needs, words in _SWITCHES
    ),
    *(
        passes(f"{chart} beside {needs.kind} {index}", _chart(chart, None, needs))
        for index, (chart, needs) in enumerate(_LEFT_ALONE)
    ),
    *(
        passes(f"{chart} of {index} without objects", _chart(chart, values))
        for index, (chart, values, _, _) in enumerate(_SWITCHES)
    ),
    *(
        passes(f"another chart than {chart} of {index}", _chart("other", values, needs))
        for index, (chart, values, needs, _) in enumerate(_SWITCHES)
    ),
    fails(
        "overlays of a stack",
        set_value("research", "karpenter-controller", (*_GATES, "nodeOverlay"), False),
        "karpenter-controller",
        words="nodeOverlay of gpu-research-karpenter-controller is off",
    ),
    fails(
        "reservations of a stack",
        set_value("prod", "karpenter-controller", (*_GATES, "reservedCapacity"), False),
        _KARPENTER,
        words="(gpu-prod-train-h100-node-class)",
    ),
    fails(
        "the MIG manager of a stack", set_value("research", "gpu-operator", ("values", "migManager"), _OFF), _OPERATOR
    ),
    fails(
        "JobSets of the members of a stack",
        set_value("prod", "jobset-release", ("values", "controller", "replicas"), 0),
        "gpu-prod-jobset-release",
        words="no JobSet gets pods",
    ),
    *(
        passes(f"a role without JobSets: {group}", _chart("jobset", {"controller": {"replicas": 0}}, _role(group)))
        for group in ("batch", "x-k8s.io")
    ),
    *(
        fails(
            f"a {kind} for JobSets",
            _chart("jobset", {"controller": {"replicas": 0}}, _role("jobset.x-k8s.io", kind)),
            "theirs",
            words="(members)",
        )
        for kind in ("Role", "ClusterRole")
    ),
    fails(
        "the device plugin of a stack",
        set_value("research", "gpu-operator", ("values", "devicePlugin", "enabled"), False),
        _OPERATOR,
    ),
    fails(
        "two switches, and three of four names",
        _chart(
            "karpenter", {"replicas": 0}, *(node_pool(_GPU, name=f"pool-{number}", replicas=1) for number in range(4))
        ),
        "theirs",
        "theirs",
        words=("(pool-0, pool-1, pool-2)", "staticCapacity"),
    ),
    passes("monitors of other things", _chart("gpu-operator", {"dcgmExporter": _OFF}, _object("ServiceMonitor"))),
    passes("a device plugin of its own", _plugin_off(_pool(), release("nvidia-device-plugin", "plugin"))),
    passes(
        "a device plugin by a DaemonSet", _plugin_off(_pool(), _daemon_set("nvcr.io/nvidia/k8s-device-plugin:v0.19.3"))
    ),
    passes("a device plugin by a manifest", _plugin_off(_pool(), _write("https://a.example/nvidia-device-plugin.yml"))),
    undecided("a DaemonSet of an image that is not known", _plugin_off(_pool(), _daemon_set(UNKNOWN)), "theirs"),
    undecided("a manifest that is not known", _plugin_off(_pool(), _write(UNKNOWN)), "theirs"),
    fails("a DaemonSet of something else", _plugin_off(_pool(), _daemon_set("fluent-bit:4.1")), "theirs"),
    passes("nodes of EKS Auto Mode", _plugin_off(_pool(node={"nodeClassRef": {"group": "eks.amazonaws.com"}}))),
    *(
        passes(
            f"dcgm-exporter by a {found.kind}",
            _chart("gpu-operator", {"dcgmExporter": _OFF}, _object("ServiceMonitor", "dcgm"), found),
        )
        for found in (release("dcgm-exporter", "exporter"), _daemon_set("nvcr.io/nvidia/k8s/dcgm-exporter:4.4.1"))
    ),
    passes(
        "another release of the chart with the part",
        _chart("kube-prometheus-stack", _MONITORS_OFF, _object("ServiceMonitor"), release(_STACK, "second")),
    ),
    fails(
        "two releases without the part",
        _chart(_STACK, {"prometheus": _OFF}, _object("ServiceMonitor"), _SECOND_OFF),
        *("theirs", "second"),
    ),
    passes("NVIDIA's driver for DRA", _plugin_off(_pool(), release("nvidia-dra-driver-gpu", "dra"))),
    passes("nodes of Bottlerocket, whose image has the plugin", _plugin_off(_ON_BOTTLEROCKET, _BOTTLEROCKET)),
    passes("a group of Bottlerocket", _plugin_off(_group(amiType="BOTTLEROCKET_x86_64_NVIDIA"))),
    fails(
        "nodes of another class", _plugin_off(_pool(node={"nodeClassRef": {"name": "ours"}}), _BOTTLEROCKET), "theirs"
    ),
    passes("GPUs that nobody cuts", _chart("gpu-operator", {"migManager": _OFF}, _pool(template=_UNCUT))),
    passes("GPUs without a label", _chart("gpu-operator", {"migManager": _OFF}, _pool())),
    passes("labels by another chart", _nfd_off(_pool(), release("node-feature-discovery", "nfd"))),
    *(passes(f"a label by the pool: {device}", _nfd_off(_pool(template=_mark(device)))) for device in _DEVICES),
    passes(
        "pools with replicas, and their gate",
        _chart("karpenter", {"settings": {"featureGates": {"staticCapacity": True}}}, _pool(replicas=2)),
    ),
    *(
        passes(
            f"monitors that {name} reads",
            _chart("kube-prometheus-stack", _MONITORS_OFF, _object("ServiceMonitor"), release(name, "reader")),
        )
        for name in (
            *(
                "alloy",
                "k8s-monitoring",
                "grafana-agent-operator",
                "opentelemetry-operator",
                "opentelemetry-kube-stack",
            ),
            *("victoria-metrics-operator", "victoria-metrics-k8s-stack", "datadog"),
        )
    ),
    *(
        passes(
            f"monitors that an own {kind} reads",
            _chart("kube-prometheus-stack", _MONITORS_OFF, _object("ServiceMonitor"), _object(kind, "reader")),
        )
        for kind in ("Prometheus", "PrometheusAgent")
    ),
    fails(
        "KEDA for another namespace",
        _chart("keda", {"watchNamespace": "speech, audio"}, _object("ScaledObject")),
        "theirs",
        words="KEDA watches speech, audio alone, so ours in",
    ),
    fails(
        "KEDA for another namespace's jobs",
        _chart("keda", {"watchNamespace": "speech"}, _object("ScaledJob")),
        "theirs",
    ),
    passes("KEDA for two namespaces", _chart("keda", {"watchNamespace": "speech, vision"}, _object("ScaledObject"))),
    passes(
        "two KEDAs, each for a namespace",
        _chart("keda", _SPEECH, release("keda", "second", values={"watchNamespace": "vision"}), _object("ScaledJob")),
    ),
    fails(
        "two KEDAs for other namespaces",
        _chart("keda", _SPEECH, release("keda", "second", values=_SPEECH), _object("ScaledJob")),
        *("theirs", "second"),
    ),
    passes("a scaler in the namespace default", _chart("keda", {"watchNamespace": "default"}, _NOWHERE)),
    undecided("a scaler without a namespace", _chart("keda", _SPEECH, _NOWHERE), "theirs"),
    passes("KEDA for all namespaces", _chart("keda", {"watchNamespace": ""}, _object("ScaledObject"))),
    passes("another chart's namespace", _chart("other", {"watchNamespace": "speech"}, _object("ScaledObject"))),
    undecided(
        "a gate that is not known",
        set_value("prod", "karpenter-controller", (*_GATES, "nodeOverlay"), UNKNOWN),
        _KARPENTER,
    ),
    undecided("values that are not known", _chart("keda", UNKNOWN, _object("ScaledObject")), "theirs"),
)
