"""Cases of the rule about tags."""

from typing import Any

from gpu_blueprint.records import replace
from policies import UNKNOWN

from .stacks import (
    GONE,
    Build,
    cases_of,
    fails,
    passes,
    program,
    resource,
    shipped_stack,
    undecided,
    with_value,
)

_ALL = {"owner": "us", "environment": "test", "cost-center": "7"}
_OF_NODE = {"environment": "test", "pool": "main"}
_CLASS = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"


def _tagged(type_: str = "aws:sqs/queue:Queue", tags: Any = None, default_tags: Any = None) -> Build:
    return program(
        resource(type_, "theirs", {"tags": tags} if tags is not None else {}, default_tags=default_tags or {})
    )


def _class(tags: Any) -> Build:
    return program(resource(_CLASS, "theirs", {"spec": {"tags": tags}}))


def _no_default_tags() -> Any:
    stack = shipped_stack("dev")()
    return replace(stack, resources=[replace(vpc, default_tags={}) for vpc in stack.select("Vpc")])


_TYPES = (
    *("aws:ec2/vpc:Vpc", "aws:ec2/subnet:Subnet", "aws:ec2/natGateway:NatGateway", "aws:ec2/eip:Eip"),
    *("aws:ec2/vpcEndpoint:VpcEndpoint", "aws:ec2/securityGroup:SecurityGroup", "aws:eks/cluster:Cluster"),
    *("aws:eks/nodeGroup:NodeGroup", "aws:eks/addon:Addon", "aws:cloudwatch/logGroup:LogGroup", "aws:kms/key:Key"),
    *("aws:iam/role:Role", "aws:ec2/launchTemplate:LaunchTemplate"),
)
"""Types that cost money or hold rights."""
_VALUES = {"owner": "us", "team": "them"}

CASES = cases_of(
    "required-tags",
    *(fails(f"no tags on {type_}", _tagged(type_), "theirs") for type_ in _TYPES),
    fails(
        "a tag with a value",
        _tagged(tags={"a": "b"}),
        "theirs",
        values=_VALUES,
        remedied={"tags": {"a": "b", "owner": "us"}},
    ),
    fails("no tags, one with a value", _tagged(), "theirs", values=_VALUES, remedied={"tags": {"owner": "us"}}),
    fails("tags without values", _tagged(), "theirs", remedied=None),
    fails(
        "a node class, which a new tag would drain",
        _class({"pool": "main"}),
        "theirs",
        values={"environment": "test"},
        remedied=None,
    ),
    passes("default tags and tags of node classes", shipped_stack("prod")),
    passes("tags on the resource", _tagged(tags=_ALL)),
    passes("some tags on the resource, others on the provider", _tagged(tags={"owner": "us"}, default_tags=_ALL)),
    passes("no tags required", _tagged(), required=[]),
    passes("a resource that takes no tags", _tagged("aws:ec2/route:Route")),
    passes("a role of Kubernetes", _tagged("kubernetes:rbac.authorization.k8s.io/v1:Role")),
    fails("no tags", _tagged(), "theirs", words="owner, environment, cost-center"),
    fails("one tag missing", _tagged(tags={"owner": "us", "cost-center": "7"}), "theirs", words="no tag environment;"),
    fails("a provider without default tags", _no_default_tags, "gpu-dev-network-vpc"),
    fails(
        "a node class without its environment",
        with_value("prod", "EC2NodeClass", "infer-l40s", ("spec", "tags", "environment"), GONE),
        "infer-l40s-node-class",
        words="no tag environment;",
    ),
    passes("a node class without its pool, which Karpenter tags by itself", _class({"environment": "test"})),
    passes("a node class with the tags of other resources", _class(_ALL)),
    fails("a node class whose environment is empty", _class({"environment": "", "pool": "main"}), "theirs"),
    fails("tags of a node class that are text", _class("environment=test"), "theirs", words="environment;"),
    fails("tags of a node class that are a list of text", _class(["environment", "pool"]), "theirs"),
    fails("a node class without spec", program(resource(_CLASS, "theirs", {})), "theirs"),
    fails("a tag that the environment demands on nodes", _class(_OF_NODE), "theirs", requiredOnNodes=["team"]),
    passes("a node class without owner and cost centre", _class(_OF_NODE)),
    passes("a node class with further tags", _class({**_OF_NODE, "backup": "no"})),
    passes("numbers as values", _class({"environment": "test", "pool": 7})),
    passes("tags as keys and values", _tagged(tags=[{"key": key, "value": value} for key, value in _ALL.items()])),
    passes("tags as Keys and Values", _tagged(tags=[{"Key": key, "Value": value} for key, value in _ALL.items()])),
    fails("one tag missing in a list", _tagged(tags=[{"key": "owner", "value": "us"}]), "theirs"),
    undecided("a tag in a list not known", _tagged(tags=[UNKNOWN]), "theirs"),
    undecided("the environment of a node class not known", _class({"environment": UNKNOWN}), "theirs"),
    fails(
        "a tag missing beside a tag not known",
        _class({"environment": UNKNOWN}),
        "theirs",
        words="no tag pool;",
        requiredOnNodes=["environment", "pool"],
    ),
    fails(
        "a node class without tags",
        with_value("prod", "EC2NodeClass", "infer-l40s", ("spec", "tags"), GONE),
        "infer-l40s-node-class",
    ),
    fails("a tag that the environment demands", _tagged(tags=_ALL), "theirs", required=["team"], words="no tag team;"),
    undecided("a value not known", _tagged(tags={**_ALL, "owner": UNKNOWN}), "theirs"),
    undecided(
        "tags of a node class not known", program(resource(_CLASS, "theirs", {"spec": {"tags": UNKNOWN}})), "theirs"
    ),
    undecided("tags not known", _tagged(tags=UNKNOWN), "theirs"),
    fails("an empty value", _tagged(tags={**_ALL, "owner": ""}), "theirs"),
)
