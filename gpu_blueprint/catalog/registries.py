"""The registries with EKS's own images, one for each region.

Source: EKS user guide, add-ons-images. Read 2026-11-22, and the regions of aws-us-gov 2026-11-27.
"""

from ..errors import CatalogError
from .partitions import find_partition

_USUAL_ACCOUNT = "602401143452"
_USUAL_REGIONS = (
    *("ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-southeast-1", "ap-southeast-2"),
    *("ca-central-1", "eu-central-1", "eu-north-1", "eu-west-1", "eu-west-2", "eu-west-3", "sa-east-1"),
    *("us-east-1", "us-east-2", "us-west-1", "us-west-2"),
)
_ACCOUNTS = dict.fromkeys(_USUAL_REGIONS, _USUAL_ACCOUNT) | {
    "af-south-1": "877085696533",
    "ap-east-1": "800184023465",
    "ap-south-2": "900889452093",
    "ap-southeast-3": "296578399912",
    "ap-southeast-4": "491585149902",
    "ap-southeast-5": "151610086707",
    "ca-west-1": "761377655185",
    "eu-central-2": "900612956339",
    "eu-south-1": "590381155156",
    "eu-south-2": "455263428931",
    "il-central-1": "066635153087",
    "me-central-1": "759879836304",
    "me-south-1": "558608220178",
    "us-gov-east-1": "151742754352",
    "us-gov-west-1": "013241004608",
}
"""Region → AWS account whose registry has EKS's own images."""


def find_eks_registry(region: str) -> str:
    """Return the registry of EKS in a region, such as ``602401143452.dkr.ecr.us-east-1.amazonaws.com``."""
    if region not in _ACCOUNTS:
        raise CatalogError.unknown("region", region, _ACCOUNTS)
    return build_ecr_host(_ACCOUNTS[region], region)


def build_ecr_host(account: str, region: str) -> str:
    """Return the host of an account's private registry in a region."""
    return find_partition(region).build_host(f"{account}.dkr.ecr", region)
