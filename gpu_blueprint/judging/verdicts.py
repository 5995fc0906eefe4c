"""The rules of policies/ over a plan, with the levels of an environment and the waivers of a stack."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

from policies import RULES, UNKNOWN, Resource, Rule, Stack, Verdict, Waiver, default_tags, judge, waiver_of

from ..errors import UsageError, near
from ..plan import UNKNOWN as UNKNOWN_IN_PLAN
from ..plan import PlannedResource

Level = Literal["mandatory", "advisory", "remediate", "disabled"]
LEVELS: tuple[Level, ...] = ("mandatory", "advisory", "remediate", "disabled")
FOLDER = Path(__file__).parents[2] / "policies"
STRICTEST = "prod"


@dataclass(frozen=True, slots=True)
class Finding:
    """One verdict at the level of the environment, and the waiver that sets it aside, if one does."""

    verdict: Verdict
    level: Level
    waiver: Waiver | None = None

    @property
    def resource(self) -> str:
        """Name of the resource."""
        return self.verdict.resource

    @property
    def fails(self) -> bool:
        """Whether it stops a deployment."""
        return self.level == "mandatory" and not self.verdict.undecided and self.waiver is None

    @property
    def word(self) -> str:
        """How it counts, in one word."""
        if self.waiver:
            return "waived"
        return "undecided" if self.verdict.undecided else "fails" if self.fails else self.level


def levels_file(environment: str, folder: Path = FOLDER) -> Path:
    """The policy configuration of an environment: its own file, else the strictest one."""
    own = folder / f"{environment}.json"
    return own if own.is_file() else folder / f"{STRICTEST}.json"


def read_levels(path: Path) -> dict[str, Any]:
    """Read a policy configuration as the Pulumi CLI does, and refuse rules and levels that do not exist."""
    try:
        given: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    if not isinstance(given, dict):
        raise UsageError(f"{path}: must be an object of rules and their levels")
    if mistakes := [mistake for name, value in given.items() for mistake in _mistakes(name, value)]:
        raise UsageError("\n".join(f"{path}: {mistake}" for mistake in mistakes))
    return given


def _mistakes(name: str, value: Any) -> Iterator[str]:
    defaults = {rule.id: rule.settings for rule in RULES} | {"all": {}}
    if name not in defaults:
        yield f"there is no rule {name!r} {near(name, list(defaults))}"
        return
    level = value.get("enforcementLevel", "mandatory") if isinstance(value, dict) else value
    if level not in LEVELS:
        yield f"{name}: {level!r} is no level (there are: {', '.join(LEVELS)})"
    settings = (
        {key: item for key, item in value.items() if key != "enforcementLevel"} if isinstance(value, dict) else {}
    )
    for key, item in settings.items():
        default = defaults[name].get(key)
        number = isinstance(default, int) and isinstance(item, int | float) and not isinstance(item, bool)
        if default is None:
            yield f"{name}: there is no setting {key!r} (there are: {', '.join(defaults[name]) or 'none'})"
        elif not number and not isinstance(item, type(default)):
            yield f"{name}: {key} is {item!r}, which must be like {default!r}"


def findings(
    plan: Sequence[PlannedResource], levels: Mapping[str, Any], waivers: Sequence[Waiver] = (), today: date = date.max
) -> list[Finding]:
    """Judge a plan by every rule that is not disabled, in the order of RULES; waivers that ended or mean nothing fail."""
    stack = as_stack(plan)
    found = list(_waiver_findings(stack, waivers, today))
    for rule in RULES:
        level, settings = _chosen(rule, levels)
        if level != "disabled":
            verdicts = judge(rule, stack, settings)
            found += [
                Finding(
                    verdict,
                    _counts(level, rule, stack, verdict, settings),
                    waiver_of(waivers, rule.id, verdict.resource, today),
                )
                for verdict in verdicts
            ]
    return found


def _counts(level: Level, rule: Rule, stack: Stack, verdict: Verdict, settings: Mapping[str, Any]) -> Level:
    """As Pulumi counts: what the level remediate does not mend is mandatory."""
    if level != "remediate":
        return level
    resource = stack.by_urn[verdict.urn]
    mended = rule.remediate(resource, {**rule.settings, **settings}) if rule.remediate else None
    good = mended and not any(judge(rule, Stack([replace(resource, props=mended)]), settings))
    return "remediate" if good else "mandatory"


def _waiver_findings(stack: Stack, waivers: Sequence[Waiver], today: date) -> Iterator[Finding]:
    rules = [rule.id for rule in RULES]
    urns = {resource.name: resource.urn for resource in stack.resources}
    for one in waivers:
        if one.rule not in rules:
            text = f"a waiver names the rule {one.rule!r} {near(one.rule, rules)}"
        elif one.resource not in urns:
            text = (
                f"a waiver of {one.rule} names the resource {one.resource!r}, which the stack does not make; remove it"
            )
        elif one.until < today:
            text = f"the waiver of {one.rule} ended on {one.until}; mend what it waived, or have {one.owner} renew it"
        else:
            continue
        yield Finding(Verdict("waiver-in-force", urns.get(one.resource, ""), text), "mandatory")


def _chosen(rule: Rule, levels: Mapping[str, Any]) -> tuple[Level, dict[str, Any]]:
    value = levels.get(rule.id, levels.get("all", "mandatory"))
    if not isinstance(value, dict):
        return value, {}
    settings = {key: item for key, item in value.items() if key != "enforcementLevel"}
    return value.get("enforcementLevel", levels.get("all", "mandatory")), settings


def as_stack(plan: Sequence[PlannedResource]) -> Stack:
    """A plan as rules see it."""
    by_urn = {resource.urn: resource for resource in plan}
    tags = {
        urn: default_tags(_seen(resource.inputs))
        for urn, resource in by_urn.items()
        if resource.type == "pulumi:providers:aws"
    }
    return Stack([
        Resource(
            urn=resource.urn,
            type=resource.type,
            name=resource.name,
            props=_seen(resource.inputs),
            provider=resource.provider,
            dependencies=resource.dependencies,
            default_tags=tags.get(resource.provider, {}),
        )
        for resource in plan
        if resource.custom
    ])  # fmt: skip


def _seen(value: Any) -> Any:
    if isinstance(value, str):  # most values are text, and to ask whether text is a mapping takes longer
        return value
    if isinstance(value, Mapping):
        if value == UNKNOWN_IN_PLAN or "$secret" in value:
            return UNKNOWN
        return {key: _seen(item) for key, item in value.items()}
    return [_seen(item) for item in value] if isinstance(value, list) else value
