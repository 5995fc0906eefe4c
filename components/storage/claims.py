"""The claims by which pods of a tenant mount the storage that they share with others."""

from collections.abc import Mapping

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.config import Tenant
from gpu_blueprint.storage.volumes import build_claim_spec


def make_claims(
    name: str,
    tenant: Tenant,
    volumes: Mapping[str, k8s.core.v1.PersistentVolume],
    namespace: k8s.core.v1.Namespace,
    *,
    parent: pulumi.Resource,
) -> None:
    """Make a claim for each volume, with the name of its storage.

    Kubernetes keeps a claim while a pod mounts it. A destroy therefore leaves the claims to the namespace, which ends
    the pods first. The claim's name of the volume depends on the volume, so that a new volume gets a new claim.
    """
    for storage, volume in volumes.items():
        k8s.core.v1.PersistentVolumeClaim(
            f"{name}-claim-{storage}",
            metadata={"name": storage, "namespace": tenant.namespace_name},
            spec=build_claim_spec(_name_volume(volume, f"{tenant.name}.{storage}")),
            opts=pulumi.ResourceOptions(parent=parent, depends_on=[namespace, volume], deleted_with=namespace),
        )


def _name_volume(volume: pulumi.Resource, name: str) -> pulumi.Output[str]:
    """Return the name of a volume as an output of the volume, which a preview knows."""
    return volume.urn.apply(lambda _: name)
