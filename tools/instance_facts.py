"""What EC2 tells of instance types, in the catalogue's columns."""

from collections.abc import Mapping
from dataclasses import dataclass

from .aws import Answer, Connect, ask
from .catalogue_file import Row

Described = Mapping[str, Answer]
"""Answers of DescribeInstanceTypes by type."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one or several regions tell: hardware by type, and which types each region offers."""

    described: Described
    usage_classes: Mapping[str, frozenset[str]]
    offered: Mapping[str, frozenset[str]]


def told(connect: Connect, regions: tuple[str, ...]) -> Told:
    """Ask every region; a type is the same in all of them, but may be sold differently."""
    described: dict[str, Answer] = {}
    classes: dict[str, frozenset[str]] = {}
    offered: dict[str, frozenset[str]] = {}
    for region in regions:
        for page in ask(connect, "ec2", region, "describe_instance_types"):
            for answer in page["InstanceTypes"]:
                name = answer["InstanceType"]
                described.setdefault(name, answer)
                classes[name] = classes.get(name, frozenset()) | frozenset(answer.get("SupportedUsageClasses", ()))
        pages = ask(connect, "ec2", region, "describe_instance_type_offerings", LocationType="region")
        offered[region] = frozenset(one["InstanceType"] for page in pages for one in page["InstanceTypeOfferings"])
    return Told(described, classes, offered)


def hardware(answer: Answer, fractional: bool = False) -> Row:
    """Read the columns that do not depend on a region.

    EC2 counts no whole GPU in a fractional type; its count stays with whoever curates the catalogue.
    """
    network = answer["NetworkInfo"]
    gpus = answer.get("GpuInfo", {}).get("Gpus", [])
    cells = {
        "vcpu": answer["VCpuInfo"]["DefaultVCpus"],
        "memory_mib": answer["MemoryInfo"]["SizeInMiB"],
        "gpu_devices": sum(gpu.get("LogicalGpuCount") or gpu["Count"] for gpu in gpus),
        "gpu_memory_mib": gpus[0]["MemoryInfo"]["SizeInMiB"] if gpus else 0,
        "efa_interfaces": network.get("EfaInfo", {}).get("MaximumEfaInterfaces", 0),
        "network_cards": network["MaximumNetworkCards"],
        "max_enis": network["MaximumNetworkInterfaces"],
        "local_nvme_gb": answer.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0),
        "addresses_per_eni": network["Ipv4AddressesPerInterface"],
    }
    counted = {} if fractional else {"gpu_count": sum(gpu["Count"] for gpu in gpus)}
    return {column: str(cell) for column, cell in (cells | counted).items()}


def is_nvidia(answer: Answer) -> bool:
    """Whether a type has an NVIDIA GPU."""
    return any(gpu.get("Manufacturer") == "NVIDIA" for gpu in answer.get("GpuInfo", {}).get("Gpus", []))


def candidate(answer: Answer, classes: frozenset[str], regions: frozenset[str]) -> Row:
    """Write the row of a type that the catalogue lacks; what somebody must look up is ``?``."""
    arm = "arm64" in answer["ProcessorInfo"]["SupportedArchitectures"]
    named = {
        "instance_type": answer["InstanceType"],
        "arch": "arm64" if arm else "amd64",
        "gpu": f"?{answer['GpuInfo']['Gpus'][0]['Name']}",
        "efa_hugepages_mib": "?",
        "usage_classes": " ".join(sorted(classes)),
        "regions": " ".join(sorted(regions)),
    }
    return {**named, **hardware(answer)}
