"""What a rule is, what it sees, and how it is run; no Pulumi in here, so that the same rules run anywhere."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

_T = TypeVar("_T")


class NotYetKnownError(Exception):
    """A rule needs a value that is not known yet; the message names it."""


class Unknown:
    """A value that only the deployment will know: whoever looks into it cannot decide yet, by accident or not."""

    def _look(self, *_: Any, **__: Any) -> Any:
        raise NotYetKnownError("a part of it")

    __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __call__ = _look
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __str__ = __int__ = __float__ = __hash__ = _look

    def __getattr__(self, _: str) -> Any:
        return self._look()

    def __repr__(self) -> str:
        return "(known after the deployment)"


UNKNOWN: Any = Unknown()


def _said(value: Any) -> Any:
    """A value without what is null, which in Kubernetes and in Pulumi means that it is not set."""
    if isinstance(value, str):  # most values are text, and to ask whether text is a mapping takes longer
        return value
    if isinstance(value, Mapping):
        return {key: _said(item) for key, item in value.items() if item is not None}
    return [_said(item) for item in value if item is not None] if isinstance(value, list) else value


@dataclass(frozen=True)
class Resource:
    """One resource as a rule sees it; ``props`` are plain values in which UNKNOWN may stand."""

    urn: str
    type: str
    name: str
    props: Mapping[str, Any]
    provider: str = ""
    dependencies: tuple[str, ...] = ()
    default_tags: Mapping[str, Any] = field(default_factory=dict)
    """Tags that its AWS provider adds."""

    @cached_property
    def kind(self) -> str:
        """The last part of the type, such as ``NodePool``."""
        return self.type.rsplit(":", 1)[-1]

    def get(self, *path: str, default: Any = None) -> Any:
        """The value at a path, which no rule may change; the default where there is none.

        Raises:
            NotYetKnownError: The value, or what it stands in, is not known yet.
        """
        value = self._set_props
        for part in path:
            if value is UNKNOWN:
                break
            value = value.get(part) if isinstance(value, dict) else None
            if value is None:
                return default
        if value is UNKNOWN:
            raise NotYetKnownError(".".join(path))
        return value

    def once(self, question: "Callable[[Resource], _T]") -> _T:
        """The answer to a question about this resource, worked out once however many rules ask.

        Raises:
            NotYetKnownError: The answer needs a value that is not known yet.
        """
        if question not in self._answers:
            self._answers[question] = question(self)
        answer: _T = self._answers[question]
        return answer

    @cached_property
    def _answers(self) -> dict[Any, Any]:
        return {}

    @cached_property
    def _set_props(self) -> Any:
        """The props without what is null; fifty rules ask for parts of them."""
        return _said(self.props)


@dataclass(frozen=True)
class Stack:
    """All resources, for rules that compare them."""

    resources: Sequence[Resource]

    def of(self, *kinds: str) -> Iterator[Resource]:
        """The resources of some kinds."""
        return (resource for kind in kinds for resource in self._by_kind.get(kind, ()))

    def list_in_order(self, kinds: Sequence[str]) -> Sequence[Resource]:
        """The resources of some kinds, in the order of the stack; of all kinds where ``*`` is one of them."""
        if "*" in kinds:
            return self.resources
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], [])
        wanted = frozenset(kinds)
        return [resource for resource in self.resources if resource.kind in wanted]

    def once(self, question: "Callable[[Stack], _T]") -> _T:
        """The answer to a question about the whole stack, worked out once however many resources ask."""
        if question not in self._answers:
            self._answers[question] = question(self)
        answer: _T = self._answers[question]
        return answer

    @cached_property
    def _answers(self) -> dict[Any, Any]:
        return {}

    @cached_property
    def _by_kind(self) -> dict[str, list[Resource]]:
        found: dict[str, list[Resource]] = {}
        for resource in self.resources:
            found.setdefault(resource.kind, []).append(resource)
        return found

    @cached_property
    def by_urn(self) -> dict[str, Resource]:
        """Resources by URN."""
        return {resource.urn: resource for resource in self.resources}


Report = Callable[[str], None]
"""``report(message)``: something is wrong with the resource."""
Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule: a function and everything that people want to know about it."""

    id: str
    kinds: tuple[str, ...]
    """Kinds of resources that it looks at."""
    check: Callable[..., None]
    """``check(resource, report, settings)``, or with ``whole`` ``check(resource, report, settings, stack)``."""
    looks_at: str
    passes: str
    fails: str
    why: str
    """What it costs to break it."""
    fix: str
    whole: bool = False
    """Whether it needs the other resources too."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of what an environment may set."""
    remediate: Callable[[Resource, Settings], dict[str, Any] | None] | None = None
    """Mends a resource where the environment sets the level remediate: new props, or None when all is well."""

    @property
    def subject(self) -> str:
        """The file that it stands in."""
        return self.check.__module__.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Verdict:
    """What a rule found: ``undecided`` where it could not judge yet."""

    rule: str
    urn: str
    message: str
    undecided: bool = False

    @property
    def resource(self) -> str:
        """Name of the resource."""
        return self.urn.split("::")[-1]


def default_tags(provider: Mapping[str, Any]) -> Any:
    """The tags that an AWS provider adds, from its props; UNKNOWN if they are not known yet."""
    tags = provider.get("defaultTags", {})
    if isinstance(tags, str):  # providers keep their configuration as JSON text
        tags = json.loads(tags)
    return tags.get("tags", {}) if isinstance(tags, Mapping) else tags


def known_first(things: Iterable[_T], wrong: Callable[[_T], bool]) -> list[_T]:
    """The things that are wrong; those that cannot be judged yet count only if no other is wrong."""
    found: list[_T] = []
    unknown: NotYetKnownError | None = None
    for thing in things:
        try:
            found += [thing] if wrong(thing) else []
        except NotYetKnownError as error:
            unknown = error
    if unknown and not found:
        raise unknown
    return found


def judge(rule: Rule, stack: Stack, settings: Settings | None = None) -> Iterator[Verdict]:
    """Run one rule over a stack."""
    chosen = {**rule.settings, **(settings or {})}
    for resource in stack.list_in_order(rule.kinds):
        yield from _run(rule, resource, chosen, stack)


def _run(rule: Rule, resource: Resource, settings: Settings, stack: Stack) -> Iterator[Verdict]:
    found: list[Verdict] = []

    def report(message: str) -> None:
        found.append(Verdict(rule.id, resource.urn, f"{message}; {rule.fix}"))

    try:
        rule.check(resource, report, settings, *([stack] if rule.whole else []))
    except NotYetKnownError as error:
        if not found:  # what is known is wrong already
            text = f"cannot be judged before the deployment: {error} is not known yet"
            found.append(Verdict(rule.id, resource.urn, text, True))
    yield from found
