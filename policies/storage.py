"""Rules for buckets, volumes and file systems: who may read buckets, and whether files are encrypted."""

from .effects.bucket_grants import list_wide_grants
from .effects.documents import BUCKET_KINDS
from .effects.own_keys import EBS_DRIVERS
from .effects.volumes import encrypts_all_volumes
from .resources import Resource, Stack
from .rule import Report, Rule, Settings

_EFS = ("aws:efs/fileSystem:FileSystem", "aws-native:efs:FileSystem")
_EFS_DRIVER = "efs.csi.aws.com"


def _refuse_wide_bucket_policies(bucket: Resource, report: Report, _: Settings) -> None:
    for crowd in list_wide_grants(bucket):
        report(f"{bucket.name} lets in {crowd}")


def _refuse_unencrypted_files(resource: Resource, report: Report, _: Settings, stack: Stack) -> None:
    if resource.kind == "StorageClass":
        is_ebs = resource.read_text("provisioner") in EBS_DRIVERS
        is_encrypted = resource.read_flag("parameters", "encrypted", default=False)
        if is_ebs and not is_encrypted and not encrypts_all_volumes(stack):
            report(f"volumes that pods get by {resource.name} are not encrypted")
    elif resource.type in _EFS:
        if not resource.read_flag("encrypted", default=False):
            report(f"files on {resource.name} are not encrypted, and EFS cannot encrypt them later")
    elif resource.read_text("spec", "csi", "driver") == _EFS_DRIVER:
        path = ("spec", "csi", "volumeAttributes", "encryptInTransit")
        if not resource.read_flag(*path, default=True):
            report(f"pods that mount {resource.name} read and write files in the clear over the network")


RULES = (
    Rule(
        id="bucket-policy-scoped",
        kinds=BUCKET_KINDS,
        check=_refuse_wide_bucket_policies,
    ),
    Rule(
        id="file-systems-encrypted",
        kinds=("FileSystem", "PersistentVolume", "StorageClass"),
        check=_refuse_unencrypted_files,
    ),
)
