"""The EC2NodeClass of a pool: image, disks, network, user data."""

from typing import Any

import tomli_w
import yaml

from gpu_blueprint.catalog import BOTTLEROCKET, Instance
from gpu_blueprint.config import Pool, StackConfig
from gpu_blueprint.config.nodes import BOTTLEROCKET_OS_GIB, FAST_VOLUME
from gpu_blueprint.sharing import SharingProfile

from ..gpu.efa import placement_group_name, security_group_tags
from ..karpenter.karpenter import node_role_name
from ..network.network import subnet_selector_terms


def node_class_spec(config: StackConfig, pool: Pool) -> dict[str, Any]:
    """The ``spec`` of the EC2NodeClass."""
    local_nvme = config.keeps_images_on_nvme(pool)
    spec: dict[str, Any] = {
        "role": node_role_name(config),
        "amiSelectorTerms": [{"alias": pool.ami.alias}],
        "subnetSelectorTerms": subnet_selector_terms(config),
        # EKS puts this tag on the cluster security group, which nodes and control plane share.
        "securityGroupSelectorTerms": [{"tags": {"aws:eks:cluster-name": config.cluster_name}}],
        "metadataOptions": {
            "httpEndpoint": "enabled",
            "httpProtocolIPv6": "disabled",
            "httpPutResponseHopLimit": 1,
            "httpTokens": "required",
        },
        "blockDeviceMappings": _disks(pool, local_nvme=local_nvme),
        "userData": user_data(pool.ami.row is BOTTLEROCKET, pool.profile),
        "tags": config.node_tags(pool),
    }
    if local_nvme:
        spec["instanceStorePolicy"] = "RAID0"
    if pool.multi_node:
        spec["securityGroupSelectorTerms"].append({"tags": security_group_tags(config)})
        if pool.placed:
            spec["placementGroupSelector"] = {"name": placement_group_name(config, pool)}
        spec["networkInterfaces"] = _interfaces(config.instances_of(pool)[0])
    if pool.reservations:
        spec["capacityReservationSelectorTerms"] = [term.model_dump(exclude_none=True) for term in pool.reservations]
    return spec


def _interfaces(row: Instance) -> list[dict[str, Any]]:
    """The primary interface, and one for EFA alone on every card that has it: these take no address of the subnet."""
    primary = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    efa = [
        {"networkCardIndex": card, "deviceIndex": device, "interfaceType": "efa-only"}
        for card, device in row.efa_layout
    ]
    return [primary, *efa]


def _disks(pool: Pool, *, local_nvme: bool) -> list[dict[str, Any]]:
    """The volume for images and pods, fast where there is no local NVMe to hold them; and Bottlerocket's own small one.

    ``rootVolume`` is Karpenter's word for the one with kubelet's folder: its size is the node's ephemeral storage.
    """
    family = pool.ami.row
    data = _volume(family.data_device, f"{pool.disk.size_gib}Gi", fast=not local_nvme) | {"rootVolume": True}
    return (
        [data]
        if family.os_device is None
        else [_volume(family.os_device, f"{BOTTLEROCKET_OS_GIB}Gi", fast=False), data]
    )


def _volume(device: str, size: str, *, fast: bool) -> dict[str, Any]:
    speed = FAST_VOLUME if fast else {}
    ebs = {"volumeSize": size, "volumeType": "gp3", "encrypted": True, "deleteOnTermination": True, **speed}
    return {"deviceName": device, "ebs": ebs}


def node_config(*, raid: bool = False) -> dict[str, Any]:
    """nodeadm's settings on AL2023: fast image pull and, where Karpenter does not see to it, local NVMe as one volume."""
    storage = {"instance": {"localStorage": {"strategy": "RAID0"}}} if raid else {}
    return {
        "apiVersion": "node.eks.aws/v1alpha1",
        "kind": "NodeConfig",
        "spec": {"featureGates": {"FastImagePull": True}, **storage},
    }


def user_data(bottlerocket: bool, profile: SharingProfile) -> str:
    """Fast image pull on both families; on Bottlerocket also the settings that share the GPUs, applied at boot."""
    if not bottlerocket:
        return yaml.safe_dump(node_config(), sort_keys=False)
    settings: dict[str, Any] = {
        "container-runtime": {"snapshotter": "soci"},
        "container-runtime-plugins": {"soci-snapshotter": {"pull-mode": "parallel-pull-unpack"}},
    }
    if profile.bottlerocket:
        settings["kubelet-device-plugins"] = {"nvidia": dict(profile.bottlerocket)}
    return tomli_w.dumps({"settings": settings})
