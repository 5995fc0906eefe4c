"""Who may do what in AWS: every IAM document of the plans, and Karpenter's permissions statement by statement."""

import json
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from ..support.plans import SHIPPED, plan, shipped_config, some

with (
    warnings.catch_warnings()
):  # parliament leaves its own files open when it is loaded; its patterns are no raw strings
    warnings.simplefilter("ignore", ResourceWarning)
    warnings.simplefilter("ignore", DeprecationWarning)
    from parliament import analyze_policy_string

Document = dict[str, Any]

SERVICES = {
    "-cluster-control-plane": "eks.amazonaws.com",
    "-system": "ec2.amazonaws.com",
    "-karpenter-nodes": "ec2.amazonaws.com",
    "-karpenter": "pods.eks.amazonaws.com",
    "-aws-ebs-csi-driver": "pods.eks.amazonaws.com",
}
MANAGED = {
    "-cluster-control-plane": {"AmazonEKSClusterPolicy"},
    "-system": {
        "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    },
    "-karpenter-nodes": {
        "AmazonEKSWorkerNodePolicy", "AmazonEKS_CNI_Policy", "AmazonEC2ContainerRegistryPullOnly",
        "AmazonSSMManagedInstanceCore",
    },
    "-aws-ebs-csi-driver": {"service-role/AmazonEBSCSIDriverPolicy"},
}  # fmt: skip

KNOWN_FINDINGS = {
    # A launch touches resources of several kinds, each under its own conditions; parliament sees one statement at a time.
    "-karpenter-node-lifecycle": ["RESOURCE_MISMATCH"] * 3,
    # The action takes no cluster as a resource; the condition names the one it is limited to.
    "-karpenter-zonal-shift": ["RESOURCE_STAR"],
    # Public parameters belong to no account.
    "-karpenter-resource-discovery": ["RESOURCE_MISMATCH"],
}


def documents(stack: str, field: str) -> Iterator[tuple[str, Document]]:
    """Name after the cluster's → document."""
    for found in plan(stack):
        if field in found.inputs and found.type.startswith("aws:"):
            yield found.name.removeprefix(f"gpu-{stack}"), json.loads(found.inputs[field])


def policies(stack: str) -> dict[str, Document]:
    return dict(documents(stack, "policy"))


def trusts(stack: str) -> dict[str, Document]:
    return {name.removesuffix("-role"): found for name, found in documents(stack, "assumeRolePolicy")}


def every_statement(stack: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, found in (*policies(stack).items(), *trusts(stack).items()):
        assert found["Version"] == "2012-10-17", name
        yield from ((name, statement) for statement in found["Statement"])


def as_set(value: Any) -> frozenset[str]:
    return frozenset([value] if isinstance(value, str) else value)


def findings(document: Document) -> list[str]:
    return sorted(finding.issue for finding in analyze_policy_string(json.dumps(document)).findings)


@pytest.mark.parametrize("stack", SHIPPED)
def test_parliament_finds_nothing_new_in_policies(stack: str) -> None:
    found = {name: findings(policy) for name, policy in policies(stack).items()}
    assert len(found) == (8 if stack == "prod" else 7)  # prod has the topic of its billing
    assert {name: issues for name, issues in found.items() if issues} == KNOWN_FINDINGS


@pytest.mark.parametrize("stack", SHIPPED)
def test_parliament_finds_nothing_in_trust_policies_but_that_they_name_no_resource(stack: str) -> None:
    """A trust policy belongs to its role, so it has no resource; parliament knows only policies that have one."""
    for name, found in trusts(stack).items():
        assert findings(found) == ["MALFORMED"], name
        with_resource = [{**statement, "Resource": "*"} for statement in found["Statement"]]
        assert set(findings({**found, "Statement": with_resource})) <= {"RESOURCE_STAR", "RESOURCE_MISMATCH"}, name


def test_parliament_would_find_an_action_that_does_not_exist() -> None:
    wrong = {"Effect": "Allow", "Action": "ec2:RunInstance", "Resource": "*"}
    assert "UNKNOWN_ACTION" in findings({"Version": "2012-10-17", "Statement": [wrong]})


@pytest.mark.parametrize("stack", SHIPPED)
def test_nothing_is_allowed_by_a_wildcard_of_actions_or_to_everybody(stack: str) -> None:
    for name, statement in every_statement(stack):
        if statement["Effect"] == "Allow":
            assert not {"NotAction", "NotResource", "NotPrincipal"} & set(statement), name
            assert not [action for action in as_set(statement["Action"]) if "*" in action], name
            assert "*" not in json.dumps(statement.get("Principal", "")), name


@pytest.mark.parametrize("stack", SHIPPED)
def test_each_role_trusts_one_service_and_pods_of_one_cluster(stack: str) -> None:
    config = shipped_config(stack)
    cluster = f"arn:aws:eks:{config.region}:{config.account_id}:cluster/gpu-{stack}"
    here = {"StringEquals": {"aws:SourceAccount": config.account_id, "aws:SourceArn": cluster}}
    assert set(trusts(stack)) == set(SERVICES)
    for role, service in SERVICES.items():
        (statement,) = trusts(stack)[role]["Statement"]
        pods = service.startswith("pods.")
        assert statement["Principal"] == {"Service": service}
        assert as_set(statement["Action"]) == {"sts:AssumeRole", *(["sts:TagSession"] if pods else [])}
        assert statement.get("Condition") == (here if pods else None)


@pytest.mark.parametrize("stack", SHIPPED)
def test_each_role_has_exactly_these_managed_policies(stack: str) -> None:
    attached: dict[str, set[str]] = {}
    for found in some(plan(stack), "RolePolicyAttachment"):
        if isinstance(found.inputs["policyArn"], str):
            role = found.parent.rsplit("::", 1)[1].removeprefix(f"gpu-{stack}")
            attached.setdefault(role, set()).add(found.inputs["policyArn"].removeprefix("arn:aws:iam::aws:policy/"))
    assert attached == MANAGED


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_queue_takes_events_from_aws_over_tls_only(stack: str) -> None:
    config = shipped_config(stack)
    queue = f"arn:aws:sqs:{config.region}:{config.account_id}:gpu-{stack}"
    allow, deny = policies(stack)["-karpenter-interruption-policy"]["Statement"]
    assert (allow["Effect"], allow["Action"], allow["Resource"]) == ("Allow", "sqs:SendMessage", queue)
    assert as_set(allow["Principal"]["Service"]) == {"events.amazonaws.com", "sqs.amazonaws.com"}
    assert (deny["Effect"], deny["Action"], deny["Principal"], deny["Resource"]) == ("Deny", "sqs:*", "*", queue)
    assert deny["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}


Statement = tuple[frozenset[str], frozenset[str], dict[str, dict[str, frozenset[str]]]]
"""Actions, resources, and operator → key → values."""


def conditions(given: dict[str, dict[str, Any]]) -> dict[str, dict[str, frozenset[str]]]:
    return {operator: {key: as_set(value) for key, value in keys.items()} for operator, keys in given.items()}


def statement(actions: str, resources: list[str], **given: dict[str, Any]) -> Statement:
    named = {operator.replace("__", ":"): keys for operator, keys in given.items()}
    return frozenset(actions.split()), frozenset(resources), conditions(named)


def controller_permissions(region: str, account: str, cluster: str) -> dict[str, dict[str, Statement]]:
    """Policy → statement → what Karpenter's documentation (v1.14.1) demands of it for one cluster."""
    arn = f"arn:aws:eks:{region}:{account}:cluster/{cluster}"
    here = {"aws:RequestedRegion": region}
    describe = (
        "CapacityReservations Images Instances InstanceStatus InstanceTypeOfferings InstanceTypes LaunchTemplates "
        "PlacementGroups SecurityGroups SpotPriceHistory Subnets"
    )
    reads = " ".join(f"ec2:Describe{kind}" for kind in describe.split())
    node_role = f"arn:aws:iam::{account}:role/{cluster}-karpenter-nodes"
    any_profile = [f"arn:aws:iam::{account}:instance-profile/*"]
    return {
        "node-lifecycle": node_lifecycle(region, cluster),
        "iam-integration": {
            "AllowPassingInstanceRole": statement(
                "iam:PassRole", [node_role], StringEquals={"iam:PassedToService": "ec2.amazonaws.com"}
            ),
            **instance_profiles(region, cluster, any_profile),
        },
        "eks-integration": {"AllowAPIServerEndpointDiscovery": statement("eks:DescribeCluster", [arn])},
        "interruption": {
            "AllowInterruptionQueueActions": statement(
                "sqs:DeleteMessage sqs:GetQueueUrl sqs:ReceiveMessage", [f"arn:aws:sqs:{region}:{account}:{cluster}"]
            )
        },
        "zonal-shift": {
            "AllowZonalShiftStatusReadOnly": statement(
                "arc-zonal-shift:GetManagedResource", ["*"], StringEquals={"arc-zonal-shift:ResourceIdentifier": arn}
            )
        },
        "resource-discovery": {
            "AllowRegionalReadActions": statement(reads, ["*"], StringEquals=here),
            "AllowSSMReadActions": statement("ssm:GetParameter", [f"arn:aws:ssm:{region}::parameter/aws/service/*"]),
            "AllowPricingReadActions": statement("pricing:GetProducts", ["*"]),
            "AllowUnscopedInstanceProfileListAction": statement("iam:ListInstanceProfiles", ["*"]),
            "AllowInstanceProfileReadActions": statement("iam:GetInstanceProfile", any_profile),
        },
    }


def node_lifecycle(region: str, cluster: str) -> dict[str, Statement]:
    def ec2(kinds: str, account: str = "*") -> list[str]:
        return [f"arn:aws:ec2:{region}:{account}:{kind}/*" for kind in kinds.split()]

    mine, name = f"kubernetes.io/cluster/{cluster}", "eks:eks-cluster-name"
    owned = {f"aws:ResourceTag/{mine}": "owned"}
    of_pool = {"aws:ResourceTag/karpenter.sh/nodepool": "*"}
    asked = {f"aws:RequestTag/{mine}": "owned", f"aws:RequestTag/{name}": cluster}
    for_pool = {"aws:RequestTag/karpenter.sh/nodepool": "*"}
    launch = "ec2:RunInstances ec2:CreateFleet"
    made = ec2("fleet instance volume network-interface launch-template spot-instances-request")
    used = [*ec2("image snapshot", ""), *ec2("security-group subnet capacity-reservation placement-group")]
    creating = {"ec2:CreateAction": ["RunInstances", "CreateFleet", "CreateLaunchTemplate"]}
    return {
        "AllowScopedEC2InstanceAccessActions": statement(launch, used),
        "AllowScopedEC2LaunchTemplateAccessActions": statement(
            launch, ec2("launch-template"), StringEquals=owned, StringLike=of_pool
        ),
        "AllowScopedEC2InstanceActionsWithTags": statement(
            f"{launch} ec2:CreateLaunchTemplate", made, StringEquals=asked, StringLike=for_pool
        ),
        "AllowScopedResourceCreationTagging": statement(
            "ec2:CreateTags", made, StringEquals={**asked, **creating}, StringLike=for_pool
        ),
        "AllowScopedResourceTagging": statement(
            "ec2:CreateTags",
            ec2("instance"),
            StringEquals=owned,
            StringLike=of_pool,
            StringEqualsIfExists={f"aws:RequestTag/{name}": cluster},
            ForAllValues__StringEquals={"aws:TagKeys": [name, "karpenter.sh/nodeclaim", "Name"]},
        ),
        "AllowScopedDeletion": statement(
            "ec2:TerminateInstances ec2:DeleteLaunchTemplate",
            ec2("instance launch-template"),
            StringEquals=owned,
            StringLike=of_pool,
        ),
    }


def instance_profiles(region: str, cluster: str, any_profile: list[str]) -> dict[str, Statement]:
    def tags(of: str, **more: str) -> dict[str, str]:
        own = {f"kubernetes.io/cluster/{cluster}": "owned", "topology.kubernetes.io/region": region, **more}
        return {f"aws:{of}Tag/{key}": value for key, value in own.items()}

    asked = tags("Request", **{"eks:eks-cluster-name": cluster})
    of_class = {"aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "*"}
    for_class = {"aws:RequestTag/karpenter.k8s.aws/ec2nodeclass": "*"}
    change = "iam:AddRoleToInstanceProfile iam:RemoveRoleFromInstanceProfile iam:DeleteInstanceProfile"
    return {
        "AllowScopedInstanceProfileCreationActions": statement(
            "iam:CreateInstanceProfile", any_profile, StringEquals=asked, StringLike=for_class
        ),
        "AllowScopedInstanceProfileTagActions": statement(
            "iam:TagInstanceProfile",
            any_profile,
            StringEquals={**tags("Resource"), **asked},
            StringLike={**of_class, **for_class},
        ),
        "AllowScopedInstanceProfileActions": statement(
            change, any_profile, StringEquals=tags("Resource"), StringLike=of_class
        ),
    }


@pytest.mark.parametrize("stack", SHIPPED)
def test_karpenter_may_do_what_its_documentation_demands_and_no_more(stack: str) -> None:
    config = shipped_config(stack)
    for policy, demanded in controller_permissions(config.region, config.account_id, f"gpu-{stack}").items():
        given = policies(stack)[f"-karpenter-{policy}"]["Statement"]
        assert {one["Effect"] for one in given} == {"Allow"}
        assert {
            one["Sid"]: (as_set(one["Action"]), as_set(one["Resource"]), conditions(one.get("Condition", {})))
            for one in given
        } == demanded
