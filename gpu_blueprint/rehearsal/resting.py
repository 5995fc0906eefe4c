"""Rendered Deployments whose replicas KEDA sets. No KEDA runs in a rehearsal, so they rest until a probe scales
them."""

from collections.abc import Mapping
from typing import Any

from lab.scene import Manifest


def rest(content: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an object without pods of its own: a Deployment that states no replicas gets 0.

    Pods of the Deployment would take GPUs while other probes judge the choice of nodes.
    """
    if content["kind"] != "Deployment" or "replicas" in content["spec"]:
        return content
    return {**content, "spec": {**content["spec"], "replicas": 0}}


def is_resting(manifest: Manifest) -> bool:
    """Return whether an object of the scene is a Deployment that only probes run."""
    return bool(manifest["kind"] == "Deployment" and manifest["spec"].get("replicas") == 0)
