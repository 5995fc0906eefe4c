"""Cases of the rules about the GPU Operator and the node monitoring agent."""

from typing import Any

import yaml

from policies import UNKNOWN

from .stacks import (
    GONE,
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

_NAME = "gpu-prod-gpu-operator-release"
_SOME = [{"key": "nvidia.com/gpu", "operator": "Exists"}]
_ALL = [{"operator": "Exists"}]
_DATA = ("values", "migManager", "config", "data")


def _values(*path: str, to: Any) -> Build:
    return with_value("prod", "Release", "gpu-operator", ("values", *path), to)


def _theirs(values: Any, chart: str = "gpu-operator") -> Build:
    return program(release(chart, values=values))


def _configs(layouts: Any) -> Build:
    """Research with other MIG layouts in the GPU Operator's values."""
    entries = {
        name: [{"devices": "all", "mig-enabled": True, "mig-devices": layout}] for name, layout in layouts.items()
    }
    text = yaml.safe_dump({"version": "v1", "mig-configs": {"all-disabled": [{"mig-enabled": False}], **entries}})
    return with_value("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), text)


LEGAL = cases_of(
    "mig-config-legal",
    passes("layouts that can be placed", shipped_stack("research")),
    passes("no MIG manager", shipped_stack("prod")),
    passes("configs elsewhere", _theirs({"migManager": {"config": {"name": "elsewhere"}}})),
    passes("charts of another program without values", program(release("gpu-operator"), release("nginx", "web"))),
    passes("an empty config", with_value("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), "")),
    passes(
        "a config without layouts",
        with_value("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), "version: v1"),
    ),
    passes("a layout of a GPU that the stack does not use", _configs({"blackwell": {"1g.24gb": 4}})),
    passes("a layout that fits only the larger of two GPUs with the profile", _configs({"mixed": {"1g.10gb": 7}})),
    fails(
        "a profile that no GPU has",
        _configs({"odd": {"9g.99gb": 1}}),
        "gpu-research-gpu-operator-release",
        words=("odd", "9g.99gb"),
    ),
    fails(
        "profiles of two GPU models",
        _configs({"odd": {"1g.5gb": 1, "1g.10gb": 1, "1g.18gb": 1}}),
        "gpu-research-gpu-operator-release",
        words="no single GPU model",
    ),
    fails(
        "a layout without placement",
        _configs({"odd": {"1g.10gb": 99}}),
        "gpu-research-gpu-operator-release",
        words="fits no GPU",
    ),
    undecided(
        "values not known",
        with_value("research", "Release", "gpu-operator", ("values",), UNKNOWN),
        "gpu-research-gpu-operator-release",
    ),
    undecided(
        "data not known",
        with_value("research", "Release", "gpu-operator", _DATA, UNKNOWN),
        "gpu-research-gpu-operator-release",
    ),
    undecided(
        "the config not known",
        with_value("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), UNKNOWN),
        "gpu-research-gpu-operator-release",
    ),
    fails(
        "a config that is not YAML",
        with_value("research", "Release", "gpu-operator", (*_DATA, "config.yaml"), "a: ["),
        "gpu-research-gpu-operator-release",
    ),
)

DRIVER = cases_of(
    "driver-left-to-ami",
    passes("driver and toolkit off", shipped_stack("prod")),
    passes(
        "other charts", program(release("oci://ghcr.io/someone/nginx"), release("gpu-operator-dashboards", "other"))
    ),
    fails("the driver on", _values("driver", "enabled", to=True), _NAME, words="own driver"),
    fails("the toolkit on", _values("toolkit", "enabled", to=True), _NAME, words="own toolkit"),
    fails("the chart's defaults, which install both", program(release("nvidia/gpu-operator")), "theirs", "theirs"),
    undecided("values not known", _values(to=UNKNOWN), _NAME),
    undecided("the driver not known", _values("driver", "enabled", to=UNKNOWN), _NAME),
    undecided(
        "the name of the chart not known", with_value("prod", "Release", "gpu-operator", ("chart",), UNKNOWN), _NAME
    ),
    fails(
        "the driver not known, the toolkit on",
        with_value(
            _values("driver", "enabled", to=UNKNOWN), "Release", "gpu-operator", ("values", "toolkit", "enabled"), True
        ),
        _NAME,
    ),
    fails(
        "the driver on in a chart that Pulumi renders",
        program(release("gpu-operator", type_="kubernetes:helm.sh/v4:Chart", values={"driver": {"enabled": True}})),
        "theirs",
        "theirs",
    ),
)

_RESEARCH = "gpu-research-gpu-operator-release"
_P5 = requirement("node.kubernetes.io/instance-type", "p5.48xlarge")
_SLICES = resource(
    "kubernetes:karpenter.sh/v1alpha1:NodeOverlay", "slices", {"spec": {"capacity": {"nvidia.com/mig-1g.10gb": 56}}}
)
_CUT_GROUP = resource(
    "aws:eks/nodeGroup:NodeGroup",
    "group",
    {"instanceTypes": ["p5.48xlarge"], "labels": {"nvidia.com/mig.config": "all-1g.10gb"}},
)


def _research(*path: str, to: Any) -> Build:
    return with_value("research", "Release", "gpu-operator", ("values", *path), to)


def _cut_pool(config: str, **labels: str) -> Any:
    metadata = {"labels": {"nvidia.com/mig.config": config, **labels}}
    return node_pool(_P5, template={"metadata": metadata}, name="pool")


def _mig_manager(entry: Any) -> Any:
    return {"migManager": {"config": {"data": {"config.yaml": {"mig-configs": {"own": [entry]}}}}}}


_CUTS = _mig_manager({"devices": "all", "mig-enabled": True, "mig-devices": {"1g.10gb": 7}})
_CUTS_NOTHING = _mig_manager({"devices": "all", "mig-enabled": False, "mig-devices": {"1g.10gb": 7}})

STRATEGY = cases_of(
    "mig-strategy-mixed",
    passes("mixed", shipped_stack("research")),
    passes("other charts", program(release("nginx", values={"mig": {"strategy": "single"}}), _SLICES)),
    passes("single, without MIG", _values("mig", "strategy", to="single")),
    passes("the chart's default, without MIG", _values("mig", to=GONE)),
    passes("a chart without values in a program that shows no nodes", program(release("gpu-operator"))),
    fails("single", _research("mig", "strategy", to="single"), _RESEARCH, words="'single'"),
    fails("none", _research("mig", "strategy", to="none"), _RESEARCH, words="'none'"),
    fails("the chart's default", _research("mig", to=GONE), _RESEARCH),
    fails(
        "the chart's default beside a label",
        program(release("gpu-operator"), _cut_pool("all-1g.10gb")),
        "theirs",
        words="the MIG strategy 'single'",
    ),
    fails("the chart's default beside a node group", program(release("gpu-operator"), _CUT_GROUP), "theirs"),
    fails("the chart's default beside an overlay", program(release("gpu-operator"), _SLICES), "theirs"),
    fails(
        "the chart's default beside a limit in slices",
        program(release("gpu-operator"), node_pool(_P5, limits={"nvidia.com/mig-1g.10gb": "7"}, name="pool")),
        "theirs",
    ),
    fails(
        "the chart's default beside a quota of slices",
        program(
            release("gpu-operator"),
            resource(
                "kubernetes:core/v1:ResourceQuota",
                "quota",
                {"spec": {"hard": {"requests.nvidia.com/mig-1g.10gb": "7"}}},
            ),
        ),
        "theirs",
    ),
    fails("none, beside a config that cuts GPUs", _theirs({"mig": {"strategy": "none"}, **_CUTS}), "theirs"),
    passes("none, beside a config that cuts no GPU", _theirs({"mig": {"strategy": "none"}, **_CUTS_NOTHING})),
    passes("the chart's default beside MIG switched off", program(release("gpu-operator"), _cut_pool("all-disabled"))),
    passes(
        "the chart's default beside nodes that the operator does not serve",
        program(release("gpu-operator"), _cut_pool("all-1g.10gb", **{"nvidia.com/gpu.deploy.operands": "false"})),
    ),
    passes(
        "the chart's default beside nodes without the operator's device plugin",
        program(release("gpu-operator"), _cut_pool("all-1g.10gb", **{"nvidia.com/gpu.deploy.device-plugin": "false"})),
    ),
    undecided("values not known", _values(to=UNKNOWN), _NAME),
    undecided("the strategy not known", _values("mig", "strategy", to=UNKNOWN), _NAME),
)

_WORKER = ("node-feature-discovery", "worker", "tolerations")

TOLERATES = cases_of(
    "operator-tolerates-taints",
    passes("every taint tolerated", shipped_stack("prod")),
    passes(
        "every taint tolerated, and one tolerated by name", _values("daemonsets", "tolerations", to=[*_SOME, *_ALL])
    ),
    passes("other charts", _theirs({}, "nginx")),
    fails("one taint tolerated", _values("daemonsets", "tolerations", to=_SOME), _NAME, words="daemonsets.tolerations"),
    passes(
        "every taint of the effect of all taints tolerated",
        _values("daemonsets", "tolerations", to=[{"operator": "Exists", "effect": "NoSchedule"}]),
    ),
    fails(
        "every taint of another effect tolerated",
        _values("daemonsets", "tolerations", to=[{"operator": "Exists", "effect": "NoExecute"}]),
        _NAME,
    ),
    fails(
        "a toleration with the operator Equal", _values("daemonsets", "tolerations", to=[{"operator": "Equal"}]), _NAME
    ),
    fails("feature discovery left out", _values(*_WORKER, to=GONE), _NAME, words="node-feature-discovery.worker"),
    passes("the chart's defaults in a program that shows no nodes", program(release("gpu-operator"))),
    undecided("tolerations not known", _values("daemonsets", "tolerations", to=UNKNOWN), _NAME),
    undecided("values not known", _values(to=UNKNOWN), _NAME),
    undecided("the only toleration not known", _values("daemonsets", "tolerations", to=[UNKNOWN]), _NAME),
)

_AGENT = ("prod", "Addon", "eks-node-monitoring-agent", ("configurationValues",))
_BOTH = "gpu-prod-addons-eks-node-monitoring-agent"


def _addon(text: Any, name: str = "eks-node-monitoring-agent") -> Any:
    return resource("aws:eks/addon:Addon", "agent", {"addonName": name, "configurationValues": text})


def _with_dcgm(agent: Any, enabled: Any = True) -> Build:
    return program(release("gpu-operator", values={"dcgm": {"enabled": enabled}}), agent)


ENGINE = cases_of(
    "one-dcgm-engine",
    passes("one engine on each node", shipped_stack("prod")),
    passes("one engine on each node of research", shipped_stack("research")),
    passes("the operator's engine off", _with_dcgm(_addon("{}"), enabled=False)),
    passes("the operator's engine at its default, which is off", program(release("gpu-operator"), _addon("{}"))),
    passes(
        "another chart with the same value", program(release("dcgm", values={"dcgm": {"enabled": True}}), _addon("{}"))
    ),
    passes("another add-on", _with_dcgm(_addon("{}", "coredns"))),
    passes("the agent's engine off", _with_dcgm(_addon('{"dcgmAgent": {"enabled": false}}'))),
    passes(
        "the agent's engine on other nodes",
        _with_dcgm(_addon('{"dcgmAgent": {"nodeSelector": {"nvidia.com/gpu.deploy.operands": "false"}}}')),
    ),
    passes(
        "the agent's engine on nodes without the operator's engine",
        _with_dcgm(_addon('{"dcgmAgent": {"nodeSelector": {"nvidia.com/gpu.deploy.dcgm": "false"}}}')),
    ),
    fails(
        "the agent's engine on nodes that the operator serves too",
        _with_dcgm(_addon('{"dcgmAgent": {"nodeSelector": {"kubernetes.io/os": "linux"}}}')),
        "agent",
    ),
    fails("the agent with its defaults", with_value(*_AGENT, GONE), _BOTH),
    fails("the agent's config empty", with_value(*_AGENT, ""), _BOTH),
    fails("the agent's engine on everywhere", with_value(*_AGENT, '{"dcgmAgent": {"enabled": true}}'), _BOTH),
    fails(
        "the agent's engine on everywhere, written as YAML", with_value(*_AGENT, "dcgmAgent: {nodeSelector: {}}"), _BOTH
    ),
    fails("an agent of another program", _with_dcgm(_addon("null")), "agent"),
    undecided("the agent's config not known", with_value(*_AGENT, UNKNOWN)),
    undecided("the operator's engine not known", _values("dcgm", "enabled", to=UNKNOWN)),
    fails("a section that is empty", _with_dcgm(_addon("dcgmAgent:")), "agent"),
)

CASES = (*LEGAL, *DRIVER, *STRATEGY, *TOLERATES, *ENGINE)
