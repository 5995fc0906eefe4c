"""Kueue's custom resource definitions and webhooks."""

from .copied_objects import CopiedObjects
from .engines import CLUSTER_FOLDER, Effort

KUEUE_OBJECTS = CopiedObjects(
    subject="Kueue",
    folder=CLUSTER_FOLDER,
    module="sigs.k8s.io/kueue",
    definitions=tuple(
        f"config/components/crd/bases/kueue.x-k8s.io_{plural}.yaml"
        for plural in (
            *("admissionchecks", "clusterqueues", "cohorts", "localqueues", "multikueueclusters", "multikueueconfigs"),
            *("provisioningrequestconfigs", "resourceflavors", "topologies", "workloadpriorityclasses", "workloads"),
        )
    ),
    webhooks="config/components/webhook/manifests.yaml",
    bundle="rehearse",
    effort=Effort(1, 0, 0, 1),
)
