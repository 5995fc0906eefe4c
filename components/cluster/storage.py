"""The storage class that pods get when they name none."""

import pulumi
import pulumi_kubernetes as k8s


class Storage(pulumi.ComponentResource):
    """gp3 volumes, encrypted, made in the zone where the pod lands; notebooks and caches wait for ever without a default."""

    def __init__(self, name: str, *, after: list[pulumi.Resource], opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("gpu-blueprint:components:Storage", name, None, opts)
        k8s.storage.v1.StorageClass(
            f"{name}-gp3",
            metadata={"name": "gp3", "annotations": {"storageclass.kubernetes.io/is-default-class": "true"}},
            provisioner="ebs.csi.aws.com",
            parameters={"type": "gp3", "encrypted": "true"},
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            opts=pulumi.ResourceOptions(parent=self, depends_on=after),
        )
        self.register_outputs({})
