"""Preflight against moto's server: what an account has is compared with what a stack says, and nothing is written."""

import json
from collections.abc import Iterator
from typing import Any

import boto3
import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.live.preflight import Status, policy, questions, run
from gpu_blueprint.live.preflight.permissions import CALLS, action

from ...components.test_platform_iam import findings
from ...support import builders
from ...support.aws_answers import (
    NO_QUOTA,
    PROD_SUBNETS,
    account,
    applied,
    ask,
    caller,
    gateways,
    images,
    offerings,
    only,
    p6,
    reservations,
)
from ...support.aws_endpoint import Endpoint, as_json, ec2_error
from ...support.plans import SHIPPED, shipped_config


def test_a_stack_that_the_account_holds_passes_with_0(aws: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preflight", "prod"]) == 0
    out = capsys.readouterr().out
    assert "21 pass. Nothing was changed." in out
    assert max(map(len, out.splitlines())) <= 100
    assert "asked as arn:aws:iam::333344445555:user/tester" in out


def test_every_operation_that_is_asked_only_reads(aws: Endpoint) -> None:
    short = applied({}, otherwise=0)
    for name in SHIPPED:  # and once where every detour is taken: defaults, listings, gateways of others
        run(shipped_config(name), account(shipped_config(name).region))
    aws.answers["GetServiceQuota"] = NO_QUOTA
    aws.answers["GetAWSDefaultServiceQuota"] = short
    aws.answers["ListServiceQuotas"] = as_json({"Quotas": []})
    aws.answers["DescribeNatGateways"] = gateways("subnet-0a1b2c3d4e5f60711")
    run(p6(), account())
    assert set(aws.asked) == {call.split(":")[1] for calls in CALLS.values() for call in calls}
    assert all(name.startswith(("Describe", "Get", "List")) for name in aws.asked)


def test_an_operation_that_could_write_is_refused_before_it_is_sent(aws: Endpoint) -> None:
    with pytest.raises(ValueError, match="only reads"):
        account().ask("ec2", "TerminateInstances", InstanceIds=["i-0a1b2c3d4e5f60718"])
    assert aws.asked == []


@pytest.mark.parametrize("name", SHIPPED)
def test_every_check_asks_no_more_than_its_row_of_permissions(aws: Endpoint, name: str) -> None:
    class Recorder:
        def __init__(self) -> None:
            self.calls: set[str] = set()
            self.real = account(stack.region)

        def ask(self, service: str, operation: str, **parameters: Any) -> Any:
            self.calls.add(action(service, operation))
            return self.real.ask(service, operation, **parameters)

    stack = shipped_config(name)
    for question in questions(stack):
        recorder = Recorder()
        question.ask(recorder)
        assert recorder.calls and recorder.calls <= set(CALLS[question.check])


def test_credentials_of_another_account_fail(aws: Endpoint) -> None:
    aws.answers["GetCallerIdentity"] = caller("111122223333")
    found = only(shipped_config("prod"), "account")
    assert found.status is Status.FAIL
    assert "of account 111122223333" in found.message and "333344445555" in found.remedy


def test_a_type_that_no_zone_of_its_pool_has_fails_and_says_where_it_is(aws: Endpoint) -> None:
    # moto's own data: p6-b200.48xlarge is in us-east-1c only.
    found = only(p6(), "types in zones", "main")
    assert found.status is Status.FAIL
    assert "not offered in us-east-1a, us-east-1b" in found.message
    assert found.remedy == "they are in us-east-1c"


def test_a_type_that_is_missing_beside_others_warns(aws: Endpoint) -> None:
    types = ["g6.xlarge", "g6.2xlarge"]
    stack = builders.config(pools=[builders.pool(instanceTypes=types)])
    system = [("m7i.large", "us-east-1a")]
    aws.answers["DescribeInstanceTypeOfferings"] = offerings([("g6.xlarge", "us-east-1a"), *system])
    found = only(stack, "types in zones", "main")
    assert found.status is Status.WARN
    assert found.message == "g6.2xlarge in none of its zones; nothing offered in us-east-1b"


def test_a_zone_that_has_none_of_the_types_warns(aws: Endpoint) -> None:
    system = [("m7i.large", "us-east-1a")]
    aws.answers["DescribeInstanceTypeOfferings"] = offerings([("g6.xlarge", "us-east-1b"), *system])
    stack = builders.config(pools=[builders.pool(instanceTypes=["g6.xlarge"])])
    found = only(stack, "types in zones", "main")
    assert (found.status, found.message) == (Status.WARN, "nothing offered in us-east-1a")


def test_a_missing_image_fails_with_how_to_list_the_others(aws: Endpoint) -> None:
    aws.answers["GetParameters"] = images(missing="nvidia")
    found = ask(shipped_config("prod"), "node images")
    assert [one.status for one in found] == [Status.FAIL, Status.PASS]
    assert "no such image for Kubernetes 1.36 in us-east-1" in found[0].message
    assert "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/nvidia " in found[0].remedy


def test_static_nodes_run_the_image_of_the_clusters_release(aws: Endpoint) -> None:
    static = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 1, "maxGpus": 1}
    found = ask(builders.config(pools=[builders.pool(**static)]), "node images")
    assert [one.subject for one in found] == ["al2023@v20260923 amd64, NVIDIA", "al2023@v20260923 amd64, system nodes"]


def test_more_images_than_one_call_takes_are_all_asked_for(aws: Endpoint) -> None:
    pools = [
        builders.pool(name=f"pool-{day}", ami={"family": "al2023", "version": f"v202608{day}"}) for day in range(10, 21)
    ]
    found = ask(builders.config(pools=pools), "node images")
    assert len(found) == 12  # eleven releases and the system nodes
    assert aws.asked == ["GetParameters"] * 2


def test_images_are_asked_for_as_karpenter_resolves_the_alias(aws: Endpoint) -> None:
    pools = [
        builders.pool(name="arm", gpu="t4g"),
        builders.pool(name="rocket", ami={"family": "bottlerocket", "version": "v1.66.0"}),
    ]
    asked: list[str] = []

    def answer(parameters: dict[str, Any]) -> Any:
        asked.extend(parameters["Names"])
        return images()(parameters)

    aws.answers["GetParameters"] = answer
    ask(builders.config(pools=pools), "node images")
    al2023 = "/aws/service/eks/optimized-ami/1.36/amazon-linux-2023"
    assert sorted(asked) == [
        "/aws/service/bottlerocket/aws-k8s-1.36-nvidia/x86_64/1.66.0/image_id",
        f"{al2023}/arm64/nvidia/amazon-eks-node-al2023-arm64-nvidia-1.36-v20260724/image_id",
        f"{al2023}/x86_64/standard/amazon-eks-node-al2023-x86_64-standard-1.36-v20260923/image_id",
    ]


@pytest.fixture
def clusters(aws: Endpoint, moto: str) -> Iterator[Any]:
    """Make clusters in moto, and remove them."""
    client = boto3.client("eks", "us-east-1", endpoint_url=f"http://{moto}")
    made = []

    def make(name: str, tags: dict[str, str]) -> None:
        vpc = {"subnetIds": ["subnet-0a1b2c3d4e5f60711"]}
        client.create_cluster(name=name, roleArn=builders.role("eks"), resourcesVpcConfig=vpc, tags=tags)
        made.append(name)

    yield make
    for name in made:
        client.delete_cluster(name=name)


@pytest.mark.parametrize(
    ("tags", "status", "words"),
    [
        ({"managed-by": "gpu-blueprint", "environment": "prod"}, Status.PASS, "is this platform's own: ACTIVE"),
        ({"managed-by": "gpu-blueprint", "environment": "dev"}, Status.FAIL, "belongs to environment 'dev'"),
        ({"team": "somebody"}, Status.FAIL, "belongs to others"),
    ],
)
def test_the_name_of_the_cluster_is_free_or_its_own(
    aws: Endpoint, clusters: Any, tags: dict[str, str], status: Status, words: str
) -> None:
    assert only(shipped_config("prod"), "cluster").message == "the name is free"
    clusters("gpu-prod", tags)
    found = only(shipped_config("prod"), "cluster")
    assert (found.status, words in found.message) == (status, True)


def test_the_policy_grants_what_is_asked_and_no_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preflight", "prod", "--policy"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == policy(shipped_config("prod"))
    granted = [one for statement in printed["Statement"] for one in statement["Action"]]
    wanted = {call for calls in CALLS.values() for call in calls} - {"sts:GetCallerIdentity"}
    assert sorted(granted) == sorted(wanted)
    assert all(call.split(":")[1].startswith(("Describe", "Get", "List")) for call in granted)
    assert printed["Statement"][2]["Resource"] == "arn:aws:eks:us-east-1:333344445555:cluster/gpu-prod"


def test_the_policy_has_no_action_that_does_not_exist() -> None:
    # Only that public parameters belong to no account is new to parliament, as with Karpenter's own policy.
    assert findings(policy(shipped_config("prod"))) == ["RESOURCE_MISMATCH"]


def test_the_json_says_what_the_text_says(aws: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    aws.answers["GetServiceQuota"] = applied({"L-417A185B": 0})
    assert main(["preflight", "prod", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["summary"] == {"pass": 20, "fail": 1}
    (bad,) = [one for one in document["findings"] if one["status"] == "fail"]
    assert bad["subject"] == "L-417A185B Running On-Demand P instances"
    assert bad["check"] == "quotas" and "request-service-quota-increase" in bad["remedy"]


def test_it_needs_no_more_than_the_region_of_the_stack(aws: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    account.cache_clear()
    assert only(p6(), "types in zones", "main").remedy == "they are in us-east-1c"


def test_an_error_of_ec2_that_no_check_knows_is_no_pass(aws: Endpoint) -> None:
    aws.answers["DescribeSubnets"] = ec2_error("InternalError", "An internal error has occurred", 400)
    found = only(shipped_config("prod"), "subnets")
    assert found.status is Status.UNANSWERED and "InternalError: An internal error" in found.message


def test_the_subnets_of_prod_are_those_of_its_file() -> None:
    given = [(one["subnetId"], one["availabilityZone"], one["cidrBlock"]) for one in PROD_SUBNETS]
    network: Any = shipped_config("prod").network
    assert given == [(one.id, one.zone, one.cidr) for one in network.subnets]
    assert shipped_config("prod").account_id == "333344445555"
    assert reservations({})
