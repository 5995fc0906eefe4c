"""The CPU, memory, storage and pods that a node offers, by Karpenter's own formula.

Source: karpenter-provider-aws v1.14.1 pkg/providers/instancetype/types.go, and for hugepages kubelet v1.36.4
pkg/kubelet/nodestatus/setters.go.
"""

import math
from collections.abc import Mapping

from gpu_blueprint.catalog import AMI_FAMILIES
from gpu_blueprint.catalog import Instance as InstanceType

from .launch_templates import LaunchTemplate
from .user_data import KubeletSettings

VM_OVERHEAD = 0.075
"""Share of a machine's memory that the hypervisor keeps, as Karpenter assumes."""
ARM_RESERVED_MIB = 64
POD_MIB, KUBELET_MIB, EVICTION_MIB = 11, 255, 100
"""Memory that kubelet reserves for each pod and for itself, and the free memory below which it evicts."""
CPU_RESERVED = ((0, 1000, 0.06), (1000, 2000, 0.01), (2000, 4000, 0.005), (4000, 1 << 31, 0.0025))
"""(From, to, share) in thousandths of a CPU: the part of each range that kubelet reserves."""
GIB, GB = 1 << 30, 10**9
KUBELET_STORAGE = GIB
EVICTION_STORAGE = 0.1
DEFAULT_VOLUME_GIB = 20

Resources = Mapping[str, str]


def count_memory_mib(row: InstanceType) -> int:
    """Return the memory that the operating system sees, in MiB."""
    usable = row.memory_mib - (ARM_RESERVED_MIB if row.arch == "arm64" else 0)
    return usable - math.ceil(usable * VM_OVERHEAD)


def _reserve_cpu(vcpu: int) -> int:
    """Return the thousandths of a CPU that kubelet keeps."""
    milli = vcpu * 1000
    return sum(int((min(milli, end) - start) * share) for start, end, share in CPU_RESERVED if milli >= start)


def _count_storage(row: InstanceType, settings: KubeletSettings, template: LaunchTemplate) -> int:
    """Return the bytes of the volume with images and pods: the local disks, or the disk of the AMI family."""
    if settings.joins_disks and row.local_nvme_gb:
        return row.local_nvme_gb * GB
    device = AMI_FAMILIES[settings.family].data_device
    sizes = [disk["Ebs"]["VolumeSize"] for disk in template.block_devices if disk["DeviceName"] == device]
    return int(sizes[0] if sizes else DEFAULT_VOLUME_GIB) * GIB


def count_hugepages_mib(row: InstanceType, template: LaunchTemplate) -> int:
    """Return the MiB of huge pages that the EFA software reserves at boot."""
    return row.efa_hugepages_mib if template.efa_count else 0


def list_capacity(row: InstanceType, settings: KubeletSettings, template: LaunchTemplate) -> Resources:
    """Return the node's capacity without devices."""
    capacity = {
        "cpu": str(row.vcpu),
        "memory": f"{count_memory_mib(row)}Mi",
        "ephemeral-storage": str(_count_storage(row, settings, template)),
        "pods": str(settings.max_pods),
    }
    hugepages = count_hugepages_mib(row, template)
    return capacity | ({"hugepages-2Mi": f"{hugepages}Mi"} if hugepages else {})


def list_allocatable(row: InstanceType, settings: KubeletSettings, template: LaunchTemplate) -> Resources:
    """Return the part of the capacity that pods get.

    Kubelet takes huge pages out of the memory of all pods; Karpenter does not count them.
    """
    storage = _count_storage(row, settings, template)
    reserved = POD_MIB * settings.max_pods + KUBELET_MIB + EVICTION_MIB
    memory = count_memory_mib(row) - reserved - count_hugepages_mib(row, template)
    return {
        **list_capacity(row, settings, template),
        "cpu": f"{row.vcpu * 1000 - _reserve_cpu(row.vcpu)}m",
        "memory": f"{max(0, memory)}Mi",
        "ephemeral-storage": str(storage - KUBELET_STORAGE - math.ceil(storage * EVICTION_STORAGE)),
    }
