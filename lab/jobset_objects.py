"""JobSet's custom resource definition and webhooks."""

from .copied_objects import CopiedObjects
from .engines import CLUSTER_FOLDER, Effort

JOBSET_OBJECTS = CopiedObjects(
    subject="JobSet",
    folder=CLUSTER_FOLDER,
    module="sigs.k8s.io/jobset",
    definitions=("charts/jobset/crds/jobset.x-k8s.io_jobsets.yaml",),
    webhooks="config/components/webhook/manifests.yaml",
    bundle="rehearse",
    effort=Effort(1, 0, 0, 1),
)
