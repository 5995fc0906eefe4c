"""Rules for EC2NodeClasses and launch templates: AMIs, metadata service, disks."""

from typing import Any

from gpu_blueprint.catalog import AMI_FAMILIES

from .resources import Resource
from .rule import Report, Rule, Settings


def _refuse_moving_ami(node_class: Resource, report: Report, _: Settings) -> None:
    for term in node_class.get("spec", "amiSelectorTerms", default=[]):
        alias, moving = str(term.get("alias", "")), [key for key in ("name", "tags", "ssmParameter") if term.get(key)]
        family, version = (*alias.split("@", 1), "")[:2]
        known = AMI_FAMILIES.get(family)
        if alias and (version == "latest" or (known and not known.is_release(version))):
            report(f"node class {node_class.name} uses {alias}, which changes with every AMI release")
        elif moving and not _is_one_image(term):
            report(f"node class {node_class.name} selects AMIs by {', '.join(moving)}, which a newer AMI may match")


def _is_one_image(term: dict[str, Any]) -> bool:
    """Tell whether a term can match only one AMI: it has an id, an exact name, or a parameter of one version."""
    parameter = str(term.get("ssmParameter", ""))
    exact = str(term.get("name", "*"))
    return (
        bool(term.get("id"))
        or not set("*?") & set(exact)
        or bool(parameter and "recommended" not in parameter and "latest" not in parameter)
    )


def _refuse_open_metadata_service(resource: Resource, report: Report, _: Settings) -> None:
    if resource.kind == "EC2NodeClass":
        # Defaults of the custom resource.
        defaults = {"httpTokens": "required", "httpPutResponseHopLimit": 1}
        options = {**defaults, **resource.get("spec", "metadataOptions", default={})}
    else:
        # EC2 takes the defaults of the AMI, and the AMIs of EKS set two hops.
        options = {"httpPutResponseHopLimit": 2, **resource.get("metadataOptions", default={})}
    if options.get("httpTokens") != "required" or int(options["httpPutResponseHopLimit"]) > 1:
        report(f"pods on nodes of {resource.name} can read the node's credentials from the metadata service")


def _refuse_unencrypted_volumes(resource: Resource, report: Report, _: Settings) -> None:
    path = ("spec", "blockDeviceMappings") if resource.kind == "EC2NodeClass" else ("blockDeviceMappings",)
    for mapping in resource.get(*path, default=[]):
        ebs = mapping.get("ebs")
        if ebs is not None and str(ebs.get("encrypted")).lower() != "true":
            report(f"volume {mapping.get('deviceName')} of {resource.name} is not encrypted")


_IMAGE_DEVICES = {"al2": "/dev/xvda", "al2023": "/dev/xvda", "bottlerocket": "/dev/xvdb"}
"""AMI family → the device that holds images and pods."""


def _refuse_small_disk(node_class: Resource, report: Report, settings: Settings) -> None:
    if node_class.get("spec", "instanceStorePolicy") == "RAID0":
        return
    mappings = node_class.get("spec", "blockDeviceMappings", default=[])
    device = _IMAGE_DEVICES.get(_read_family(node_class))
    image_volumes = [mapping for mapping in mappings if mapping.get("rootVolume")] or [
        mapping for mapping in mappings if device in (None, mapping.get("deviceName"))
    ]
    sizes = [_parse_gibibytes(str((mapping.get("ebs") or {}).get("volumeSize", "0Gi"))) for mapping in image_volumes]
    largest = max(sizes, default=20)
    if largest < settings["minimumGib"]:
        report(
            f"node class {node_class.name} has {largest} GiB for images and pods, "
            f"but CUDA images need {settings['minimumGib']} GiB"
        )


def _read_family(node_class: Resource) -> str:
    named = node_class.get("spec", "amiFamily")
    terms = [] if named else node_class.get("spec", "amiSelectorTerms", default=[])
    return str(named or next((term["alias"] for term in terms if "alias" in term), "")).split("@")[0].lower()


def _parse_gibibytes(size: str) -> int:
    number = int("".join(filter(str.isdecimal, size)) or 0)
    return number * 1024 if size.endswith(("Ti", "T")) else number


RULES = (
    Rule(
        id="ami-pinned",
        kinds=("EC2NodeClass",),
        check=_refuse_moving_ami,
        looks_at="AMI selector terms of node classes",
        passes="each term selects exactly one AMI release",
        fails="a term says latest or may match a newer AMI",
        why="every AMI release replaces all nodes, running jobs included",
        fix="pin one release, such as al2023@v20260923",
    ),
    Rule(
        id="imds-locked",
        kinds=("EC2NodeClass", "LaunchTemplate"),
        check=_refuse_open_metadata_service,
        looks_at="metadata options of node classes and launch templates",
        passes="tokens are required and the hop limit is 1; launch templates must state both",
        fails="tokens are optional, or the hop limit is above 1",
        why="a pod can take over the IAM role of its node",
        fix="set httpTokens: required and httpPutResponseHopLimit: 1",
    ),
    Rule(
        id="volumes-encrypted",
        kinds=("EC2NodeClass", "LaunchTemplate"),
        check=_refuse_unencrypted_volumes,
        looks_at="EBS volumes of nodes",
        passes="every volume is encrypted",
        fails="a volume is not encrypted",
        why="model weights and data are readable on disks that AWS reuses",
        fix="set encrypted: true",
    ),
    Rule(
        id="disk-large-enough",
        kinds=("EC2NodeClass",),
        check=_refuse_small_disk,
        settings={"minimumGib": 100},
        looks_at=(
            "the volume for images and pods: the volume marked rootVolume, or else the device that the AMI family uses"
        ),
        passes="the volume has at least minimumGib, or local NVMe disks replace it",
        fails="the volume is smaller",
        why="the first CUDA image causes DiskPressure on a node that is paid for",
        fix="enlarge the volume or set instanceStorePolicy: RAID0",
    ),
)
