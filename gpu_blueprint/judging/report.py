"""Findings of the policies as text and for machines, each traced to the line of the stack file that it comes from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies import RULES, Waiver

from ..errors import Path
from ..loading import StackFile
from ..loading.source import IN_FILE
from ..plan import PlannedResource
from .verdicts import Finding

_COMPONENTS = {
    "Network": ("network",),
    "Cluster": ("cluster",),
    "Access": ("cluster",),
    "SystemNodes": ("cluster", "systemNodes"),
    "Addons": ("cluster",),
    "Karpenter": ("cluster",),
    "Storage": ("cluster",),
    "GpuOperator": ("pools",),
    "Efa": ("pools",),
}
"""Component → the part of the stack file that it is made from."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A finding and where its cause stands."""

    finding: Finding
    file: str
    line: int

    def __str__(self) -> str:
        verdict = self.finding.verdict
        waived = (
            f" (waived until {self.finding.waiver.until}: {self.finding.waiver.reason})" if self.finding.waiver else ""
        )
        return f"{self.file}:{self.line}: {self.finding.word}: {verdict.rule}: {verdict.message}{waived}"

    def as_json(self) -> dict[str, Any]:
        """The finding for programs."""
        finding = self.finding
        return {
            "rule": finding.verdict.rule,
            "counts": finding.word,
            "level": finding.level,
            "resource": finding.resource,
            "urn": finding.verdict.urn,
            "message": finding.verdict.message,
            "file": self.file,
            "line": self.line,
        }


def waivers_of(stack: StackFile) -> list[Waiver]:
    """The stack file's waivers as policies know them."""
    return [Waiver(one.rule, one.resource, one.reason, one.owner, one.until) for one in stack.config.waivers]


def placed(stack: StackFile, plan: Sequence[PlannedResource], found: Sequence[Finding]) -> list[Placed]:
    """Trace findings to the stack file: to the pool or tenant that made the resource, else to the section."""
    by_urn = {resource.urn: resource for resource in plan}
    return [Placed(one, stack.source.file, stack.source.line_of(IN_FILE + _field(stack, by_urn, one))) for one in found]


def _field(stack: StackFile, by_urn: Mapping[str, PlannedResource], finding: Finding) -> Path:
    pools = [pool.name for pool in stack.config.pools]
    tenants = [f"tenant-{tenant.name}" for tenant in stack.config.tenants]
    urn = finding.verdict.urn
    while urn in by_urn:
        one = by_urn[urn]
        kind = one.type.rsplit(":", 1)[-1]
        if kind in ("GpuPool", "StaticNodes"):
            return ("pools", pools.index(one.name))
        if kind == "TenantSpace":
            return ("tenants", tenants.index(one.name))
        if not one.custom and kind in _COMPONENTS:
            return _COMPONENTS[kind]
        urn = one.parent
    return ("waivers",) if finding.verdict.rule == "waiver-in-force" else ()


def sarif(found: Sequence[Placed]) -> dict[str, Any]:
    """Findings as SARIF 2.1.0, which code hosts show at the lines of a change."""
    levels = {"fails": "error", "advisory": "warning", "remediate": "warning", "undecided": "note", "waived": "note"}
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": f"{rule.looks_at}: {rule.passes}"},
            "fullDescription": {"text": f"Fails if {rule.fails}: {rule.why}."},
            "help": {"text": rule.fix},
        }
        for rule in RULES
    ]
    results = [
        {
            "ruleId": one.finding.verdict.rule,
            "level": levels[one.finding.word],
            "message": {"text": one.finding.verdict.message},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": one.file}, "region": {"startLine": one.line}}}
            ],
            "partialFingerprints": {"resource": f"{one.finding.verdict.rule}/{one.finding.resource}"},
            **(
                {"suppressions": [{"kind": "external", "justification": one.finding.waiver.reason}]}
                if one.finding.waiver
                else {}
            ),
        }
        for one in found
    ]
    driver = {"name": "gpu-blueprint", "informationUri": "https://www.pulumi.com/docs/insights/policy/", "rules": rules}
    return {
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
