"""A model in the namespace of its tenant: service account, Service, budget, and a Deployment for each version."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.config import StackConfig
from gpu_blueprint.config.models import ServedModel, TritonModel
from gpu_blueprint.serving.objects import build_budget_spec, build_deployment_spec, build_service_spec
from gpu_blueprint.serving.triton import build_settings, name_settings


class Model(pulumi.ComponentResource):
    """A model without its scaler (``GpuAutoscaler``) and without its role, which the tenant's namespace waits for."""

    def __init__(
        self,
        name: str,
        config: StackConfig,
        model: ServedModel,
        *,
        depends_on: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:Model", name, None, opts)
        namespace = config.find_namespace(model)
        child = pulumi.ResourceOptions(parent=self, depends_on=list(depends_on))
        account = k8s.core.v1.ServiceAccount(
            f"{name}-account",
            metadata={"name": model.account, "namespace": namespace},
            automount_service_account_token=False,
            opts=child,
        )
        k8s.core.v1.Service(
            f"{name}-service",
            # `pulumi up` must not wait for pods, which wait for GPUs.
            metadata=_place(model.name, namespace),
            spec=build_service_spec(model),
            opts=child,
        )
        k8s.policy.v1.PodDisruptionBudget(
            f"{name}-budget",
            metadata={"name": model.name, "namespace": namespace},
            spec=build_budget_spec(model),
            opts=child,
        )
        for version in model.list_versions():
            _make_version(f"{name}-{version.version}" if version.version else name, config, version, [account], child)
        self.register_outputs({})


def _make_version(
    name: str,
    config: StackConfig,
    model: ServedModel,
    depends_on: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> None:
    """Make the Deployment of one version, with its settings."""
    namespace = config.find_namespace(model)
    needed = list(depends_on)
    if isinstance(model, TritonModel):
        place: Any = {"name": name_settings(model), "namespace": namespace}
        needed.append(k8s.core.v1.ConfigMap(f"{name}-settings", metadata=place, data=build_settings(model), opts=opts))
    k8s.apps.v1.Deployment(
        f"{name}-deployment",
        metadata=_place(model.deployment, namespace),
        spec=build_deployment_spec(config, model),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=needed)),
    )


def _place(name: str, namespace: str) -> Any:
    """Return metadata of an object for whose pods `pulumi up` does not wait: they wait for GPUs."""
    return {"name": name, "namespace": namespace, "annotations": {"pulumi.com/skipAwait": "true"}}
