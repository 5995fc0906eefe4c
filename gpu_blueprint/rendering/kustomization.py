"""The file that names what a cluster gets of a rendered folder, and in which order."""

from collections.abc import Sequence

from ..yaml_text import write_yaml
from .manifests import Manifest

KUSTOMIZATION = "kustomization.yaml"
_HEAD = "# What `kubectl apply --kustomize`, Flux and Argo CD apply of this folder: docs/gitops.md of the blueprint.\n"


def write_kustomization(manifests: Sequence[Manifest]) -> str:
    """Return the text of kustomization.yaml: every complete object, in the order of the plan.

    Without the file, a tool that is pointed at the folder reads all of it: kustomize stops at ``values``, and a tool
    that goes on starts the sample runs in ``jobs``. In the order of the plan a policy stands before the pods that it
    completes; kustomize's own order has Deployments before kinds that it does not know.
    """
    resources = [manifest.path for manifest in manifests if manifest.is_complete]
    head = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    return _HEAD + write_yaml({**head, "sortOptions": {"order": "fifo"}, "resources": resources})
