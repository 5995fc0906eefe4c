"""The rules about PersistentVolumeClaims: new volumes of the platform's classes, and no volume of others."""

from ..catalog.storage import STORAGE_CLASSES
from .admission import AdmissionPolicy, AdmissionRule, Match
from .cel import write_literal
from .users import IS_CONTROLLER, IS_PLATFORM

_VOLUME = "object.spec.?volumeName.orValue('')"


def build_claim_policy() -> AdmissionPolicy:
    """Build the policy that judges each claim of a tenant when it is made, and when its spec changes.

    The controller of volumes names the volume of a claim that waits, and so could everybody else who may update it.
    """
    classes = " or ".join(STORAGE_CLASSES)
    return AdmissionPolicy(
        name="gpu-blueprint-claims",
        matches=(Match(group="", resources=("persistentvolumeclaims",)),),
        conditions={"changes": "request.operation == 'CREATE' || object.spec != oldObject.spec"},
        rules=(
            AdmissionRule(
                id="claim-without-volume-name",
                keeps="A tenant cannot take a volume that was made for others.",
                expression=f"{_VOLUME} == '' || (request.operation == 'UPDATE' && {_VOLUME} == "
                f"oldObject.spec.?volumeName.orValue('')) || {IS_CONTROLLER} || {IS_PLATFORM}",
                message="spec.volumeName could take a volume that was made for others: remove it, or ask the platform "
                "team to bind the claim",
            ),
            AdmissionRule(
                id="claim-storage-class",
                keeps="A tenant cannot use storage that the platform does not offer, nor volumes without a class.",
                expression="request.operation == 'UPDATE' && object.spec.?storageClassName == "
                "oldObject.spec.?storageClassName || "
                f"object.spec.?storageClassName.orValue('') in {write_literal(list(STORAGE_CLASSES))}",
                message=f"storageClassName may be {classes} here",
            ),
        ),
    )
