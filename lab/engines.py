"""The engines of the lab: which program comes from which Go module. build.py builds them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from .built import find_place, refuse_unfit
from .go_modules import hash_go_modules, read_go_module

Bundle = Literal["rehearse", "lifecycle", "workflow", "scaling", "sharing"]
"""The engines of `blueprint rehearse`, what `blueprint lifecycle` needs on top, the judge of .github/workflows, the
engines that scale services, and NVIDIA's programs that cut, share and label GPUs."""
CORE: tuple[Bundle, ...] = ("rehearse", "lifecycle", "workflow", "scaling")
"""The bundles that the gate builds and starts. The others run every night."""
REMEDIES: Mapping[Bundle, str] = MappingProxyType(
    {
        "rehearse": "make lab",
        "lifecycle": "make lab-lifecycle",
        "workflow": "make lab-all",
        "scaling": "make lab-scaling",
        "sharing": "make lab-sharing",
    }
)
"""Bundle → the command that builds it."""
PROGRAMS = "bin"
"""The folder of a program in its place; Pulumi's library wants this name."""
NVIDIA_FOLDER = "nvidia"
CLUSTER_FOLDER = "cluster"
"""Folder of the Go module that a cluster's engines share, so that each library is compiled once for all of them."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The cost of a cold build on two cores: each part pays for what no part before it in the table has compiled.

    Measured 2026-11-28. The seconds of the shared module are those of a busy machine, scaled by its CPU to a quiet one.
    """

    seconds: int
    modules: int
    """Growth of Go's module cache, in MB."""
    cache: int
    """Growth of Go's build cache, in MB."""
    result: int
    """Size of the result, in MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One program of the lab."""

    name: str
    folder: str
    """Folder of its Go module in lab/."""
    package: str
    bundle: Bundle = "rehearse"
    effort: Effort
    needs_c: bool = False
    """True if Go calls a C compiler for it; it is then built for Linux alone."""
    version_flags: Mapping[str, str] = field(default_factory=dict)
    """Go variable → text that the linker writes into it, where the program does not know its own version."""

    @property
    def version(self) -> str:
        """The version that its go.mod names, without a v."""
        return read_go_module(self.folder).find_version(self.package)

    @property
    def linker_flags(self) -> str:
        """The argument of ``-ldflags``: no symbol tables, and the version."""
        version = self.version
        major, minor, *_ = version.split(".")
        written = (
            f"-X {variable}={text.format(version=version, major=major, minor=minor)}"
            for variable, text in self.version_flags.items()
        )
        return " ".join(["-s -w", *written])

    @property
    def stamp(self) -> str:
        """The hash of everything that the program is built from."""
        return hash_go_modules((self.folder,), self.package, self.linker_flags)

    @property
    def place(self) -> Path:
        """The folder of what is built."""
        return find_place(self.name, self.stamp)


_KUBERNETES_FLAGS = MappingProxyType(
    {
        "k8s.io/component-base/version.gitVersion": "v{version}",
        "k8s.io/component-base/version.gitMajor": "{major}",
        "k8s.io/component-base/version.gitMinor": "{minor}",
        "k8s.io/client-go/pkg/version.gitVersion": "v{version}",
    }
)


def _build_kubernetes_engine(name: str, effort: Effort) -> Engine:
    return Engine(
        name=name,
        folder=CLUSTER_FOLDER,
        package=f"k8s.io/kubernetes/cmd/{name}",
        effort=effort,
        version_flags=_KUBERNETES_FLAGS,
    )


def _build_keda_engine(part: str, effort: Effort) -> Engine:
    return Engine(
        name=f"keda-{part}",
        folder="keda",
        package=f"github.com/kedacore/keda/v2/cmd/{part}",
        bundle="scaling",
        effort=effort,
        version_flags={"github.com/kedacore/keda/v2/version.Version": "{version}"},
    )


def _build_nvidia_engine(name: str, package: str, effort: Effort) -> Engine:
    return Engine(
        name=name,
        folder=NVIDIA_FOLDER,
        package=f"github.com/NVIDIA/{package}",
        bundle="sharing",
        effort=effort,
        needs_c=True,
    )


_ENGINES = (
    Engine(name="etcd", folder=CLUSTER_FOLDER, package="go.etcd.io/etcd/server/v3", effort=Effort(55, 215, 346, 27)),
    Engine(
        name="karpenter",
        folder=CLUSTER_FOLDER,
        package="github.com/aws/karpenter-provider-aws/cmd/controller",
        effort=Effort(225, 250, 1460, 50),
        version_flags={"sigs.k8s.io/karpenter/pkg/operator.Version": "{version}"},
    ),
    Engine(name="kwok", folder=CLUSTER_FOLDER, package="sigs.k8s.io/kwok/cmd/kwok", effort=Effort(18, 35, 123, 64)),
    _build_kubernetes_engine("kube-apiserver", Effort(150, 215, 1245, 105)),
    _build_kubernetes_engine("kube-scheduler", Effort(23, 0, 190, 73)),
    _build_kubernetes_engine("kube-controller-manager", Effort(52, 24, 431, 96)),
    _build_kubernetes_engine("kubectl", Effort(23, 15, 199, 60)),
    Engine(
        name="kueue",
        folder=CLUSTER_FOLDER,
        package="sigs.k8s.io/kueue/cmd/kueue",
        effort=Effort(82, 220, 535, 110),
        version_flags={"sigs.k8s.io/kueue/pkg/version.GitVersion": "v{version}"},
    ),
    Engine(
        name="jobset",
        folder=CLUSTER_FOLDER,
        package="sigs.k8s.io/jobset",
        effort=Effort(4, 0, 12, 53),
        version_flags={"sigs.k8s.io/jobset/pkg/version.GitVersion": "v{version}"},
    ),
    Engine(
        name="pulumi",
        folder="pulumi",
        package="github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
        bundle="lifecycle",
        effort=Effort(261, 1401, 1562, 115),
        version_flags={"github.com/pulumi/pulumi/sdk/v3/go/common/version.Version": "v{version}"},
    ),
    Engine(
        name="actionlint",
        folder="actionlint",
        package="github.com/rhysd/actionlint/cmd/actionlint",
        bundle="workflow",
        effort=Effort(15, 26, 14, 6),
    ),
    _build_keda_engine("operator", Effort(220, 1250, 1900, 164)),
    _build_keda_engine("adapter", Effort(60, 0, 400, 114)),
    _build_keda_engine("webhooks", Effort(5, 0, 20, 47)),
    _build_nvidia_engine(
        "nvidia-device-plugin", "k8s-device-plugin/cmd/nvidia-device-plugin", Effort(60, 150, 300, 20)
    ),
    _build_nvidia_engine(
        "gpu-feature-discovery", "k8s-device-plugin/cmd/gpu-feature-discovery", Effort(75, 0, 500, 49)
    ),
    _build_nvidia_engine("config-manager", "k8s-device-plugin/cmd/config-manager", Effort(6, 0, 20, 37)),
    _build_nvidia_engine("nvidia-mig-parted", "mig-parted/cmd/nvidia-mig-parted", Effort(5, 0, 20, 9)),
)

ENGINES: Mapping[str, Engine] = MappingProxyType({engine.name: engine for engine in _ENGINES})
"""Name of each program → the engine, in the order in which build.py builds them."""


def find_engine(name: str) -> Path:
    """Return the path of a built program.

    Raises:
        LabError: The program is damaged, not built, or lab/ has changed since.
    """
    engine = ENGINES[name]
    place = engine.place
    program = place / PROGRAMS / name
    refuse_unfit(program, place, REMEDIES[engine.bundle])
    return program
