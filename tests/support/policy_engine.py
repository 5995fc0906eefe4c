"""The engine's side of the analyzer protocol: starts the pack's own process and asks it, as the Pulumi CLI does.

What it restates of Pulumi's engine (pkg/resource/deploy/step_generator.go and sdk/go/common/resource/plugin/analyzer_plugin.go):
every registered resource, components too, is analysed by its inputs; the whole stack by outputs. What a component puts
out is not what it was given, and a provider that is not configured yet puts out nothing. Components have no provider, also
those that a provider makes: for pulumi-eks stands the aws.eks.Cluster that it makes. Unknowns are sentinels; a reference to a resource is its id; a diagnostic without
URN is about the resource asked about; what a levels file leaves out gets the default of the pack's schema.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import empty_pb2, json_format, struct_pb2
from pulumi.runtime import rpc
from pulumi.runtime.proto import analyzer_pb2 as proto
from pulumi.runtime.proto.analyzer_pb2_grpc import AnalyzerStub

from gpu_blueprint.plan import PlannedResource
from gpu_blueprint.plan.resource import has_unknown

from .plans import ROOT, is_component, package

Said = tuple[str, str, str]
"""Rule, URN, message."""
NO_ENGINE = "127.0.0.1:1"
"""Where nobody listens: a pack has nothing to ask of the engine."""
_SIGNATURE, _SECRET = "4dabf18193072939515e22adb298388d", "1b47061264138c4ac30d75fd1eb44270"
_LEVELS = {"advisory": proto.ADVISORY, "mandatory": proto.MANDATORY, "remediate": proto.REMEDIATE, "disabled": proto.DISABLED}  # fmt: skip


class Pack:
    """A running policy pack."""

    def __init__(self, stub: AnalyzerStub) -> None:
        self.stub: Any = stub
        self.info = self.stub.GetAnalyzerInfo(empty_pb2.Empty())
        self._about = {policy.name: policy.description for policy in self.info.policies}

    def configure(self, levels: Mapping[str, Any]) -> None:
        """Set levels and settings as a levels file does."""
        asked = proto.ConfigureAnalyzerRequest()
        for policy in self.info.policies:
            given = levels.get(policy.name, levels.get("all", "mandatory"))
            own = given if isinstance(given, dict) else {"enforcementLevel": given}
            schema = json_format.MessageToDict(policy.configSchema.properties)
            config = asked.policyConfig[policy.name]
            config.enforcementLevel = _LEVELS[own["enforcementLevel"]]
            config.properties.update({name: one["default"] for name, one in schema.items()})
            config.properties.update({name: value for name, value in own.items() if name != "enforcementLevel"})
        self.stub.Configure(asked)

    def verdicts(self, plan: Sequence[PlannedResource], *, first_preview: bool = False) -> list[Said]:
        """What the pack says of every resource and then of all together."""
        return [
            (one.policyName, one.urn, self._own(one)) for one in self.diagnostics(plan, first_preview=first_preview)
        ]

    def diagnostics(self, plan: Sequence[PlannedResource], *, first_preview: bool = False) -> Iterator[Any]:
        """The same as the protocol has it, with each URN filled in."""
        by_urn = {resource.urn: resource for resource in plan}
        for resource in plan:
            for one in self.stub.Analyze(analyze_request(resource, by_urn)).diagnostics:
                one.urn = one.urn or resource.urn
                yield one
        made = (_native(resource) for resource in plan if resource.type == "eks:index:Cluster")
        outputs = [_stack_resource(resource, by_urn, first_preview) for resource in (*plan, *made)]
        yield from self.stub.AnalyzeStack(proto.AnalyzeStackRequest(resources=outputs)).diagnostics

    def _own(self, diagnostic: Any) -> str:
        """The message without what CrossGuard puts before it."""
        message = str(diagnostic.message)
        if message.startswith("can't run policy"):
            return message.partition(" during preview: ")[2]
        return message.removeprefix(f"{self._about[diagnostic.policyName]}\n")


@contextmanager
def running_pack(
    folder: Path = ROOT, program: str = "policies", config: Mapping[str, str] | None = None
) -> Iterator[Pack]:
    """Start the pack's process in a folder, and end it whatever happens."""
    environment = {**os.environ, "PULUMI_PROJECT": "gpu-blueprint", "PULUMI_STACK": "test", "PULUMI_DRY_RUN": "true"}
    environment |= {"PULUMI_CONFIG": json.dumps(config or {})}
    command = [sys.executable, "-u", "-m", "pulumi.policy", NO_ENGINE, program]
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout
            port = process.stdout.readline().strip()
            assert port.isdecimal(), f"no port but {port!r}"
            with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
                yield Pack(AnalyzerStub(channel))
        finally:
            process.kill()


def analyze_request(resource: PlannedResource, by_urn: Mapping[str, PlannedResource]) -> Any:
    """What the engine asks of one resource."""
    return proto.AnalyzeRequest(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=struct(resource.inputs),
        options=proto.AnalyzerResourceOptions(parent=resource.parent),
        provider=_provider(resource, by_urn),
    )


def _stack_resource(resource: PlannedResource, by_urn: Mapping[str, PlannedResource], first_preview: bool) -> Any:
    provider = by_urn.get(resource.provider)
    unconfigured = first_preview and provider is not None and has_unknown(provider.inputs)
    outputs = {"made": True} if _is_component(resource) else {} if unconfigured else resource.inputs
    return proto.AnalyzerResource(
        type=resource.type,
        urn=resource.urn,
        name=resource.name,
        properties=struct(outputs),
        options=proto.AnalyzerResourceOptions(parent=resource.parent),
        provider=_provider(resource, by_urn),
        parent=resource.parent,
        dependencies=list(resource.dependencies),
    )


def _native(cluster: PlannedResource) -> PlannedResource:
    """What pulumi-eks makes out of sight, as far as rules over the whole stack look at it."""
    told = {name: cluster.inputs[name] for name in ("name", "version") if name in cluster.inputs}
    return replace(cluster, urn=f"{cluster.urn}-made", type="aws:eks/cluster:Cluster", inputs=told)


def _is_component(resource: PlannedResource) -> bool:
    return is_component(resource) or not resource.custom or package(resource) == "eks"


def _provider(resource: PlannedResource, by_urn: Mapping[str, PlannedResource]) -> Any:
    found = None if _is_component(resource) else by_urn.get(resource.provider)
    if found is None:
        return None
    return proto.AnalyzerProviderResource(
        type=found.type, urn=found.urn, name=found.name, properties=struct(found.inputs)
    )


def struct(inputs: Mapping[str, Any]) -> struct_pb2.Struct:
    """Plain values of a plan as the engine sends them."""
    sent = struct_pb2.Struct()
    sent.update(_sent(inputs))
    return sent


def _sent(value: Any) -> Any:
    if isinstance(value, Mapping):
        if value.keys() & {"$unknown", "$resource"}:
            return rpc.UNKNOWN
        if "$secret" in value:
            return {_SIGNATURE: _SECRET, "value": _sent(value["$secret"])}
        return {key: _sent(item) for key, item in value.items()}
    return [_sent(item) for item in value] if isinstance(value, list) else value
