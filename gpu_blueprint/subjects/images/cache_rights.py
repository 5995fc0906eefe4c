"""The rights of nodes in the pull-through cache."""

from typing import Any

from ...config import StackConfig
from .sources import name_cache_prefix


def build_cache_policies(config: StackConfig) -> dict[str, dict[str, Any]]:
    """Return title → policy that lets nodes pull images that ECR has not cached yet; empty without a cache.

    The first pull of an image creates its repository (ECR user guide, "IAM permissions required to sync an upstream
    registry"). AmazonEC2ContainerRegistryPullOnly has the permission to import the image.
    """
    cached = config.images.pull_through if config.images else []
    repositories = [config.build_arn("ecr", f"repository/{name_cache_prefix(config, name)}/*") for name in cached]
    if not repositories:
        return {}
    allow = {"Effect": "Allow", "Action": ["ecr:CreateRepository"], "Resource": repositories}
    return {"image-cache": {"Statement": [allow]}}
