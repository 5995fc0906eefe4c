"""Cases of the rules about disruption, purchase and interruption."""

from typing import Any

from policies import UNKNOWN

from .stacks import (
    GONE,
    Build,
    beside,
    broken,
    fails,
    foreign,
    node_pool,
    of,
    passes,
    release,
    requirement,
    resource,
    shipped,
    undecided,
    without,
)

_TYPE, _ZONE = "node.kubernetes.io/instance-type", "topology.kubernetes.io/zone"
_BUYS = "karpenter.sh/capacity-type"
_NODE = ("spec", "template", "spec")
_TRAINS = {"gpu-blueprint/purpose": "training"}
_TRAINING = "train-h100-node-pool"
_POLICY = ("spec", "disruption", "consolidationPolicy")
_H100 = requirement(_TYPE, "p5.48xlarge")


def _trains(path: tuple[str | int, ...], value: Any, stack: str | Build = "prod") -> Build:
    return broken(stack, "NodePool", "train-h100", path, value)


KEPT = of(
    "training-not-consolidated",
    passes("training pools that are left alone", shipped("prod")),
    passes("training on CPUs", foreign(node_pool(requirement(_TYPE, "m7i.xlarge"), labels=_TRAINS))),
    fails("a purpose in the words of another program", foreign(node_pool(_H100, labels={"team/kind": "train"})), "theirs", label="team/kind", training=["train", "tune"]),
    passes("pools of others that do not say what they are for", foreign(node_pool(_H100))),
    fails("training consolidated", _trains(_POLICY, "WhenEmptyOrUnderutilized"), _TRAINING, words="WhenEmptyOrUnderutilized"),
    fails("the default, which consolidates", _trains(("spec", "disruption"), GONE), _TRAINING),
    fails("a purpose that only nodes are labelled with", foreign(node_pool(_H100, template={"metadata": {"labels": _TRAINS}})), "theirs"),
    undecided("the policy not known", _trains(_POLICY, UNKNOWN), _TRAINING),
    undecided("labels not known", _trains(("metadata", "labels"), UNKNOWN), _TRAINING),
    undecided("the purpose not known", _trains(("metadata", "labels", "gpu-blueprint/purpose"), UNKNOWN, _trains(_POLICY, "WhenEmptyOrUnderutilized")),
              _TRAINING),
    passes("the policy of a pool for inference not known", broken("prod", "NodePool", "infer-l40s", _POLICY, UNKNOWN)),
)  # fmt: skip

_SPOT = requirement(_BUYS, "spot", "on-demand")
_BOUGHT = (*_NODE, "requirements", 0)
_RESUMES = {**_TRAINS, "gpu-blueprint/checkpointed": "true"}

CHECKPOINTED = of(
    "training-on-spot-checkpointed",
    passes("no training on spot", shipped("prod")),
    passes("inference on spot", shipped("dev")),
    passes("training on spot that resumes", broken(_trains(_BOUGHT, _SPOT), "NodePool", "train-h100", ("metadata", "labels"), _RESUMES)),
    passes("training that resumes, in the words of another program", foreign(node_pool(_H100, _SPOT, labels={**_TRAINS, "team/resumes": "true"})),
           checkpointed="team/resumes"),
    fails("training on spot, in the words of another program", foreign(node_pool(_H100, _SPOT, labels={"team/kind": "tune"})), "theirs", label="team/kind", training=["tune"]),
    passes("training on demand", foreign(node_pool(_H100, requirement(_BUYS, "on-demand"), labels=_TRAINS))),
    fails("training on spot", _trains(_BOUGHT, _SPOT), _TRAINING),
    fails("training of others on spot", foreign(node_pool(_H100, _SPOT, labels=_TRAINS)), "theirs"),
    fails("training on whatever there is", foreign(node_pool(_H100, labels=_TRAINS)), "theirs"),
    fails("training on whatever there is, said so", foreign(node_pool(_H100, requirement(_BUYS, operator="Exists"), labels=_TRAINS)), "theirs"),
    fails("training on all but on-demand", foreign(node_pool(_H100, requirement(_BUYS, "on-demand", operator="NotIn"), labels=_TRAINS)), "theirs"),
    undecided("labels not known", _trains(("metadata", "labels"), UNKNOWN), _TRAINING),
    undecided("requirements not known", _trains((*_NODE, "requirements"), UNKNOWN), _TRAINING),
    undecided("what is bought not known", _trains((*_BOUGHT, "values"), UNKNOWN), _TRAINING),
)  # fmt: skip

_ZONES = requirement(_ZONE, "us-east-1a", "us-east-1b", "us-east-1c", "us-east-1d", "us-east-1f")


def _offered(*requirements: Any) -> Build:
    return foreign(node_pool(*requirements))


DIVERSE = of(
    "spot-diverse",
    passes("many types in three zones", shipped("prod")),
    passes("one type on demand", _offered(_H100, requirement(_BUYS, "on-demand"), requirement(_ZONE, "us-east-1a"))),
    passes("CPUs on spot", _offered(requirement(_TYPE, "m7i.xlarge"), _SPOT, requirement(_ZONE, "us-east-1a"))),
    passes("just enough", _offered(_H100, _SPOT, _ZONES)),
    passes("whatever is bought, of ten offerings", _offered(_ZONES, requirement(_TYPE, "g6.xlarge", "g6.2xlarge"))),
    passes("five types wherever there are subnets", _offered(_SPOT, requirement(_TYPE, *(f"g6.{size}xlarge" for size in ("", 2, 4, 8, 12))))),
    passes("as many as the environment asks for", _offered(_H100, _SPOT, requirement(_ZONE, "us-east-1a")), minimumOfferings=1),
    fails("one type in one zone", broken(broken("dev", "NodePool", "", (*_NODE, "requirements", 1), _H100), "NodePool", "",
                                        (*_NODE, "requirements", 2), requirement(_ZONE, "us-east-1a")), "shared-l4-node-pool", words="has 1 spot"),
    fails("four offerings", _offered(requirement(_TYPE, "g6.xlarge", "g6.2xlarge"), _SPOT, requirement(_ZONE, "us-east-1a", "us-east-1b")),
          "theirs", words="has 4 spot"),
    fails("fewer than the environment asks for", _offered(_H100, _SPOT, _ZONES), "theirs", minimumOfferings=6),
    passes("any GPU in two zones", _offered(requirement("karpenter.k8s.aws/instance-gpu-manufacturer", "nvidia"), _SPOT,
                                            requirement(_ZONE, "us-east-1a", "us-east-1b"))),
    fails("one type wherever there are subnets", _offered(_H100, _SPOT), "theirs", words="has 1 spot"),
    fails("two types wherever there are subnets", _offered(requirement(_TYPE, "g6.xlarge", "g6.2xlarge"), _SPOT), "theirs"),
    passes("three types wherever there are subnets", _offered(requirement(_TYPE, "g6.xlarge", "g6.2xlarge", "g5.xlarge"), _SPOT)),
    undecided("requirements not known", broken("dev", "NodePool", "", (*_NODE, "requirements"), UNKNOWN), "shared-l4-node-pool"),
    undecided("zones not known", broken("dev", "NodePool", "", (*_NODE, "requirements", 2, "values"), UNKNOWN), "shared-l4-node-pool"),
)  # fmt: skip

BOUNDED = of(
    "node-life-bounded",
    passes("both set", shipped("prod")),
    passes("both set, one never", shipped("research")),
    passes("CPUs", foreign(node_pool(requirement(_TYPE, "m7i.xlarge")))),
    fails("no age", broken("dev", "NodePool", "", (*_NODE, "expireAfter"), GONE), "shared-l4-node-pool", words="not set expireAfter;"),
    fails("no grace", broken("dev", "NodePool", "", (*_NODE, "terminationGracePeriod"), GONE), "shared-l4-node-pool",
          words="not set terminationGracePeriod;"),
    fails("neither", foreign(node_pool(_H100)), "theirs", words="expireAfter and terminationGracePeriod"),
    undecided("the age not known", broken("dev", "NodePool", "", (*_NODE, "expireAfter"), UNKNOWN), "shared-l4-node-pool"),
    undecided("the template not known", broken("dev", "NodePool", "", _NODE, UNKNOWN), "shared-l4-node-pool"),
)  # fmt: skip

_CONTROLLER = "gpu-prod-karpenter-controller"
_SETTING = ("values", "settings", "interruptionQueue")
_OCI = "oci://public.ecr.aws/karpenter/karpenter"


def _setting(value: Any) -> Build:
    return broken("prod", "Release", "karpenter-controller", _SETTING, value)


def _queue(**inputs: Any) -> Any:
    return resource("aws:sqs/queue:Queue", "events", inputs)


SET = of(
    "interruption-queue-set",
    passes("set", shipped("prod")),
    passes("charts of others", foreign(release("nginx"), release("oci://public.ecr.aws/karpenter/karpenter-crd", "crd"))),
    fails("empty", _setting(""), _CONTROLLER),
    fails("not said", _setting(GONE), _CONTROLLER),
    fails("no values", foreign(release("karpenter")), "theirs"),
    undecided("not known", _setting(UNKNOWN), _CONTROLLER),
    undecided("values not known", broken("prod", "Release", "karpenter-controller", ("values",), UNKNOWN), _CONTROLLER),
    fails("empty in a chart that Pulumi renders", foreign(release(_OCI, type_="kubernetes:helm.sh/v4:Chart")), "theirs"),
)  # fmt: skip

MADE = of(
    "interruption-queue-made",
    passes("made here", shipped("prod")),
    passes("none named, which another rule calls wrong", _setting("")),
    passes("charts of others with such a value", foreign(release("other", values={"settings": {"interruptionQueue": "x"}}))),
    passes("the second of two queues", beside("prod", _queue(name="other"))),
    fails("another queue named", _setting("other"), _CONTROLLER, words="'other'"),
    fails("no queue made", without("prod", "Queue", "interruption"), _CONTROLLER),
    fails("a program of others", foreign(release(_OCI, values={"settings": {"interruptionQueue": "a"}}), _queue(name="b")), "theirs"),
    undecided("the setting not known", _setting(UNKNOWN)),
    undecided("the queue's name not known", foreign(release(_OCI, values={"settings": {"interruptionQueue": "a"}}), _queue(name=UNKNOWN))),
)  # fmt: skip

CASES = (*KEPT, *CHECKPOINTED, *DIVERSE, *BOUNDED, *SET, *MADE)
