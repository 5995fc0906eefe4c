"""Rules for buckets and file systems that tenants share: who may read them, and whether they are encrypted."""

from .effects.bucket_grants import list_wide_grants
from .effects.documents import BUCKET_KINDS
from .effects.volumes import encrypts_all_volumes
from .resources import Resource, Stack
from .rule import Report, Rule, Settings

_EFS = ("aws:efs/fileSystem:FileSystem", "aws-native:efs:FileSystem")
_EBS_DRIVERS = ("ebs.csi.aws.com", "ebs.csi.eks.amazonaws.com", "kubernetes.io/aws-ebs")
_EFS_DRIVER = "efs.csi.aws.com"


def _refuse_wide_bucket_policies(bucket: Resource, report: Report, _: Settings) -> None:
    for crowd in list_wide_grants(bucket):
        report(f"{bucket.name} lets in {crowd}")


def _refuse_unencrypted_files(resource: Resource, report: Report, _: Settings, stack: Stack) -> None:
    if resource.kind == "StorageClass":
        is_ebs = resource.read_text("provisioner") in _EBS_DRIVERS
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
        looks_at="statements that let identities into buckets, access points and tables",
        passes="each statement names roles, users or services, or a condition names identities, tags of the caller or "
        "access points, or each resource holds a name of the caller, or another statement denies the rest",
        fails="a statement lets in a whole account, a whole organisation or everybody behind an endpoint; "
        "no-wildcard-principal judges strangers",
        why="a role that somebody makes tomorrow, or the pod of another tenant, reads and overwrites the data of a "
        "tenant",
        fix="name the roles that need the bucket, or leave it to the policies of the roles",
    ),
    Rule(
        id="file-systems-encrypted",
        kinds=("FileSystem", "PersistentVolume", "StorageClass"),
        check=_refuse_unencrypted_files,
        looks_at="EFS file systems, volumes that mount them, and storage classes of EBS",
        passes="the file system is encrypted, the volume is mounted over TLS, as by the driver's default, and the "
        "storage class states encrypted, or the program has EBS encrypt all new volumes (EncryptionByDefault)",
        fails="encrypted is off, which is the default of EFS and of storage classes of EBS, or "
        "encryptInTransit is false; FSx always encrypts",
        why="homes hold keys, tokens and unpublished work",
        fix="set encrypted: true before the file system holds data, because a change replaces the file system, and "
        "remove encryptInTransit",
    ),
)
