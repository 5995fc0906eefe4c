"""The engine's side of a first preview, in process: it records what the program registers and creates nothing.

What it restates of Pulumi's engine: URNs, inheritance from parents, transforms, and that a provider which cannot be
configured yet answers with nothing known. Unlike ``pulumi.runtime.set_mocks`` it serves the code path of the CLI.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any

from google.protobuf import empty_pb2, json_format
from pulumi.runtime import rpc
from pulumi.runtime._callbacks import _CallbackServicer
from pulumi.runtime.proto import engine_pb2, provider_pb2, resource_pb2
from pulumi.runtime.sync_await import _sync_await

from ..errors import ProgramError
from .resource import PlannedResource, has_unknown, plain

_STACK = "pulumi:pulumi:Stack"
_FEATURES = [
    value
    for name, value in resource_pb2.ResourceMonitorFeature.items()
    if not name.endswith(("_UNSPECIFIED", "_OUTPUT_VALUES", "_INVOKE_DEPENDS_ON"))
]
_INHERITED = ("protect", "retainOnDelete", "deletedWith")


class RecordingMonitor:
    """Plays the ResourceMonitor service; ``resources`` holds every registration, in order, by URN."""

    def __init__(self, project: str, stack: str) -> None:
        self.resources: dict[str, PlannedResource] = {}
        self._project = project
        self._stack = stack
        self._transforms: dict[str, list[str]] = {}
        self._answers: dict[str, Any] = {}

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802, the service's own name
        """Record one resource and answer as an engine does that previews it for the first time."""
        urn = self._urn(request.parent, request.type, request.name)
        if urn in self.resources:
            raise ProgramError(f"two resources are called {request.name!r} ({request.type}); give one another name")
        self._transforms[urn] = [
            *(callback.token for callback in request.transforms),
            *self._transforms.get(request.parent, []),
        ]
        if request.type != _STACK:
            self._transform(request, self._transforms[urn])
        self.resources[urn] = self._planned(urn, request)
        response = resource_pb2.RegisterResourceResponse(urn=urn)
        if request.type.startswith("pulumi:providers:"):
            response.id = rpc.UNKNOWN
        if request.custom and not self._unconfigured(request.provider):
            response.object.CopyFrom(request.object)
        self._answers[urn] = response
        return response

    def _urn(self, parent: str, type_: str, name: str) -> str:
        above = parent.split("::")[2] if parent else _STACK
        qualified = type_ if above == _STACK else f"{above}${type_}"
        return f"urn:pulumi:{self._stack}::{self._project}::{qualified}::{name}"

    def _planned(self, urn: str, request: Any) -> PlannedResource:
        options = {
            "protect": request.protect if request.HasField("protect") else None,
            "retainOnDelete": request.retainOnDelete if request.HasField("retainOnDelete") else None,
            "deletedWith": request.deletedWith or None,
            "deleteBeforeReplace": request.deleteBeforeReplace if request.deleteBeforeReplaceDefined else None,
            "ignoreChanges": list(request.ignoreChanges) or None,
            "customTimeouts": json_format.MessageToDict(request.customTimeouts) or None,
            "aliases": [json_format.MessageToDict(alias) for alias in request.aliases] or None,
            "version": request.version or None,
        }
        above = self.resources[request.parent].options if request.parent else {}
        inherited = {key: above[key] for key in _INHERITED if key in above}
        return PlannedResource(
            urn=urn,
            type=request.type,
            name=request.name,
            parent=request.parent,
            custom=request.custom or request.remote,
            provider=_provider_urn(request.provider),
            dependencies=tuple(sorted(request.dependencies)),
            inputs=plain(request.object),
            options=inherited | {key: value for key, value in options.items() if value is not None},
        )

    def _unconfigured(self, provider: str) -> bool:
        """Whether the provider waits for something unknown, such as the kubeconfig of a cluster that does not exist."""
        planned = self.resources.get(_provider_urn(provider))
        return planned is not None and has_unknown(planned.inputs)

    def _transform(self, request: Any, tokens: list[str]) -> None:
        for token in tokens:
            options = resource_pb2.TransformResourceOptions(
                depends_on=request.dependencies,
                provider=request.provider,
                protect=request.protect if request.HasField("protect") else None,
                ignore_changes=request.ignoreChanges,
            )
            asked = resource_pb2.TransformRequest(
                type=request.type,
                name=request.name,
                custom=request.custom,
                parent=request.parent,
                properties=request.object,
                options=options,
            )
            answer = _call_back(token, asked.SerializeToString())
            if answer.HasField("properties"):
                request.object.CopyFrom(answer.properties)
            if answer.HasField("options"):
                request.dependencies[:] = answer.options.depends_on
                request.ignoreChanges[:] = answer.options.ignore_changes
                if answer.options.HasField("protect"):
                    request.protect = answer.options.protect

    def Invoke(self, request: Any) -> Any:  # noqa: N802
        """Refuse: a preview that asks the cloud is neither offline nor reproducible. Looking up a reference is no such thing."""
        if request.tok == "pulumi:pulumi:getResource":
            known = self._answers[request.args.fields["urn"].string_value]
            found = resource_pb2.ResourceInvokeResponse()
            answer = getattr(found, "return")
            answer.update({"urn": known.urn, "id": known.id})
            answer.fields["state"].struct_value.CopyFrom(known.object)
            return found
        raise ProgramError(
            f"the program calls {request.tok}, which asks the cloud while it thinks; put the answer into the stack file"
        )

    def Call(self, _: Any) -> Any:  # noqa: N802
        """Answer a method call on a resource with an unknown result."""
        response = provider_pb2.CallResponse()
        getattr(response, "return").update({"result": rpc.UNKNOWN})
        return response

    def GetDeploymentInfo(self, _: Any) -> Any:  # noqa: N802
        """Support everything that a current engine does, output values apart: plain unknowns record better."""
        return resource_pb2.DeploymentInfo(supportedFeatures=_FEATURES)

    def RegisterPackage(self, request: Any) -> Any:  # noqa: N802
        """Name a parameterised provider."""
        return resource_pb2.RegisterPackageResponse(ref=f"{request.name}@{request.version}")

    def RegisterResourceOutputs(self, _: Any) -> Any:  # noqa: N802
        """Accept a component's outputs."""
        return empty_pb2.Empty()

    def SignalAndWaitForShutdown(self, _: Any) -> Any:  # noqa: N802
        """Let the program end."""
        return empty_pb2.Empty()


class RecordingEngine:
    """Plays the Engine service; ``messages`` holds what the program logged above debug level."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def Log(self, request: Any) -> Any:  # noqa: N802
        """Keep a message."""
        if request.severity != engine_pb2.DEBUG:
            self.messages.append(request.message)
        return empty_pb2.Empty()

    def RequirePulumiVersion(self, _: Any) -> Any:  # noqa: N802
        """Accept any."""
        return engine_pb2.RequirePulumiVersionResponse()


def _provider_urn(reference: str) -> str:
    """Drop the id from a provider reference ``urn::id``."""
    return reference.rsplit("::", 1)[0]


def _call_back(token: str, data: bytes) -> Any:
    """Run a transform that the program registered, on the loop that the program runs on."""
    loop = asyncio.get_running_loop()
    for servicer in _CallbackServicer._servicers:
        if servicer._loop is loop and token in servicer._callbacks:
            called = servicer._callbacks[token](data)
            assert isinstance(called, Coroutine)
            return _sync_await(called)
    raise LookupError(f"no callback {token}")
