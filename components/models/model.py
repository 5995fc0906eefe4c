"""A model in the namespace of its tenant: service account, Service, budget, and a Deployment for each version."""

from collections.abc import Mapping, Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.config import StackConfig
from gpu_blueprint.config.models import ServedModel, TritonModel
from gpu_blueprint.records import Record
from gpu_blueprint.subjects.models.objects import build_budget_spec, build_deployment_spec, build_service_spec
from gpu_blueprint.subjects.models.triton import build_settings


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
        place = _Place(config.find_namespace(model), model.shared_labels)
        child = pulumi.ResourceOptions(parent=self, depends_on=list(depends_on))
        account = k8s.core.v1.ServiceAccount(
            f"{name}-account",
            metadata=place.name(model.account),
            automount_service_account_token=False,
            opts=child,
        )
        k8s.core.v1.Service(
            f"{name}-service",
            metadata=place.name(model.name, waits_for_pods=True),
            spec=build_service_spec(model),
            opts=child,
        )
        k8s.policy.v1.PodDisruptionBudget(
            f"{name}-budget", metadata=place.name(model.name), spec=build_budget_spec(model), opts=child
        )
        for version in model.list_versions():
            _make_version(f"{name}-{version.version}" if version.version else name, config, version, account, child)
        self.register_outputs({})


class _Place(Record):
    """The namespace and the labels of objects."""

    namespace: str
    labels: Mapping[str, str]

    def name(self, name: str, *, waits_for_pods: bool = False) -> Any:
        """Return metadata; `pulumi up` would wait for pods, which wait for GPUs, and is told not to."""
        metadata = {"name": name, "namespace": self.namespace, "labels": dict(self.labels)}
        return {**metadata, "annotations": {"pulumi.com/skipAwait": "true"}} if waits_for_pods else metadata


def _make_version(
    name: str, config: StackConfig, model: ServedModel, account: pulumi.Resource, opts: pulumi.ResourceOptions
) -> None:
    """Make the Deployment of one version, with its settings."""
    place = _Place(config.find_namespace(model), model.all_labels)
    needed = [account]
    if isinstance(model, TritonModel):
        settings = k8s.core.v1.ConfigMap(
            f"{name}-settings", metadata=place.name(model.settings), data=build_settings(model), opts=opts
        )
        needed.append(settings)
    k8s.apps.v1.Deployment(
        f"{name}-deployment",
        metadata=place.name(model.deployment, waits_for_pods=True),
        spec=build_deployment_spec(config, model),
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=needed)),
    )
