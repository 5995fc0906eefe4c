"""Cases of the rules about the GPU Operator and the node monitoring agent."""

from typing import Any

from policies import UNKNOWN

from .stacks import GONE, Build, broken, fails, foreign, of, passes, release, resource, shipped, undecided

_NAME = "gpu-prod-gpu-operator-release"
_SOME = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
_ALL = [{"operator": "Exists"}]


def _values(*path: str, to: Any) -> Build:
    return broken("prod", "Release", "gpu-operator", ("values", *path), to)


def _theirs(values: Any, chart: str = "gpu-operator") -> Build:
    return foreign(release(chart, values=values))


DRIVER = of(
    "driver-left-to-ami",
    passes("driver and toolkit off", shipped("prod")),
    passes("other charts", foreign(release("oci://ghcr.io/someone/nginx"), release("gpu-operator-dashboards", "other"))),
    fails("the driver on", _values("driver", "enabled", to=True), _NAME, words="own driver"),
    fails("the toolkit on", _values("toolkit", "enabled", to=True), _NAME, words="own toolkit"),
    fails("the chart's defaults, which install both", foreign(release("nvidia/gpu-operator")), "theirs", "theirs"),
    undecided("values not known", _values(to=UNKNOWN), _NAME),
    undecided("the driver not known", _values("driver", "enabled", to=UNKNOWN), _NAME),
    undecided("which chart it is not known", broken("prod", "Release", "gpu-operator", ("chart",), UNKNOWN), _NAME),
    fails("the driver not known, the toolkit on", broken(
        _values("driver", "enabled", to=UNKNOWN), "Release", "gpu-operator", ("values", "toolkit", "enabled"), True), _NAME),
    fails("the driver on in a chart that Pulumi renders", foreign(
        release("gpu-operator", type_="kubernetes:helm.sh/v4:Chart", values={"driver": {"enabled": True}})), "theirs", "theirs"),
)  # fmt: skip

STRATEGY = of(
    "mig-strategy-mixed",
    passes("mixed", shipped("research")),
    passes("other charts", _theirs({"mig": {"strategy": "single"}}, "nginx")),
    fails("single", _values("mig", "strategy", to="single"), _NAME, words="'single'"),
    fails("the chart's default", _values("mig", to=GONE), _NAME),
    fails("a chart of others without values", foreign(release("gpu-operator")), "theirs"),
    undecided("values not known", _values(to=UNKNOWN), _NAME),
    undecided("the strategy not known", _values("mig", "strategy", to=UNKNOWN), _NAME),
)  # fmt: skip

_WORKER = ("node-feature-discovery", "worker", "tolerations")

TOLERATES = of(
    "operator-tolerates-taints",
    passes("every taint tolerated", shipped("prod")),
    passes("every taint tolerated, beside one by name", _values("daemonsets", "tolerations", to=[*_SOME, *_ALL])),
    passes("other charts", _theirs({}, "nginx")),
    fails("one taint tolerated", _values("daemonsets", "tolerations", to=_SOME), _NAME, words="daemonsets.tolerations"),
    fails("every taint of one effect tolerated", _values("daemonsets", "tolerations", to=[{"operator": "Exists", "effect": "NoSchedule"}]), _NAME),
    fails("an equal value tolerated", _values("daemonsets", "tolerations", to=[{"operator": "Equal"}]), _NAME),
    fails("feature discovery left out", _values(*_WORKER, to=GONE), _NAME, words="node-feature-discovery.worker"),
    fails("the chart's defaults", foreign(release("gpu-operator")), "theirs", "theirs"),
    undecided("tolerations not known", _values("daemonsets", "tolerations", to=UNKNOWN), _NAME),
    undecided("values not known", _values(to=UNKNOWN), _NAME),
    undecided("the only toleration not known", _values("daemonsets", "tolerations", to=[UNKNOWN]), _NAME),
)  # fmt: skip

_AGENT = ("prod", "Addon", "eks-node-monitoring-agent", ("configurationValues",))
_BOTH = "gpu-prod-addons-eks-node-monitoring-agent"


def _addon(text: Any, name: str = "eks-node-monitoring-agent") -> Any:
    return resource("aws:eks/addon:Addon", "agent", {"addonName": name, "configurationValues": text})


def _with_dcgm(agent: Any, enabled: Any = True) -> Build:
    return foreign(release("gpu-operator", values={"dcgm": {"enabled": enabled}}), agent)


ENGINE = of(
    "one-dcgm-engine",
    passes("one engine on each node", shipped("prod")),
    passes("one engine on each node of research", shipped("research")),
    passes("the operator's engine off", _with_dcgm(_addon("{}"), enabled=False)),
    passes("the operator's engine at its default, which is off", foreign(release("gpu-operator"), _addon("{}"))),
    passes("another chart with such a value", foreign(release("dcgm", values={"dcgm": {"enabled": True}}), _addon("{}"))),
    passes("another add-on", _with_dcgm(_addon("{}", "coredns"))),
    passes("the agent's engine off", _with_dcgm(_addon('{"dcgmAgent": {"enabled": false}}'))),
    passes("the agent's engine on other nodes", _with_dcgm(_addon('{"dcgmAgent": {"nodeSelector": {"nvidia.com/gpu.deploy.operands": "false"}}}'))),
    fails("the agent's engine on nodes that the operator serves too", _with_dcgm(_addon('{"dcgmAgent": {"nodeSelector": {"kubernetes.io/os": "linux"}}}')), "agent"),
    fails("the agent as it comes", broken(*_AGENT, GONE), _BOTH),
    fails("the agent's config empty", broken(*_AGENT, ""), _BOTH),
    fails("the agent's engine on everywhere", broken(*_AGENT, '{"dcgmAgent": {"enabled": true}}'), _BOTH),
    fails("the agent's engine on everywhere, written as YAML", broken(*_AGENT, "dcgmAgent: {nodeSelector: {}}"), _BOTH),
    fails("an agent of others", _with_dcgm(_addon("null")), "agent"),
    undecided("the agent's config not known", broken(*_AGENT, UNKNOWN)),
    undecided("the operator's engine not known", _values("dcgm", "enabled", to=UNKNOWN)),
    fails("a section that is empty", _with_dcgm(_addon("dcgmAgent:")), "agent"),
)  # fmt: skip

CASES = (*DRIVER, *STRATEGY, *TOLERATES, *ENGINE)
