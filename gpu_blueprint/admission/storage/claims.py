"""The rules about PersistentVolumeClaims: new volumes of the platform's classes, and no volume of others."""

from ...cel.literals import write_literal
from ...cel.policy import AdmissionPolicy, AdmissionRule, Match
from ...cel.users import IS_CONTROLLER, IS_PLATFORM
from ...config import StackConfig
from ...subjects.storage.mounts import list_mounts

_VOLUME, _OLD_VOLUME = (f"{subject}.spec.?volumeName.orValue('')" for subject in ("object", "oldObject"))
# Kubernetes reads the annotation of before version 1.6 first, and lets nobody change it later.
_CLASS, _OLD_CLASS = (
    f"{subject}.metadata.?annotations[?'volume.beta.kubernetes.io/storage-class']"
    f".or({subject}.spec.?storageClassName).orValue('')"
    for subject in ("object", "oldObject")
)


def build_claim_policy(config: StackConfig) -> AdmissionPolicy:
    """Build the policy that judges each claim of a tenant when it is made, and when its spec changes.

    The controller of volumes names the volume of a claim that waits, and so could everybody else who may update it.
    Other controllers make claims by copying a template of the tenant, so a controller that makes a claim is not free.
    The platform's own claims have no class: they take volumes that exist.
    """
    makes_claims = any(list_mounts(config))
    return AdmissionPolicy(
        name="gpu-blueprint-claims",
        matches=(Match(group="", resources=("persistentvolumeclaims",)),),
        conditions={"changes": "request.operation == 'CREATE' || object.spec != oldObject.spec"},
        rules=(
            AdmissionRule(
                id="claim-without-volume-name",
                keeps="A tenant cannot take a volume that was made for others.",
                expression=f"{_VOLUME} == '' || (request.operation == 'UPDATE' && ({_VOLUME} == {_OLD_VOLUME} || "
                f"{IS_CONTROLLER})) || {IS_PLATFORM}",
                message="spec.volumeName could take a volume that was made for others: remove it, or ask the platform "
                "team to bind the claim",
            ),
            AdmissionRule(
                id="claim-storage-class",
                keeps="A tenant cannot use storage that the platform does not offer, nor volumes without a class.",
                expression=f"request.operation == 'UPDATE' && {_CLASS} == {_OLD_CLASS} || "
                f"{_CLASS} in {write_literal([config.storage_class])}{f' || {IS_PLATFORM}' if makes_claims else ''}",
                message=f"storageClassName may be {config.storage_class} here",
            ),
        ),
    )
