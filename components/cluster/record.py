"""The record of the platform inside its own cluster, and the guard that keeps a destroy from taking it apart."""

from collections.abc import Sequence
from typing import Any

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.changes.foundation import describe_foundation
from gpu_blueprint.config import StackConfig

from .cluster import Cluster

NAME, NAMESPACE = "gpu-blueprint-record", "kube-system"
RECORD_VERSION = "1"
"""Meaning of the record's keys; a release that changes the meaning counts up. `schemaVersion` of a stack file is
another number: it counts the schemas of the file."""


class PlatformRecord(pulumi.ComponentResource):
    """The ConfigMap ``kube-system/gpu-blueprint-record``: which blueprint built which environment.

    The record depends on everything, so an update writes it last, and a destroy deletes it first. With
    ``deletionProtection`` it is protected. Pulumi keeps everything on which a protected resource depends, so a destroy
    ends before it deletes anything. The protected cluster alone would not do: Pulumi deletes everything inside it.

    ``foundation`` is known when everything is built, so an update that fails leaves the last output of the stack.
    """

    foundation: pulumi.Output[dict[str, Any]]

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        cluster: Cluster,
        depends_on: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:PlatformRecord", name, None, opts)
        facts = describe_foundation(config)
        config_map = k8s.core.v1.ConfigMap(
            f"{name}-config-map",
            metadata={"name": NAME, "namespace": NAMESPACE},
            data={  # nothing that changes at each `pulumi up`, so that an unchanged stack stays unchanged
                "blueprintVersion": facts["blueprintVersion"],
                "recordVersion": RECORD_VERSION,
                "environment": config.environment,
                "clusterArn": config.build_arn("eks", f"cluster/{config.cluster_name}"),
            },
            opts=pulumi.ResourceOptions(
                parent=self,
                # pulumi-eks's component is not enough: Pulumi keeps the component and deletes the cluster inside it.
                depends_on=[*depends_on, cluster.control_plane.eks_cluster],
                protect=config.cluster.deletion_protection,
            ),
        )
        self.foundation = config_map.id.apply(lambda _: facts)
        self.register_outputs({})
