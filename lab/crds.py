"""The custom resource definitions that the rendered objects of a stack need, taken from Go modules."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from .built import find_place, refuse_unfit
from .engines import CLUSTER_FOLDER, REMEDIES, Effort
from .go_modules import hash_go_modules
from .go_tool import Go, Watch

NAME = "crds"
"""Name of the built folder."""
KARPENTER_PACKAGE = "./crds"
"""Our own Go program, which writes Karpenter's definitions: in the provider's module they are Go values."""
COPIED_FOLDER = "crds"
"""Folder of the Go module whose requirements contain definitions as YAML files."""
COPIED_FILES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "github.com/kedacore/keda/v2": (
            "config/crd/bases/keda.sh_clustertriggerauthentications.yaml",
            "config/crd/bases/keda.sh_scaledobjects.yaml",
            "config/crd/bases/keda.sh_triggerauthentications.yaml",
        ),
        "github.com/prometheus-operator/prometheus-operator": (
            "example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml",
            "example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
            "example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
        ),
    }
)
"""Module → files in its folder. The other definitions of these modules are large, and no stack uses them."""
EFFORT = Effort(4, 50, 1, 1)


def find_crds() -> Path:
    """Return the folder with the definitions, one YAML file each, named ``<plural>.<group>.yaml``.

    Raises:
        LabError: The definitions are missing, or lab/ has changed since the build.
    """
    place = find_crds_place()
    refuse_unfit(place / NAME, place, REMEDIES["rehearse"])
    return place / NAME


def find_crds_place() -> Path:
    """Return the folder that holds the folder of the definitions."""
    return find_place(NAME, hash_crds())


def hash_crds() -> str:
    """Return the hash of everything that the definitions are made from."""
    copied = (file for files in COPIED_FILES.values() for file in files)
    return hash_go_modules((CLUSTER_FOLDER, COPIED_FOLDER), KARPENTER_PACKAGE, *copied)


def write_crds(go: Go, folder: Path, watch: Watch) -> None:
    """Write all definitions into a new folder.

    Raises:
        LabError: Go could not download a module or build the program.
    """
    folder.mkdir(parents=True)
    go.run(["run", KARPENTER_PACKAGE, str(folder)], CLUSTER_FOLDER, watch)
    modules = [*COPIED_FILES]
    go.run(["mod", "download", *modules], COPIED_FOLDER, watch)
    places = go.run(["list", "-m", "-f", "{{.Dir}}", *modules], COPIED_FOLDER, watch).splitlines()
    for place, files in zip(places, COPIED_FILES.values(), strict=True):
        for file in files:
            (folder / name_definition(file)).write_bytes((Path(place) / file).read_bytes())


def name_definition(file: str) -> str:
    """Return the file name of a definition: ``bases/keda.sh_scaledobjects.yaml`` → ``scaledobjects.keda.sh.yaml``."""
    group, _, plural = Path(file).stem.partition("_")
    return f"{plural}.{group}.yaml"
