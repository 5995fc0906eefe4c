"""Programs of other companies, written for the tests: right ones, and each of their faults."""

from ...support.components import RECORDED
from . import eks_groups, raw_eks
from .eks_groups_faults import FAULTS as EKS_GROUPS
from .foreign import Fault, Foreign
from .raw_eks_faults import FAULTS as RAW_EKS

_OWN_REGISTRY = {"registries": ["oci://registry.lab.example.com/", "https://charts.lab.example.com/"]}
_OUR_TAGS = {"required": ["team", "env", "cost-code"]}

PROGRAMS: tuple[Foreign, ...] = (
    Foreign(name="raw aws.eks", build=raw_eks.build, faults=RAW_EKS, settings={"required-tags": _OUR_TAGS}),
    Foreign(
        name="pulumi-eks with groups",
        build=eks_groups.build,
        faults=EKS_GROUPS,
        settings={"chart-registry-allowed": _OWN_REGISTRY, "namespace-has-quota": {"exempt": ["kueue-system"]}},
        components=RECORDED,
    ),
)

__all__ = ["PROGRAMS", "Fault", "Foreign"]
