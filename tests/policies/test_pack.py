"""The policy pack as the Pulumi CLI runs it, in a process of its own, says what the rules say offline."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from pulumi.runtime import rpc
from pulumi.runtime.proto import analyzer_pb2 as proto

from gpu_blueprint.judging.verdicts import FOLDER, findings, levels_file, read_levels
from gpu_blueprint.plan import PlannedResource
from policies import RULES, Stack
from policies.pack import stack_waivers

from ..support.plans import SHIPPED, plan
from ..support.policy_engine import Pack, Said, analyze_request, running_pack, struct
from .cases import CASES
from .cases.stacks import Path as InPath
from .cases.stacks import as_plan, put, resource, stack_of

OPEN = "cannot be judged before the deployment"
PROD = read_levels(levels_file("prod"))


@pytest.fixture(scope="module")
def pack() -> Iterator[Pack]:
    with running_pack() as started:
        yield started


def offline(planned: Any, levels: Mapping[str, Any]) -> list[Said]:
    return [(one.verdict.rule, one.verdict.urn, one.verdict.message) for one in findings(planned, levels)]


def differences(said: Sequence[Said], expected: Sequence[Said]) -> list[Any]:
    """Where the pack says otherwise: of what is wrong in the least; of what is not known yet in rule, resource or reason.

    What is not known CrossGuard tells once for a rule and, of rules over the whole stack, without URN.
    """
    wrong, open_ = [[one for one in said if (OPEN in one[2]) == unknown] for unknown in (False, True)]
    due, later = [[one for one in expected if (OPEN in one[2]) == unknown] for unknown in (False, True)]
    untold = [one for one in later if not any(_tells(other, one) for other in open_)]
    extra = [one for one in open_ if not any(_tells(one, other) for other in later)]
    return [*(Counter(wrong) - Counter(due)), *(Counter(due) - Counter(wrong)), *untold, *extra]


def _tells(said: Said, expected: Said) -> bool:
    named = said[1] == expected[1] or expected[1].split("::")[-1] in said[2]
    return said[0] == expected[0] and named and expected[2] in said[2]


def changed(planned: Any, *changes: tuple[str, InPath, Any]) -> list[PlannedResource]:
    """A plan in which values of some resources are others; each is the only custom one with its name."""
    resources = {one.urn: one for one in planned}
    for name, path, value in changes:
        (found,) = (one for one in resources.values() if one.custom and one.name == name)
        resources[found.urn] = replace(found, inputs=put(found.inputs, path, value))
    return list(resources.values())


NODE = ("spec", "template", "spec")
BROKEN: tuple[tuple[str, InPath, Any], ...] = (
    ("infer-l40s-node-pool", (*NODE, "taints"), []),
    ("infer-l40s-node-pool", ("spec", "limits"), {"cpu": "100"}),
    ("infer-a10g-node-pool", ("spec", "template", "metadata", "labels", "nvidia.com/mig.config"), "all-1g.10gb"),
    ("infer-l40s-node-class", ("spec", "amiSelectorTerms", 0, "alias"), "al2023@latest"),
    ("infer-l40s-node-class", ("spec", "metadataOptions", "httpPutResponseHopLimit"), 2),
    ("infer-l4-overlay-8", ("spec", "capacity"), {"nvidia.com/mig-9g.99gb": 8}),
    ("train-h100-node-pool", (*NODE, "requirements", 0, "values"), ["spot"]),
    ("gpu-prod-cluster-eks", ("endpointPublicAccess",), True),
    ("gpu-prod-cluster-eks", ("enabledClusterLogTypes",), ["api"]),
    ("gpu-prod-system-group", ("version",), "1.31"),
    ("gpu-prod-karpenter-node-lifecycle", ("policy", "Statement", 0, "Action"), "*"),
    ("gpu-prod-karpenter-controller", ("values", "settings", "interruptionQueue"), "another"),
    ("gpu-prod-addons-coredns", ("addonVersion",), None),
    ("tenant-serving-quota", ("spec", "hard"), {"limits.nvidia.com/gpu": "8"}),
    ("tenant-training-quota", ("metadata", "namespace"), "elsewhere"),
    ("gpu-prod-aws", ("defaultTags",), json.dumps({"tags": {"owner": "us"}})),
)
"""Sixteen values of prod, each of which some rule cares about."""


def test_the_pack_tells_the_engine_of_every_rule_and_its_settings(pack: Pack) -> None:
    told = {one.name: one for one in pack.info.policies}
    assert list(told) == [rule.id for rule in RULES]
    for rule in RULES:
        one = told[rule.id]
        assert one.enforcementLevel == proto.MANDATORY
        assert one.remediation_steps == rule.fix
        assert rule.passes in one.description
        schema = json_format.MessageToDict(one.configSchema.properties)
        assert {name: parts["default"] for name, parts in schema.items()} == dict(rule.settings)


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_shipped_stack_passes_in_the_pack_as_it_does_offline(pack: Pack, stack: str) -> None:
    levels = read_levels(levels_file(stack))
    pack.configure(levels)
    assert pack.verdicts(plan(stack)) == offline(plan(stack), levels) == []


def test_of_a_broken_stack_the_pack_says_what_is_said_offline(pack: Pack) -> None:
    broken = changed(plan("prod"), *BROKEN)
    pack.configure(PROD)
    said = pack.verdicts(broken)
    assert differences(said, offline(broken, PROD)) == []
    assert len({rule for rule, _, _ in said}) >= len(BROKEN)


def test_levels_count_in_the_pack_as_offline(pack: Pack) -> None:
    broken = changed(plan("prod"), *BROKEN)
    levels = read_levels(levels_file("dev"))
    pack.configure(levels)
    counted = {(one.policyName, one.urn, one.enforcementLevel == proto.MANDATORY) for one in pack.diagnostics(broken)}
    assert counted == {(one.verdict.rule, one.verdict.urn, one.fails) for one in findings(broken, levels)}


SMALL = [case for case in CASES if not case.awaits]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_pack_says_of_other_peoples_programs_what_is_said_offline(pack: Pack, rule: Any) -> None:
    for case in SMALL:
        planned = as_plan(stack_of(case)) if case.rule == rule.id else []
        if planned and len(planned) < 9:
            levels = {"all": "disabled", rule.id: {"enforcementLevel": "mandatory", **case.settings}}
            pack.configure(levels)
            assert differences(pack.verdicts(planned), offline(planned, levels)) == [], case


UNCLEAR: tuple[tuple[str, InPath, Any], ...] = (
    ("infer-l40s-node-pool", (*NODE, "taints"), {"$unknown": True}),
    ("tenant-serving-quota", ("spec", "hard"), {"$unknown": True}),
    ("gpu-prod-cluster-eks", ("version",), {"$unknown": True}),
)


def test_what_cannot_be_judged_yet_is_said_and_stops_nothing(pack: Pack) -> None:
    unclear = changed(plan("prod"), *UNCLEAR)
    pack.configure(PROD)
    assert len(offline(unclear, PROD)) >= len(UNCLEAR)
    assert differences(pack.verdicts(unclear), offline(unclear, PROD)) == []
    assert {one.enforcementLevel for one in pack.diagnostics(unclear)} == {proto.ADVISORY}


@pytest.mark.parametrize("stack", SHIPPED)
def test_a_first_preview_fails_nothing_that_passes_later(pack: Pack, stack: str) -> None:
    pack.configure(read_levels(levels_file(stack)))
    found = pack.diagnostics(plan(stack), first_preview=True)
    assert [(one.policyName, one.urn) for one in found if one.enforcementLevel == proto.MANDATORY] == []


def test_a_first_preview_is_silent_about_no_rule_that_fails_later(pack: Pack) -> None:
    broken = changed(plan("prod"), *BROKEN)
    pack.configure(PROD)
    said = {rule for rule, _, _ in pack.verdicts(broken, first_preview=True)}
    assert {rule for rule, _, _ in offline(broken, PROD)} - said == set()


def test_versions_are_compared_although_pulumi_eks_puts_none_out(pack: Pack) -> None:
    program = (
        resource("eks:index:Cluster", "live", {"name": "live", "version": "1.36"}),
        resource("aws:eks/nodeGroup:NodeGroup", "old", {"clusterName": "live", "version": "1.31"}),
    )
    pack.configure({"all": "disabled", "version-skew": "mandatory"})
    assert [urn for _, urn, _ in pack.verdicts(as_plan(Stack(program)))] == [program[-1].urn]


COMPONENTS = ("helm.sh/v3:Chart", "yaml:ConfigFile", "yaml:ConfigGroup", "kustomize:Directory")
"""Components of the Kubernetes SDK, of which the engine learns nothing but the name."""


@pytest.mark.parametrize("type_", [f"kubernetes:{one}" for one in COMPONENTS])
def test_a_component_is_not_blamed_for_what_the_engine_does_not_tell_of_it(pack: Pack, type_: str) -> None:
    component = PlannedResource(
        urn=f"urn:pulumi:live::theirs::{type_}::a", type=type_, name="a", parent="", custom=False
    )
    pack.configure(PROD)
    assert pack.verdicts([component]) == []


def test_waivers_of_the_stack_file_count_in_the_pack_while_they_last() -> None:
    broken = changed(plan("prod"), *BROKEN)
    far, past = "2999-12-31", "2001-01-31"
    about = {"reason": "a test", "owner": "us"}
    waivers = [
        {"rule": "gpu-pool-tainted", "resource": "infer-l40s-node-pool", "until": far, **about},
        {"rule": "quota-lists-every-gpu", "resource": "tenant-serving-quota", "until": far, **about},
        {"rule": "gpu-pool-limited", "resource": "infer-l40s-node-pool", "until": past, **about},
    ]
    waived = {(one["rule"], one["resource"]) for one in waivers if one["until"] == far}
    with running_pack(config={"gpu-blueprint:stack": json.dumps({"waivers": waivers})}) as pack:
        pack.configure(PROD)
        said = pack.verdicts(broken)
    assert {(rule, urn.split("::")[-1]) for rule, urn, _ in said} & waived == set()
    left = [one for one in offline(broken, PROD) if (one[0], one[1].split("::")[-1]) not in waived]
    assert differences(said, left) == []


@pytest.mark.parametrize(
    "waivers",
    ["soon", ["soon"], [{"rule": "gpu-pool-tainted"}], [{"until": "some day"}], [{"until": "2999-12-31", "why": "a"}]],
)
def test_a_waiver_that_cannot_be_read_waives_nothing_and_is_logged(
    waivers: Any, caplog: pytest.LogCaptureFixture
) -> None:
    assert stack_waivers({"waivers": waivers}) == []
    assert "cannot be read" in caplog.text


TAGS = {"all": "disabled", "required-tags": {"enforcementLevel": "remediate", "values": {"owner": "us"}}}


def _remedied(pack: Pack, type_: str, inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The inputs that the pack's remediations make of those of a resource, as they are sent."""
    one = PlannedResource(
        urn=f"urn:pulumi:live::theirs::{type_}::a", type=type_, name="a", parent="", custom=True, inputs=inputs
    )
    pack.configure(TAGS)
    remedied = pack.stub.Remediate(analyze_request(one, {})).remediations
    return [json_format.MessageToDict(remedy.properties) for remedy in remedied]


def test_missing_tags_are_remediated_in_the_pack(pack: Pack) -> None:
    assert _remedied(pack, "aws:ec2/vpc:Vpc", {"cidrBlock": "10.0.0.0/16"}) == [
        {"cidrBlock": "10.0.0.0/16", "tags": {"owner": "us"}}
    ]
    node_class = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
    assert _remedied(pack, node_class, {"spec": {"role": "a", "tags": {"b": "c"}}}) == [
        {"spec": {"role": "a", "tags": {"b": "c", "owner": "us"}}}
    ]
    assert _remedied(pack, "aws:ec2/vpc:Vpc", {"tags": {"owner": "them"}}) == []
    assert _remedied(pack, "aws:ec2/route:Route", {"routeTableId": "rtb-1"}) == []


def test_a_remediation_leaves_what_is_not_known_unknown(pack: Pack) -> None:
    assert _remedied(pack, "aws:ec2/subnet:Subnet", {"vpcId": {"$unknown": True}}) == [
        {"vpcId": rpc.UNKNOWN, "tags": {"owner": "us"}}
    ]


def test_a_remediation_leaves_what_is_not_known_unknown_beside_the_tags(pack: Pack) -> None:
    node_class = "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass"
    assert _remedied(pack, node_class, {"spec": {"role": {"$unknown": True}}}) == [
        {"spec": {"role": rpc.UNKNOWN, "tags": {"owner": "us"}}}
    ]


def test_a_remediation_leaves_secrets_secret(pack: Pack) -> None:
    (remedied,) = _remedied(pack, "aws:sqs/queue:Queue", {"policy": {"$secret": "hidden"}})
    assert remedied == json_format.MessageToDict(struct({"policy": {"$secret": "hidden"}, "tags": {"owner": "us"}}))


def test_tags_that_are_not_known_are_not_remediated(pack: Pack) -> None:
    assert _remedied(pack, "aws:ec2/vpc:Vpc", {"tags": {"$unknown": True}}) == []


@pytest.mark.parametrize("program", [".", str(FOLDER)], ids=["its own", "another"])
def test_the_pack_works_in_any_folder(program: str, tmp_path: Path) -> None:
    folder = FOLDER if program == "." else tmp_path
    with running_pack(folder, program) as pack:
        pack.configure(PROD)
        assert [policy.name for policy in pack.info.policies] == [rule.id for rule in RULES]
        assert {rule for rule, _, _ in pack.verdicts(changed(plan("prod"), BROKEN[0]))} == {"gpu-pool-tainted"}
