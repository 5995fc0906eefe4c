"""Node classes, disruption, purchase and interruption."""

from typing import Any

from gpu_blueprint.catalog import AMI_FAMILIES

from .pools import ZONE, capacity_types, gpu_rows, is_gpu_pool, label, wanted
from .rule import Report, Resource, Rule, Settings, Stack


def _ami_pinned(node_class: Resource, report: Report, _: Settings) -> None:
    for term in node_class.get("spec", "amiSelectorTerms", default=[]):
        alias, moving = str(term.get("alias", "")), [key for key in ("name", "tags", "ssmParameter") if term.get(key)]
        family, version = (*alias.split("@", 1), "")[:2]
        known = AMI_FAMILIES.get(family)
        if alias and (version == "latest" or (known and not known.is_release(version))):
            report(f"node class {node_class.name} uses {alias}, which moves")
        elif moving and not _one_image(term):
            report(f"node class {node_class.name} selects images by {', '.join(moving)}, which a newer one may match")


def _one_image(term: dict[str, Any]) -> bool:
    """Whether a term can match one image alone: an id, an exact name, or a parameter of one version."""
    parameter = str(term.get("ssmParameter", ""))
    exact = str(term.get("name", "*"))
    return (
        bool(term.get("id"))
        or not set("*?") & set(exact)
        or bool(parameter and "recommended" not in parameter and "latest" not in parameter)
    )


def _imds_locked(resource: Resource, report: Report, _: Settings) -> None:
    if resource.kind == "EC2NodeClass":
        # What the custom resource's own defaults are.
        defaults = {"httpTokens": "required", "httpPutResponseHopLimit": 1}
        options = {**defaults, **resource.get("spec", "metadataOptions", default={})}
    else:
        # EC2 lets the AMI decide, and those of EKS say two hops.
        options = {"httpPutResponseHopLimit": 2, **resource.get("metadataOptions", default={})}
    if options.get("httpTokens") != "required" or int(options["httpPutResponseHopLimit"]) > 1:
        report(f"pods on {resource.name} can read the node's credentials from the metadata service")


def _volumes_encrypted(resource: Resource, report: Report, _: Settings) -> None:
    path = ("spec", "blockDeviceMappings") if resource.kind == "EC2NodeClass" else ("blockDeviceMappings",)
    for mapping in resource.get(*path, default=[]):
        ebs = mapping.get("ebs")
        if ebs is not None and str(ebs.get("encrypted")).lower() != "true":
            report(f"volume {mapping.get('deviceName')} of {resource.name} is not encrypted")


_IMAGES_ON = {"al2": "/dev/xvda", "al2023": "/dev/xvda", "bottlerocket": "/dev/xvdb"}
"""AMI family → the device that holds images and pods."""


def _disk_large(node_class: Resource, report: Report, settings: Settings) -> None:
    if node_class.get("spec", "instanceStorePolicy") == "RAID0":
        return
    mappings = node_class.get("spec", "blockDeviceMappings", default=[])
    device = _IMAGES_ON.get(_family(node_class))
    holding = [one for one in mappings if one.get("rootVolume")] or [
        one for one in mappings if device in (None, one.get("deviceName"))
    ]
    sizes = [_gibibytes(str((one.get("ebs") or {}).get("volumeSize", "0Gi"))) for one in holding]
    largest = max(sizes, default=20)
    if largest < settings["minimumGib"]:
        report(
            f"node class {node_class.name} has {largest} GiB for images and pods, CUDA images need {settings['minimumGib']}"
        )


def _family(node_class: Resource) -> str:
    named = node_class.get("spec", "amiFamily")
    terms = [] if named else node_class.get("spec", "amiSelectorTerms", default=[])
    return str(named or next((term["alias"] for term in terms if "alias" in term), "")).split("@")[0].lower()


def _gibibytes(size: str) -> int:
    number = int("".join(filter(str.isdecimal, size)) or 0)
    return number * 1024 if size.endswith(("Ti", "T")) else number


def _training_kept(pool: Resource, report: Report, settings: Settings) -> None:
    if not is_gpu_pool(pool) or not _trains(pool, settings):
        return
    policy = pool.get("spec", "disruption", "consolidationPolicy", default="WhenEmptyOrUnderutilized")
    if policy != "WhenEmpty":
        report(f"training pool {pool.name} is consolidated {policy}: runs end to save money")


def _training_checkpointed(pool: Resource, report: Report, settings: Settings) -> None:
    if _trains(pool, settings) and "spot" in capacity_types(pool) and label(pool, settings["checkpointed"]) != "true":
        report(f"training pool {pool.name} buys spot and nobody says that its jobs can resume")


def _trains(pool: Resource, settings: Settings) -> bool:
    return label(pool, settings["label"]) in settings["training"]


_TRAINING = {"label": "gpu-blueprint/purpose", "training": ["training"]}
"""How a pool says that it is for training; other programs name their own label and values."""


def _spot_diverse(pool: Resource, report: Report, settings: Settings) -> None:
    types, zones = len(gpu_rows(pool)), len(wanted(pool, ZONE))
    # A pool that names no zones has at least the two that EKS demands.
    if types and "spot" in capacity_types(pool) and types * (zones or 2) < settings["minimumOfferings"]:
        report(f"pool {pool.name} has {types * zones or types} spot offerings (types × zones)")


def _life_bounded(pool: Resource, report: Report, _: Settings) -> None:
    spec = pool.get("spec", "template", "spec", default={})
    missing = [field for field in ("expireAfter", "terminationGracePeriod") if not spec.get(field)]
    if is_gpu_pool(pool) and missing:
        report(f"pool {pool.name} does not set {' and '.join(missing)}")


def _queue_set(release: Resource, report: Report, _: Settings) -> None:
    if _is_controller(release) and not release.get("values", "settings", "interruptionQueue", default=""):
        report("Karpenter has no interruption queue: spot nodes vanish without the two minutes to drain")


def _queue_exists(release: Resource, report: Report, _: Settings, stack: Stack) -> None:
    queue = release.get("values", "settings", "interruptionQueue", default="") if _is_controller(release) else ""
    names = [one.props.get("name") for one in stack.of("Queue")]
    if queue and queue not in names:
        report(f"Karpenter listens to queue {queue!r}, which this program does not make")


def _is_controller(release: Resource) -> bool:
    return str(release.get("chart", default="")).rsplit("/", 1)[-1] == "karpenter"


RULES = (
    Rule(
        id="ami-pinned", kinds=("EC2NodeClass",), check=_ami_pinned,
        looks_at="AMI aliases of node classes", passes="each names one release", fails="one says latest",
        why="every AMI release replaces the fleet, running jobs included", fix="pin it, such as al2023@v20260724",
    ),
    Rule(
        id="imds-locked", kinds=("EC2NodeClass", "LaunchTemplate"), check=_imds_locked,
        looks_at="metadata options of node classes and launch templates", passes="tokens are required and the hop limit is 1, stated in launch templates",
        fails="they are not", why="a pod takes over the node's role", fix="set httpTokens: required and httpPutResponseHopLimit: 1",
    ),
    Rule(
        id="volumes-encrypted", kinds=("EC2NodeClass", "LaunchTemplate"), check=_volumes_encrypted,
        looks_at="EBS volumes of nodes", passes="all are encrypted", fails="one is not",
        why="weights and data lie readable on disks that AWS reuses", fix="set encrypted: true",
    ),
    Rule(
        id="disk-large-enough", kinds=("EC2NodeClass",), check=_disk_large, settings={"minimumGib": 100},
        looks_at="the volume for images and pods: the one marked rootVolume, or the AMI family's", passes="it is large enough, or local NVMe takes its place", fails="it is too small",
        why="the first CUDA image brings DiskPressure, on a node that is paid", fix="enlarge it or set instanceStorePolicy: RAID0",
    ),
    Rule(
        id="training-not-consolidated", kinds=("NodePool",), check=_training_kept, settings=_TRAINING,
        looks_at="GPU NodePools whose label says that they are for training, gpu-blueprint/purpose=training unless set", passes="only empty nodes are consolidated", fails="under-used ones are too",
        why="days of training end for a cheaper node", fix="set consolidationPolicy: WhenEmpty",
    ),
    Rule(
        id="training-on-spot-checkpointed", kinds=("NodePool",), check=_training_checkpointed,
        settings={**_TRAINING, "checkpointed": "gpu-blueprint/checkpointed"},
        looks_at="training pools that buy spot", passes="gpu-blueprint/checkpointed=true says that jobs resume", fails="nothing does",
        why="an interruption throws the run away", fix="write checkpoints and say so, or leave spot out",
    ),
    Rule(
        id="spot-diverse", kinds=("NodePool",), check=_spot_diverse, settings={"minimumOfferings": 5},
        looks_at="types × zones of GPU pools that buy spot", passes="there are enough", fails="there are few",
        why="spot runs dry and everything falls to on-demand prices", fix="add instance types or zones",
    ),
    Rule(
        id="node-life-bounded", kinds=("NodePool",), check=_life_bounded,
        looks_at="expireAfter and terminationGracePeriod of GPU pools", passes="both are set", fails="one is left to its default",
        why="nodes expire after 720 h whatever runs, or wait for ever for one pod", fix="set both by what runs there",
    ),
    Rule(
        id="interruption-queue-set", kinds=("Release", "Chart"), check=_queue_set,
        looks_at="settings.interruptionQueue of Karpenter", passes="it names a queue", fails="it is empty",
        why="spot capacity goes without warning", fix="set settings.interruptionQueue",
    ),
    Rule(
        id="interruption-queue-made", kinds=("Release", "Chart"), check=_queue_exists, whole=True,
        looks_at="Karpenter's queue and the queues of the program", passes="the queue is one of them", fails="it is not",
        why="Karpenter waits at a queue that nobody feeds", fix="make the queue, or name the right one",
    ),
)  # fmt: skip
