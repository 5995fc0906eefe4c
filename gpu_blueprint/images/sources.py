"""The source of an image: its own registry, the pull-through cache of this account, or the mirror."""

from hashlib import sha256

from ..catalog.upstreams import UPSTREAMS, Upstream
from ..config import StackConfig

_LONGEST_PREFIX = 30
"""Characters that ECR takes for the prefix of a cache rule (ECR API reference, CreatePullThroughCacheRule)."""
_DOCKER_HUB = "docker.io"


def name_cache_prefix(config: StackConfig, upstream: Upstream) -> str:
    """Return the prefix of the cached repositories of a registry; clusters of one account have caches of their own."""
    end = f"-{UPSTREAMS[upstream].short}"
    name = config.cluster_name
    if len(name + end) > _LONGEST_PREFIX:
        end = f"-{sha256(name.encode()).hexdigest()[:6]}{end}"
        name = name[: _LONGEST_PREFIX - len(end)].rstrip("-")
    return f"{name}{end}"


def split_image(image: str) -> tuple[str, str]:
    """Split an image into its registry and the rest; ``nginx`` is ``docker.io`` and ``library/nginx``."""
    first, slash, rest = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        registry, path = first, rest
    else:
        registry, path = _DOCKER_HUB, image
    if registry == _DOCKER_HUB and "/" not in path:
        path = f"library/{path}"
    return registry, path


def locate_image(config: StackConfig, image: str) -> str:
    """Return the reference under which nodes pull an image: in the cache, in the mirror, or unchanged.

    An image of the account's own registries, or of EKS's registry, stays where it is.
    """
    images = config.images
    registry, path = split_image(image)
    if images is None or registry.endswith(".amazonaws.com"):
        return image
    for upstream in images.pull_through:
        if UPSTREAMS[upstream].host == registry:
            return f"{name_registry(config)}/{name_cache_prefix(config, upstream)}/{path}"
    return f"{images.mirror}/{registry}/{path}" if images.mirror else image


def name_registry(config: StackConfig) -> str:
    """Return the private registry of the stack's account and region."""
    return f"{config.account_id}.dkr.ecr.{config.region}.amazonaws.com"
