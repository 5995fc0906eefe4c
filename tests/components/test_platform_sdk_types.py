"""Every input that we plan is one that the installed SDKs know, of their type; dicts would let a slip pass in silence."""

import enum
import importlib
import inspect
import sys
import typing
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal, TypeVar

import pulumi
import pytest
from pulumi import _types

from gpu_blueprint.plan import PlannedResource

from ..support import builders
from ..support.plans import SHIPPED, Plan, custom, managed, one, package, plan, plan_of

NOT_YET_KNOWN = ({"$unknown"}, {"$resource"})
SCALARS: dict[type, tuple[type, ...]] = {bool: (bool,), int: (int,), float: (int, float), str: (str,)}


def with_everything() -> Plan:
    """A stack with the resource types that no shipped stack has."""
    several = {"instanceTypes": ["p5.48xlarge"], "zones": ["us-east-1a"], "multiNode": {}}
    static = {
        "instanceTypes": ["g5g.xlarge"],
        "zones": ["us-east-1a"],
        "staticNodes": 1,
        "maxGpus": 1,
        "taints": [{"key": "a", "value": "b"}],
    }
    pools = [builders.pool(name="several", headroom=builders.ROOM, **several), builders.pool(name="static", **static)]
    bill = builders.billing(1e6, scope="tag", activateTags=True, export=True)
    watched = {**builders.services(builders.service(pool="several")), **builders.notify()}
    watched["monitoring"]["remoteWrite"] = {"mode": "amp", "workspaceArn": builders.AMP_ARN}
    return plan_of(builders.stack(pools=pools, tenants=[builders.tenant(gpus={"several": 8})], **bill, **watched))


def checked(planned: Plan) -> list[PlannedResource]:
    """Everything whose SDK has types: the CRDs of Karpenter have rules of their own, those of Prometheus promtool."""
    return [found for found in managed(planned) if not custom(found)]


def misfits(resource: PlannedResource) -> list[str]:
    """What is wrong with the inputs of a resource."""
    return list(_in_class(dict(resource.inputs), input_class(resource), resource.name))


@cache
def _class_of(type_: str) -> type:
    """The class of a resource's inputs: ``aws:eks/addon:Addon`` → ``pulumi_aws.eks.addon.AddonArgs``."""
    sdk, module, name = type_.split(":")
    parts = module.split("/")
    folder = {"aws": parts[:1], "eks": [], "kubernetes": [parts[0].split(".")[0], *parts[1:]]}[sdk]
    resource = getattr(importlib.import_module(".".join([f"pulumi_{sdk}", *folder])), name)
    home = sys.modules[inspect.getmodule(resource).__name__]  # type: ignore[union-attr]
    found: type = getattr(home, f"{name}InitArgs", None) or getattr(home, f"{name}Args")
    return found


def input_class(resource: PlannedResource) -> type:
    return _class_of(resource.type)


@cache
def _fields(class_: type) -> tuple[dict[str, Any], frozenset[str]]:
    """Name in the plan → type, and the names of those that are required."""
    names = _types.input_type_py_to_pulumi_names(class_)
    known = {**vars(sys.modules[class_.__module__]), "Output": pulumi.Output, "T": TypeVar("T")}
    hints = {name: typing.get_type_hints(getattr(class_, field).fget, known)["return"] for field, name in names.items()}
    parameters = inspect.signature(class_).parameters.items()
    needed = frozenset(names.get(field, field) for field, given in parameters if given.default is given.empty)
    return hints, needed


def _alternatives(type_: Any) -> list[Any]:
    """The plain types that an ``Input`` allows."""
    if typing.get_origin(type_) is typing.Union:
        return [found for argument in typing.get_args(type_) for found in _alternatives(argument)]
    origin = typing.get_origin(type_) or type_
    skip = origin in (type(None), Awaitable) or (isinstance(origin, type) and issubclass(origin, pulumi.Output))
    return [] if skip else [type_]


def _in_class(value: Mapping[str, Any], class_: type, place: str) -> Iterator[str]:
    fields, required = _fields(class_)
    for name, item in value.items():
        if name not in fields:
            yield f"{place}.{name}: no such input {get_close_matches(name, fields, 1)}"
        else:
            yield from _in_type(item, fields[name], f"{place}.{name}")
    yield from (f"{place}.{name}: required" for name in sorted(required - set(value)))


def _in_type(value: Any, type_: Any, place: str) -> Iterator[str]:
    """Yield the fewest misfits that one of the allowed types leaves."""
    value = value["$secret"] if isinstance(value, dict) and set(value) == {"$secret"} else value
    if isinstance(value, dict) and set(value) in NOT_YET_KNOWN:
        return
    alternatives = _alternatives(type_)
    if value is None or Any in alternatives:
        return
    found = [list(_in_one(value, one, place)) for one in alternatives]
    yield from min(found, key=len, default=[f"{place}: nothing is allowed here"])


def _in_one(value: Any, type_: Any, place: str) -> Iterator[str]:
    origin, arguments = typing.get_origin(type_), typing.get_args(type_)
    if isinstance(value, dict) and _types.is_input_type(type_):
        yield from _in_class(value, type_, place)
    elif isinstance(value, dict) and origin in (dict, Mapping):
        for key, item in value.items():
            yield from _in_type(item, arguments[1], f"{place}.{key}")
    elif isinstance(value, list) and origin in (list, Sequence):
        for index, item in enumerate(value):
            yield from _in_type(item, arguments[0], f"{place}[{index}]")
    elif not _is_scalar(value, type_, origin, arguments):
        yield f"{place}: {value!r} is not {getattr(type_, '__name__', type_)}"


def _is_scalar(value: Any, type_: Any, origin: Any, arguments: tuple[Any, ...]) -> bool:
    if origin is Literal:
        return value in arguments
    if isinstance(type_, type) and issubclass(type_, enum.Enum):
        return value in [member.value for member in type_]
    return type(value) in SCALARS.get(type_, ())


@pytest.mark.parametrize("stack", [*SHIPPED, "with everything"])
def test_every_planned_input_fits_the_sdk(stack: str) -> None:
    resources = checked(with_everything() if stack == "with everything" else plan(stack))
    assert {package(found) for found in resources} == {"aws", "eks", "kubernetes"}
    assert [misfit for found in resources for misfit in misfits(found)] == []


def test_some_types_have_no_sdk_class_and_these_are_of_custom_resources() -> None:
    types = {found.type for found in managed(with_everything())} - {found.type for found in checked(with_everything())}
    assert types == {
        "kubernetes:karpenter.sh/v1:NodePool",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
        "kubernetes:monitoring.coreos.com/v1:PrometheusRule",
        "kubernetes:monitoring.coreos.com/v1:ServiceMonitor",
        "kubernetes:monitoring.coreos.com/v1:PodMonitor",
        "kubernetes:keda.sh/v1alpha1:ScaledObject",
    }


def spoilt(type_: str, part: str, **inputs: Any) -> list[str]:
    resource = one(plan("prod"), type_, part)
    kept = {name: value for name, value in {**resource.inputs, **inputs}.items() if value is not ...}
    return misfits(replace(resource, inputs=kept))


ADDON, GROUP, TEMPLATE = "aws:eks/addon:Addon", "aws:eks/nodeGroup:NodeGroup", "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.mark.parametrize(
    ("type_", "part", "inputs", "complaint"),
    [
        (ADDON, "coredns", {"addonVersions": "v1"}, "addonVersions: no such input ['addonVersion']"),
        (ADDON, "coredns", {"addon_version": "v1"}, "addon_version: no such input ['addonVersion']"),
        (ADDON, "coredns", {"addonVersion": 1}, "addonVersion: 1 is not str"),
        (ADDON, "coredns", {"addonName": ...}, "addonName: required"),
        (ADDON, "ebs", {"podIdentityAssociations": [{"roleArn": "a"}]}, "[0].serviceAccount: required"),
        (ADDON, "ebs", {"podIdentityAssociations": {"roleArn": "a"}}, "is not"),
        (GROUP, "system", {"scalingConfig": {"minSize": 1, "maxSize": 1}}, "scalingConfig.desiredSize: required"),
        (GROUP, "system", {"scalingConfig": {"minSize": "1", "maxSize": 1, "desiredSize": 1}}, "minSize: '1' is not int"),
        (GROUP, "system", {"instanceTypes": "m7i.large"}, "instanceTypes: 'm7i.large' is not"),
        (TEMPLATE, "system", {"updateDefaultVersion": "true"}, "updateDefaultVersion: 'true' is not bool"),
        ("eks:index:Cluster", "", {"authenticationMode": "Api"}, "authenticationMode: 'Api' is not"),
        ("ResourceQuota", "serving", {"spec": {"hards": {}}}, "spec.hards: no such input ['hard']"),
        ("ResourceQuota", "serving", {"spec": {"hard": {"pods": 1}}}, "spec.hard.pods: 1 is not str"),
        ("Namespace", "serving", {"metadata": {"labels": {"a": True}}}, "metadata.labels.a: True is not str"),
        ("Release", "-controller", {"skipCRDs": True}, "skipCRDs: no such input ['skipCrds']"),
    ],
)  # fmt: skip
def test_a_slip_in_an_input_is_found(type_: str, part: str, inputs: dict[str, Any], complaint: str) -> None:
    found = spoilt(type_, part, **inputs)
    assert len(found) == 1 and complaint in found[0]
