"""All checks of a cluster, side by side."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from ....records import replace
from ..answers import UnansweredError
from ..findings import Finding
from . import (
    add_ons,
    aws_auth,
    cluster_policy,
    definitions,
    device_plugins,
    facts,
    karpenter,
    network_policies,
    node_pools,
    nodes,
    objects,
    owner,
    pod_identity,
    programs,
    rights,
)
from .layer import Layer
from .reading import CachedCluster, Cluster

Check = Callable[[Layer, Cluster], Iterator[Finding]]

CHECKS: tuple[tuple[str, Check], ...] = tuple(
    (module.CHECK, module.check)
    for module in (
        facts,
        owner,
        rights,
        aws_auth,
        pod_identity,
        karpenter,
        node_pools,
        device_plugins,
        cluster_policy,
        programs,
        definitions,
        objects,
        add_ons,
        network_policies,
        nodes,
    )
)
"""Name and function of every check, in the order of the report."""

_PARALLEL_CHECKS = 8


def ask_cluster(layer: Layer, cluster: Cluster) -> list[Finding]:
    """Return the findings of all checks. A cluster that does not answer the first question is asked no other."""
    cached = CachedCluster(cluster)
    try:
        cached.get(facts.VERSION)
    except UnansweredError as error:
        return [_report_silence(facts.CHECK, cluster, error)]
    with ThreadPoolExecutor(_PARALLEL_CHECKS) as threads:
        answers = threads.map(lambda row: ask_check(row[0], row[1], layer, cached), CHECKS)
        return [finding for findings in answers for finding in findings]


def ask_check(name: str, check: Check, layer: Layer, cluster: Cluster) -> Sequence[Finding]:
    """Return the findings of a check. Where a question has no answer, the last finding says why."""
    found: list[Finding] = []
    try:
        for finding in check(layer, cluster):  # keeps the findings before an error
            found.append(finding)
    except UnansweredError as error:
        found.append(_report_silence(name, cluster, error))
    return found


def _report_silence(name: str, cluster: Cluster, error: UnansweredError) -> Finding:
    subject = cluster.access.context
    return Finding(check=name, subject=subject, status=error.status, problem=replace(error.problem, subject=subject))
