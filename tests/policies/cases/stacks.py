"""What the cases of the policy rules are made of: shipped plans with one value changed, and other people's objects."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal

from gpu_blueprint.judging.verdicts import as_stack
from gpu_blueprint.plan import PlannedResource
from policies import UNKNOWN, Resource, Rule, Stack, Verdict, judge

from ...support.plans import plan

Build = Callable[[], Stack]
"""Makes a stack when it is needed, so that to list cases renders nothing."""
Path = tuple[str | int, ...]
"""Keys and list indices; inside a JSON text it goes on."""
GONE: Any = object()
"""As a value: take away what stands there."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Case:
    """One stack and what one rule must say of it."""

    about: str
    stack: Build
    verdict: Literal["passes", "fails", "undecided"]
    rule: str = ""
    at: tuple[str, ...] = ()
    """Names of the resources that it falls on, one for each message."""
    words: tuple[str, ...] = ()
    """What the messages must say among other things."""
    unclear: tuple[str, ...] = ()
    """Names of the resources that cannot be judged yet beside those that are wrong."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    awaits: str = ""
    """What is wrong with the rule, where the case is right and the rule is not."""

    def __str__(self) -> str:
        return f"{self.rule}: {self.about}"


def passes(about: str, stack: Build, *, awaits: str = "", **settings: Any) -> Case:
    """The rule says nothing at all."""
    return Case(about=about, stack=stack, verdict="passes", settings=settings, awaits=awaits)


def fails(
    about: str, stack: Build, *at: str, words: str | tuple[str, ...] = (), unclear: str = "", awaits: str = "", **settings: Any
) -> Case:  # fmt: skip
    """The rule finds exactly these resources wrong."""
    said = (words,) if isinstance(words, str) else words
    open_ = (unclear,) if unclear else ()
    return Case(
        about=about, stack=stack, verdict="fails", at=at, words=said, unclear=open_, settings=settings, awaits=awaits
    )


def undecided(about: str, stack: Build, *at: str, awaits: str = "", **settings: Any) -> Case:
    """The rule says that it cannot be judged yet, and calls nothing wrong."""
    return Case(about=about, stack=stack, verdict="undecided", at=at, settings=settings, awaits=awaits)


def of(rule: str, *cases: Case) -> tuple[Case, ...]:
    """The cases of one rule."""
    return tuple(replace(case, rule=rule) for case in cases)


@cache
def stack_of(case: Case) -> Stack:
    """The stack of a case, made once."""
    return case.stack()


def complaint(case: Case, rule: Rule) -> str:
    """What a rule does otherwise than the case demands; empty when all is well."""
    verdicts = list(judge(rule, stack_of(case), case.settings))
    wrong = [verdict for verdict in verdicts if not verdict.undecided]
    open_ = [verdict for verdict in verdicts if verdict.undecided]
    if case.verdict == "passes":
        return _unlike(verdicts, ())
    if case.verdict == "fails":
        said = "\n".join(verdict.message for verdict in wrong)
        silent = [word for word in case.words if word not in said]
        return (
            _unlike(wrong, case.at) or _unlike(open_, case.unclear) or (f"{silent} not in {said!r}" if silent else "")
        )
    if wrong or not open_:
        return f"not undecided: {verdicts}"
    return _unlike(open_, case.at) if case.at else ""


def _unlike(verdicts: list[Verdict], names: tuple[str, ...]) -> str:
    found = sorted(verdict.resource for verdict in verdicts)
    return "" if found == sorted(names) else f"{found} instead of {sorted(names)}: {verdicts}"


def shipped(stack: str) -> Build:
    """A shipped stack as it is."""
    return lambda: _shipped(stack)


@cache
def _shipped(stack: str) -> Stack:
    return as_stack(plan(stack))


def broken(stack: str | Build, kind: str, name_part: str, path: Path, value: Any) -> Build:
    """A stack in which one value of one resource is another, or gone."""
    return _edited(stack, kind, name_part, lambda found: replace(found, props=put(found.props, path, value)))


def severed(stack: str | Build, kind: str, name_part: str, *from_: str) -> Build:
    """A stack in which one resource no longer depends on those with such names."""

    def cut(found: Resource) -> Resource:
        kept = (urn for urn in found.dependencies if not urn.endswith(from_))
        return replace(found, dependencies=tuple(kept))

    return _edited(stack, kind, name_part, cut)


def provided(stack: str | Build, kind: str, name_part: str, provider: str) -> Build:
    """A stack in which one resource has another provider."""
    return _edited(stack, kind, name_part, lambda found: replace(found, provider=provider, default_tags={}))


def without(stack: str | Build, kind: str, name_part: str) -> Build:
    """A stack that lacks one resource."""
    return _edited(stack, kind, name_part, lambda _: None)


def beside(stack: str | Build, *resources: Resource) -> Build:
    """A stack with more resources at its end."""
    build = shipped(stack) if isinstance(stack, str) else stack
    return lambda: Stack([*build().resources, *resources])


def foreign(*resources: Resource) -> Build:
    """Resources of a program that is not ours."""
    return lambda: Stack(resources)


def resource(type_: str, name: str, props: Mapping[str, Any] | None = None, **attributes: Any) -> Resource:
    """One resource of such a program."""
    urn = f"urn:pulumi:live::theirs::{type_}::{name}"
    return Resource(urn=urn, type=type_, name=name, props=props or {}, **attributes)


def requirement(key: str, *values: str, operator: str = "In") -> dict[str, Any]:
    """One requirement of a NodePool or a NodeOverlay."""
    return {"key": key, "operator": operator, **({"values": list(values)} if values else {})}


def node_pool(*requirements: Any, name: str = "theirs", labels: Any = None, **spec: Any) -> Resource:
    """A NodePool written by hand, with nothing optional but what is given; ``template`` goes beside the requirements."""
    template = {"spec": {"requirements": list(requirements), **spec.pop("node", {})}, **spec.pop("template", {})}
    metadata = {"name": name} | ({"labels": labels} if labels else {})
    return resource(
        "kubernetes:karpenter.sh/v1:NodePool", name, {"metadata": metadata, "spec": {"template": template, **spec}}
    )


def release(chart: str, name: str = "theirs", type_: str = "kubernetes:helm.sh/v3:Release", **inputs: Any) -> Resource:
    """A Helm chart of such a program."""
    return resource(type_, name, {"chart": chart, **inputs})


def as_plan(stack: Stack) -> list[PlannedResource]:
    """A stack as a plan, with a provider before each resource that names one or has default tags."""
    planned = []
    for one in stack.resources:
        provider = one.provider or ("urn:pulumi:live::theirs::pulumi:providers:aws::tags" if one.default_tags else "")
        tags = {"defaultTags": json.dumps({"tags": dict(one.default_tags)})}
        made = {
            "pulumi:providers:aws": (provider, "provider", tags),
            one.type: (one.urn, one.name, _planned(one.props)),
        }
        for type_, (urn, name, inputs) in made.items():
            if urn:
                by = "" if urn == provider else provider
                planned.append(
                    PlannedResource(
                        urn=urn, type=type_, name=name, parent="", custom=True,
                        provider=by, dependencies=() if urn == provider else one.dependencies, inputs=inputs,
                    )
                )  # fmt: skip
    return planned


def _planned(value: Any) -> Any:
    if value is UNKNOWN:
        return {"$unknown": True}
    if isinstance(value, Mapping):
        return {key: _planned(item) for key, item in value.items()}
    return [_planned(item) for item in value] if isinstance(value, list) else value


def _edited(stack: str | Build, kind: str, name_part: str, edit: Callable[[Resource], Resource | None]) -> Build:
    build = shipped(stack) if isinstance(stack, str) else stack

    def made() -> Stack:
        whole = build()
        fitting = [found for found in whole.resources if kind in (found.type, found.kind) and name_part in found.name]
        assert len(fitting) == 1, f"{kind} *{name_part}*: {[found.name for found in fitting]}"
        edited = ((edit(found) if found is fitting[0] else found) for found in whole.resources)
        return Stack([found for found in edited if found is not None])

    return made


def put(container: Any, path: Path, value: Any) -> Any:
    """A copy with another value at a path."""
    if not path:
        return value
    if isinstance(container, str):
        return json.dumps(put(json.loads(container), path, value))
    first, *rest = path
    copy: Any = list(container) if isinstance(first, int) else dict(container or {})
    if rest:
        inside = copy[first] if isinstance(first, int) else copy.get(first, {})
        copy[first] = put(inside, tuple(rest), value)
    elif value is GONE:
        del copy[first]
    elif isinstance(first, int) and first == len(copy):
        copy.append(value)
    else:
        copy[first] = value
    return copy
