"""Cases of the rule that holds the quotas of queues against the limits of NodePools."""

from typing import Any

from policies import UNKNOWN, Resource

from .queues import KUEUE, flavor_of
from .stacks import (
    cases_of,
    fails,
    node_pool,
    passes,
    program,
    requirement,
    resource,
    shipped_stack,
    undecided,
    with_value,
)

_GPU = "nvidia.com/gpu"


def _pool(name: str = "train", limits: Any = None, labels: Any = None, *requirements: Any) -> Resource:
    template = {"metadata": {"labels": {"pool": "train"} if labels is None else labels}}
    given = {_GPU: 8, "cpu": "1"} if limits is None else limits
    return node_pool(*requirements, name=name, template=template, limits=given)


def _hold(quantity: Any = 8, name: str = "team", flavor: str = "train", kind: str = "ClusterQueue") -> Resource:
    quotas = [{"name": _GPU, "nominalQuota": quantity}, {"name": "memory", "nominalQuota": "64Gi"}]
    groups = [{"flavors": [{"name": flavor, "resources": quotas}]}]
    return resource(f"{KUEUE}:{kind}", name, {"metadata": {"name": name}, "spec": {"resourceGroups": groups}})


_ONE = _hold(1, "one")
_BY_NAME = flavor_of("named", nodeLabels={"karpenter.sh/nodepool": "train"})
_SPOT = flavor_of(nodeLabels={"pool": "train", "karpenter.sh/capacity-type": "spot"})
_GROUP = "aws:eks/nodeGroup:NodeGroup"
CASES = cases_of(
    "queues-within-limits",
    passes("our stack with queues", shipped_stack("research")),
    fails(
        "our stack with a smaller pool",
        with_value("research", "NodePool", "a100-train", ("spec", "limits", _GPU), "8"),
        "gpu-research-a100-train-node-pool",
    ),
    passes("quotas up to the limit", program(_pool(), flavor_of(), _hold(7), _ONE)),
    fails(
        "quotas above the limit",
        program(_pool(), flavor_of(), _hold(8), _ONE),
        "train",
        words="queues promise 9 nvidia.com/gpu on nodes of train, limited to 8",
    ),
    fails("a cohort beside a queue", program(_pool(), flavor_of(), _hold(8), _hold(1, "all", kind="Cohort")), "train"),
    fails("quotas as text", program(_pool(limits={_GPU: "16"}), flavor_of(), _hold("17")), "train"),
    fails("thousands", program(_pool(limits={_GPU: "16"}), flavor_of(), _hold("16k")), "train", words="16000"),
    passes("a limit of thousands", program(_pool(limits={_GPU: "16k"}), flavor_of(), _hold("16"))),
    passes("a limit with an exponent", program(_pool(limits={_GPU: "1e3"}), flavor_of(), _hold(1000))),
    fails("parts of a unit", program(_pool(limits={_GPU: "1"}), flavor_of(), _hold("1001m")), "train", words="1.001"),
    passes(
        "parts that add up to the limit",
        program(_pool(limits={_GPU: "300m"}), flavor_of(), _hold("100m"), _hold("200m", "b")),
    ),
    undecided("labels of a flavor not known", program(_pool(), flavor_of(nodeLabels=UNKNOWN), _hold(9)), "train"),
    passes("a quota without count", program(_pool(), flavor_of(), _hold(None))),
    fails("memory", program(_pool(limits={"memory": "63Gi"}), flavor_of(), _hold()), "train", words="memory"),
    passes("no limit of the resource", program(_pool(limits={"nodes": 1}), flavor_of(), _hold(800))),
    passes("no limits", program(_pool(limits={}), flavor_of(), _hold(800))),
    passes("another flavor", program(_pool(), flavor_of(), _hold(800, flavor="other"))),
    passes("a flavor of another pool", program(_pool(), flavor_of("other"), _hold(800, flavor="other"))),
    passes("a flavor of no nodes", program(_pool(), flavor_of(nodeLabels={}), _hold(800))),
    passes(
        "a part of the labels fits", program(_pool(), flavor_of(nodeLabels={"pool": "train", "a": "b"}), _hold(800))
    ),
    passes(
        "labels of no NodePool", program(_pool(), flavor_of(nodeLabels={"nvidia.com/gpu.product": "A"}), _hold(800))
    ),
    fails(
        "a label that the machine gives",
        program(_pool(), flavor_of(nodeLabels={"pool": "train", "nvidia.com/gpu.product": "A"}), _hold(9)),
        "train",
    ),
    *(
        fails(f"a label {key}", program(_pool(), flavor_of(nodeLabels={"pool": "train", key: "a"}), _hold(9)), "train")
        for key in ("kubernetes.io/a", "topology.kubernetes.io/a", "k8s.io/a", "karpenter.k8s.aws/instance-family")
    ),
    *(
        passes(f"a label {key}", program(_pool(), flavor_of(nodeLabels={"pool": "train", key: "a"}), _hold(9)))
        for key in ("mykubernetes.io/a", "nvidia.com")
    ),
    fails("a flavor that names the NodePool", program(_pool(), _BY_NAME, _hold(9, flavor="named")), "train"),
    passes("a flavor that names another", program(_pool("other"), _BY_NAME, _hold(9, flavor="named"))),
    fails(
        "two flavors of one NodePool",
        program(_pool(), flavor_of(), _BY_NAME, _hold(5), _hold(4, "b", flavor="named")),
        "train",
        words="promise 9",
    ),
    passes("two NodePools for a flavor", program(_pool(), _pool("more"), flavor_of(), _hold(16))),
    fails(
        "too much for two NodePools",
        program(_pool(), _pool("more"), flavor_of(), _hold(17)),
        "train",
        words="on nodes of train and more, limited to 16",
    ),
    passes("a second NodePool without limit", program(_pool(), _pool("more", {"cpu": 1}), flavor_of(), _hold(17))),
    passes("a first NodePool without limit", program(_pool(limits={"cpu": 1}), _pool("more"), flavor_of(), _hold(17))),
    fails(
        "the flavor of one among two",
        program(_pool(), _pool("more"), flavor_of(), _BY_NAME, _hold(7), _hold(10, "b", flavor="named")),
        "train",
        "train",
        words=("promise 17", "promise 10"),
    ),
    fails(
        "a requirement that gives the label",
        program(_pool("a", None, {}, requirement("pool", "train", "b")), flavor_of(), _hold(9)),
        "a",
    ),
    passes(
        "a requirement of another label",
        program(_pool("a", None, {}, requirement("pool", "b")), flavor_of(), _hold(9)),
    ),
    fails("a capacity type that is left open", program(_pool(), _SPOT, _hold(9)), "train"),
    passes(
        "another capacity type",
        program(
            _pool("a", None, None, requirement("karpenter.sh/capacity-type", "on-demand")),
            _SPOT,
            _hold(9),
        ),
    ),
    passes(
        "a node group beside it",
        program(_pool(), flavor_of(), _hold(9), resource(_GROUP, "group", {"labels": {"pool": "train", "a": "b"}})),
    ),
    passes(
        "a node group of the same labels",
        program(_pool(), flavor_of(), _hold(9), resource(_GROUP, "group", {"labels": {"pool": "train"}})),
    ),
    fails(
        "a node group of others",
        program(_pool(), flavor_of(), _hold(9), resource(_GROUP, "group", {"labels": {"pool": "other"}})),
        "train",
    ),
    fails(
        "a group that is no node group",
        program(_pool(), flavor_of(), _hold(9), resource("gcp:a:NodeGroup", "group", {"labels": {"pool": "train"}})),
        "train",
    ),
    passes(
        "a NodePool of another maker",
        program(resource("gcp:container:NodePool", "train", _pool().props), flavor_of(), _hold(9)),
    ),
    passes(
        "a queue of another maker",
        program(_pool(), flavor_of(), resource("other:a:ClusterQueue", "team", _hold(9).props)),
    ),
    undecided("a quota not known", program(_pool(), flavor_of(), _hold(UNKNOWN)), "train"),
    fails(
        "a quota not known beside one too large", program(_pool(), flavor_of(), _hold(9), _hold(UNKNOWN, "b")), "train"
    ),
    undecided("a limit not known", program(_pool(limits={_GPU: UNKNOWN}), flavor_of(), _hold(9)), "train"),
)
