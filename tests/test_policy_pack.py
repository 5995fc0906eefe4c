"""The policy pack as the Pulumi CLI runs it, in a process of its own, says what the rules say offline."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf import json_format
from pulumi.runtime.proto import analyzer_pb2 as proto

from blueprint.plan import PlannedResource
from blueprint.verdicts import findings, levels_file, read_levels
from policies import RULES, UNKNOWN, Stack

from .plans import SHIPPED, plan
from .policy_cases import CASES
from .policy_cases_engine import Pack, Said, running_pack
from .policy_cases_stacks import Path as InPath
from .policy_cases_stacks import put, stack_of

PROD = read_levels(levels_file("prod"))


@pytest.fixture(scope="module")
def pack() -> Iterator[Pack]:
    with running_pack() as started:
        yield started


def offline(planned: Any, levels: Mapping[str, Any]) -> list[Said]:
    return [(one.verdict.rule, one.verdict.urn, one.verdict.message) for one in findings(planned, levels)]


def changed(planned: Any, *changes: tuple[str, InPath, Any]) -> list[PlannedResource]:
    """A plan in which values of some resources, each the only one with its name, are others."""
    resources = {one.name: one for one in planned}
    for name, path, value in changes:
        resources[name] = replace(resources[name], inputs=put(resources[name].inputs, path, value))
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
    assert sorted(pack.verdicts(plan(stack))) == sorted(offline(plan(stack), levels)) == []


def test_of_a_broken_stack_the_pack_says_what_is_said_offline(pack: Pack) -> None:
    broken = changed(plan("prod"), *BROKEN)
    pack.configure(PROD)
    said = pack.verdicts(broken)
    assert sorted(said) == sorted(offline(broken, PROD))
    assert len({rule for rule, _, _ in said}) >= len(BROKEN)


def test_levels_count_in_the_pack_as_offline(pack: Pack) -> None:
    broken = changed(plan("prod"), *BROKEN)
    levels = read_levels(levels_file("dev"))
    pack.configure(levels)
    counted = {(one.policyName, one.urn, one.enforcementLevel == proto.MANDATORY) for one in pack.diagnostics(broken)}
    assert counted == {(one.verdict.rule, one.verdict.urn, one.fails) for one in findings(broken, levels)}


def _planned(value: Any) -> Any:
    if value is UNKNOWN:
        return {"$unknown": True}
    if isinstance(value, Mapping):
        return {key: _planned(item) for key, item in value.items()}
    return [_planned(item) for item in value] if isinstance(value, list) else value


def _as_plan(stack: Stack) -> list[PlannedResource]:
    """A stack of a case as a plan, with a provider for each one that it names or that adds tags."""
    planned = []
    for one in stack.resources:
        provider = one.provider or ("urn:pulumi:live::theirs::pulumi:providers:aws::tags" if one.default_tags else "")
        if provider:
            tags = {"defaultTags": json.dumps({"tags": dict(one.default_tags)})}
            planned.append(
                PlannedResource(
                    urn=provider, type="pulumi:providers:aws", name="p", parent="", custom=True, inputs=tags
                )
            )
        planned.append(PlannedResource(urn=one.urn, type=one.type, name=one.name, parent="", custom=True, provider=provider,
                                       dependencies=one.dependencies, inputs=_planned(one.props)))  # fmt: skip
    return planned


SMALL = [case for case in CASES if not case.awaits]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_the_pack_says_of_other_peoples_programs_what_is_said_offline(pack: Pack, rule: Any) -> None:
    for case in SMALL:
        planned = _as_plan(stack_of(case)) if case.rule == rule.id else []
        if planned and len(planned) < 9:
            levels = {"all": "disabled", rule.id: {"enforcementLevel": "mandatory", **case.settings}}
            pack.configure(levels)
            assert sorted(pack.verdicts(planned)) == sorted(offline(planned, levels)), case
