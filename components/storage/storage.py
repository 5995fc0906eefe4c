"""The default StorageClass."""

from collections.abc import Sequence

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog.storage import DEFAULT_CLASS


class Storage(pulumi.ComponentResource):
    """The StorageClass ``gp3``: encrypted EBS volumes, made in the zone where the pod is scheduled.

    Without a default class, the volumes of notebooks and caches would stay pending for ever.
    """

    def __init__(
        self, name: str, *, depends_on: Sequence[pulumi.Resource], opts: pulumi.ResourceOptions | None = None
    ) -> None:
        super().__init__("gpu-blueprint:components:Storage", name, None, opts)
        k8s.storage.v1.StorageClass(
            f"{name}-gp3",
            metadata={"name": DEFAULT_CLASS, "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
            provisioner="ebs.csi.aws.com",
            parameters={"type": "gp3", "encrypted": "true"},
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(depends_on)),
        )
        self.register_outputs({})
