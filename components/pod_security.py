"""Labels of Pod Security on namespaces, at the Kubernetes version of the stack."""

from typing import Literal

from gpu_blueprint.config import StackConfig

Level = Literal["privileged", "baseline", "restricted"]


def label_pod_security(config: StackConfig, enforce: Level, *, audit: Level | None = None) -> dict[str, str]:
    """Return the labels of a namespace that refuses pods above a level.

    Without a version, a level means what the API server's newest version says, so an upgrade of the cluster could
    refuse pods that ran before it.

    Args:
        audit: Note pods above this level in the audit log. Nobody is warned: images of CUDA run as root, and a warning
            for each of them would hide the warnings that name something to do.
    """
    levels = {"enforce": enforce, **({"audit": audit} if audit else {})}
    version = f"v{config.cluster.kubernetes_version}"
    return {
        f"pod-security.kubernetes.io/{key}": value
        for mode, level in levels.items()
        for key, value in ((mode, level), (f"{mode}-version", version))
    }
