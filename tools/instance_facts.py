"""Reads instance types from EC2, as cells of the catalogue's columns."""

from collections.abc import Mapping

from gpu_blueprint.records import Record

from .aws import Answer, Connect, read_pages
from .catalogue_file import Row

Described = Mapping[str, Answer]
"""Instance type → the answer of DescribeInstanceTypes."""


class Ec2Answers(Record):
    """Answers of one or several regions: hardware and usage classes by type, offered types by region."""

    described: Described
    usage_classes: Mapping[str, frozenset[str]]
    offered: Mapping[str, frozenset[str]]


def read_instance_types(connect: Connect, regions: tuple[str, ...]) -> Ec2Answers:
    """Return the answers of every region; hardware of a type is the same everywhere, usage classes may differ."""
    described: dict[str, Answer] = {}
    classes: dict[str, frozenset[str]] = {}
    offered: dict[str, frozenset[str]] = {}
    for region in regions:
        for page in read_pages(connect, "ec2", region, "describe_instance_types"):
            for answer in page["InstanceTypes"]:
                name = answer["InstanceType"]
                described.setdefault(name, answer)
                classes[name] = classes.get(name, frozenset()) | frozenset(answer.get("SupportedUsageClasses", ()))
        pages = read_pages(connect, "ec2", region, "describe_instance_type_offerings", LocationType="region")
        offered[region] = frozenset(offer["InstanceType"] for page in pages for offer in page["InstanceTypeOfferings"])
    return Ec2Answers(described, classes, offered)


def make_hardware_cells(answer: Answer, fractional: bool = False) -> Row:
    """Return the cells that do not depend on a region.

    The cells of a fractional type lack the GPU count, which people write: EC2 counts no whole GPU in this type.
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
    """Return whether a type has an NVIDIA GPU."""
    return any(gpu.get("Manufacturer") == "NVIDIA" for gpu in answer.get("GpuInfo", {}).get("Gpus", []))


def make_new_row(answer: Answer, classes: frozenset[str], regions: frozenset[str]) -> Row:
    """Return the row of a type that the catalogue lacks; ``?`` marks facts that a person must look up."""
    arm = "arm64" in answer["ProcessorInfo"]["SupportedArchitectures"]
    named = {
        "instance_type": answer["InstanceType"],
        "arch": "arm64" if arm else "amd64",
        "gpu": f"?{answer['GpuInfo']['Gpus'][0]['Name']}",
        "efa_hugepages_mib": "?",
        "usage_classes": " ".join(sorted(classes)),
        "regions": " ".join(sorted(regions)),
    }
    return {**named, **make_hardware_cells(answer)}
