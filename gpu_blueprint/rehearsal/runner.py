"""Run the probes of a stack in rounds, all pools side by side, and compare each outcome with its promise."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby

from lab.aws import Instance
from lab.lab import Lab, Refusal

from ..config import StackConfig
from .change_probes import list_change_probes, set_placeholders
from .outcome import Result
from .pods import build_probe_namespace
from .pool_probes import list_pool_probes
from .probe import Probe
from .service_probes import list_service_probes
from .stage import Stage
from .tenant_probes import list_tenant_probes

Report = Callable[[str], None]
"""Takes a line that says how far the rehearsal is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsal:
    """Everything that a rehearsal found."""

    refusals: tuple[Refusal, ...]
    results: tuple[Result, ...]
    launches: tuple[Instance, ...]
    """The first instance of each pool in each way to buy."""
    seconds: float
    memory_bytes: int
    """Resident memory of all engines at the end of the last round."""

    @property
    def is_as_expected(self) -> bool:
        """True if the API server took every object and every probe ended as promised."""
        return not self.refusals and all(result.is_as_expected for result in self.results)


def list_probes(config: StackConfig) -> list[Probe]:
    """Return every question that a stack raises, in the order of the report."""
    probes = [probe for pool in config.pools for probe in list_pool_probes(config, pool)]
    probes += list_change_probes(config)
    probes += [probe for tenant in config.tenants for probe in list_tenant_probes(config, tenant)]
    return [*probes, *list_service_probes(config)]


def load_platform(lab: Lab, report: Report) -> list[Refusal]:
    """Start Karpenter, apply every rendered object, and wait until Karpenter accepts them; return the refusals."""
    report("applying the rendered objects …")
    lab.install_crds()
    lab.start_karpenter()
    refusals = lab.load(lab.scene.manifests)
    lab.kube.apply(build_probe_namespace())
    report("waiting for Karpenter …")
    lab.wait_until_ready()
    return refusals


def run_probes(lab: Lab, config: StackConfig, probes: Sequence[Probe], report: Report) -> list[Result]:
    """Play probes round by round on a loaded platform, and return the results in the order of the probes."""
    stage = Stage(lab)
    for pool in config.pools:
        if pool.headroom and not pool.static_nodes:
            set_placeholders(stage, pool, 0)
    found: dict[str, Result] = {}
    rounds = list(plan_rounds(probes))
    for number, beside in enumerate(rounds, 1):
        stage.clean()
        titles = ", ".join(dict.fromkeys(probe.title for probe in beside))
        report(f"round {number} of {len(rounds)}: {titles[:90]} …")
        with ThreadPoolExecutor(len(beside)) as threads:
            for probe, result in zip(beside, threads.map(lambda probe: _play(probe, stage), beside), strict=True):
                found[probe.name] = result
    stage.clean()
    return [found[probe.name] for probe in probes]


def plan_rounds(probes: Iterable[Probe]) -> Iterator[list[Probe]]:
    """Group probes of one phase into rounds in which no pool is needed alone by two of them."""
    by_phase = groupby(sorted(probes, key=lambda probe: probe.phase), key=lambda probe: probe.phase)
    for _, same_phase in by_phase:
        waiting = list(same_phase)
        while waiting:
            taken: set[str] = set()
            beside: list[Probe] = []
            later: list[Probe] = []
            for probe in waiting:
                (later if taken & probe.alone_in else beside).append(probe)
                taken |= probe.alone_in
            yield beside
            waiting = later


def _play(probe: Probe, stage: Stage) -> Result:
    outcome = probe.play(stage)
    return Result(
        probe=probe.name,
        subject=probe.subject,
        title=probe.title,
        expected=probe.expected.text,
        outcome=outcome,
        difference=probe.expected.find_difference(outcome),
    )


def rehearse(lab: Lab, config: StackConfig, report: Report) -> Rehearsal:
    """Load a stack into a lab and play all its probes."""
    start = time.monotonic()
    refusals = load_platform(lab, report)
    results = run_probes(lab, config, list_probes(config), report)
    return Rehearsal(
        refusals=tuple(refusals),
        results=tuple(results),
        launches=pick_launches(lab.aws.instances.values()),
        seconds=time.monotonic() - start,
        memory_bytes=lab.workspace.measure_memory(),
    )


def pick_launches(instances: Iterable[Instance]) -> tuple[Instance, ...]:
    """Return the first launch of each pool in each way to buy: the later launches differ in the type alone."""
    found: dict[tuple[str, str], Instance] = {}
    for instance in instances:
        found.setdefault((instance.tags.get("karpenter.sh/nodepool", ""), instance.lifecycle), instance)
    return tuple(found.values())
