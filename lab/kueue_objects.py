"""Kueue's custom resource definitions and webhooks, copied from its Go module."""

from pathlib import Path

from .built import find_built_folder, refuse_unfit
from .engines import REMEDIES, Effort
from .go_modules import hash_go_modules
from .go_tool import Go, Watch

FOLDER, MODULE = "kueue", "sigs.k8s.io/kueue"
DEFINITIONS = tuple(
    f"config/components/crd/bases/kueue.x-k8s.io_{plural}.yaml"
    for plural in (
        *("admissionchecks", "clusterqueues", "cohorts", "localqueues", "multikueueclusters", "multikueueconfigs"),
        *("provisioningrequestconfigs", "resourceflavors", "topologies", "workloadpriorityclasses", "workloads"),
    )
)
WEBHOOKS = "config/components/webhook/manifests.yaml"
EFFORT = Effort(1, 0, 0, 1)


def find_kueue_objects() -> Path:
    """Return the folder with the copied files, each under its own name.

    Raises:
        LabError: The files are not there, or lab/ has changed since.
    """
    folder = find_kueue_objects_folder()
    refuse_unfit(folder, hash_kueue_objects(), REMEDIES["rehearse"])
    return folder


def find_kueue_objects_folder() -> Path:
    """Return the place of the copied files."""
    return find_built_folder() / "kueue-objects"


def hash_kueue_objects() -> str:
    """Return the hash of everything that the files are made from."""
    return hash_go_modules((FOLDER,), *DEFINITIONS, WEBHOOKS)


def copy_kueue_objects(go: Go, folder: Path, watch: Watch) -> None:
    """Copy the files into a new folder.

    Raises:
        LabError: Go could not download the module.
    """
    folder.mkdir(parents=True)
    go.run(["mod", "download", MODULE], FOLDER, watch)
    place = Path(go.run(["list", "-m", "-f", "{{.Dir}}", MODULE], FOLDER, watch).strip())
    for file in (*DEFINITIONS, WEBHOOKS):
        (folder / Path(file).name).write_bytes((place / file).read_bytes())
