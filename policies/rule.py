"""Define rules, the resources that they read, and how they run; without Pulumi, so that the same rules run anywhere."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

_T = TypeVar("_T")

JUDGED_INSIDE: Mapping[str, str] = {"eks:index:Cluster": "aws:eks/cluster:Cluster"}
"""Component that a provider makes → the resource inside that rules judge: the engine holds no inputs of components."""


class NotYetKnownError(Exception):
    """A rule needs a value that is not known yet; the message names the value."""


class Unknown:
    """A value that only the deployment will know; any look into it raises NotYetKnownError."""

    def _look(self, *_: Any, **__: Any) -> Any:
        raise NotYetKnownError("a part of it")

    __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __call__ = _look
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __str__ = __int__ = __float__ = __hash__ = _look

    def __getattr__(self, _: str) -> Any:
        return self._look()

    def __repr__(self) -> str:
        return "(known after the deployment)"


UNKNOWN: Any = Unknown()


def _drop_nulls(value: Any) -> Any:
    """Return a value without its nulls: in Kubernetes and in Pulumi a field that is null is not set."""
    if isinstance(value, str):  # most values are text, and this question is faster than the question for a mapping
        return value
    if isinstance(value, Mapping):
        return {key: _drop_nulls(item) for key, item in value.items() if item is not None}
    return [_drop_nulls(item) for item in value if item is not None] if isinstance(value, list) else value


@dataclass(frozen=True)
class Resource:
    """One resource as a rule reads it; ``props`` are plain values, and UNKNOWN marks values that are not known yet."""

    urn: str
    type: str
    name: str
    props: Mapping[str, Any]
    provider: str = ""
    dependencies: tuple[str, ...] = ()
    parent: str = ""
    default_tags: Mapping[str, Any] = field(default_factory=dict)
    """Tags that its AWS provider adds."""

    @cached_property
    def kind(self) -> str:
        """The last part of the type, such as ``NodePool``."""
        return self.type.rsplit(":", 1)[-1]

    def get(self, *path: str, default: Any = None) -> Any:
        """Return the value at a path, or the default if the path has no value. Rules must not change the value.

        Raises:
            NotYetKnownError: The value, or a value around it, is not known yet.
        """
        value = self._props_without_nulls
        for part in path:
            if value is UNKNOWN:
                break
            value = value.get(part) if isinstance(value, dict) else None
            if value is None:
                return default
        if value is UNKNOWN:
            raise NotYetKnownError(".".join(path))
        return value

    def compute_once(self, compute: "Callable[[Resource], _T]") -> _T:
        """Compute a fact about this resource; later calls with the same function return the first result.

        Raises:
            NotYetKnownError: The fact needs a value that is not known yet.
        """
        if compute not in self._results:
            self._results[compute] = compute(self)
        result: _T = self._results[compute]
        return result

    @cached_property
    def _results(self) -> dict[Any, Any]:
        return {}

    @cached_property
    def _props_without_nulls(self) -> Any:
        """The props without nulls, kept because fifty rules read parts of them."""
        return _drop_nulls(self.props)


@dataclass(frozen=True)
class Stack:
    """All resources of a program, for rules that compare them."""

    resources: Sequence[Resource]

    def select(self, *kinds: str) -> Iterator[Resource]:
        """Yield the resources of these kinds, kind by kind."""
        return (resource for kind in kinds for resource in self._by_kind.get(kind, ()))

    def list_in_order(self, kinds: Sequence[str]) -> Sequence[Resource]:
        """Return the resources of these kinds in the order of the stack; the kind ``*`` stands for all kinds."""
        if "*" in kinds:
            return self.resources
        if len(kinds) == 1:
            return self._by_kind.get(kinds[0], [])
        wanted = frozenset(kinds)
        return [resource for resource in self.resources if resource.kind in wanted]

    def compute_once(self, compute: "Callable[[Stack], _T]") -> _T:
        """Compute a fact about the whole stack; later calls with the same function return the first result."""
        if compute not in self._results:
            self._results[compute] = compute(self)
        result: _T = self._results[compute]
        return result

    @cached_property
    def _results(self) -> dict[Any, Any]:
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

    @cached_property
    def opened_components(self) -> frozenset[str]:
        """URNs of the components whose judged resource is in the stack; to judge both would report a fault twice."""
        return frozenset(
            resource.parent
            for resource in self.resources
            if (parent := self.by_urn.get(resource.parent)) and JUDGED_INSIDE.get(parent.type) == resource.type
        )


Report = Callable[[str], None]
"""``report(reason)`` says that the resource breaks the rule; the reason is a sentence without end dot."""
Settings = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One policy rule: its function, its settings and the texts that explain it."""

    id: str
    kinds: tuple[str, ...]
    """Kinds of the resources that the rule checks."""
    check: Callable[..., None]
    """``check(resource, report, settings)``, or with ``needs_stack`` ``check(resource, report, settings, stack)``."""
    looks_at: str
    """Completes "Looks at …"."""
    passes: str
    """Completes "PASS if …"."""
    fails: str
    """Completes "FAIL if …"."""
    why: str
    """The cost or the damage of breaking the rule."""
    fix: str
    """The remedy, in the imperative."""
    needs_stack: bool = False
    """Whether the rule compares the resource with others."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of the settings that an environment may change."""
    remediate: Callable[[Resource, Settings], dict[str, Any] | None] | None = None
    """Returns the corrected props of a resource, or None; CrossGuard calls it at the level remediate."""

    @property
    def subject(self) -> str:
        """The name of the module that defines the rule."""
        return self.check.__module__.rsplit(".", 1)[-1]


@dataclass(frozen=True)
class Verdict:
    """One violation of a rule by one resource, or a case that the rule cannot decide yet."""

    rule: str
    urn: str
    reason: str
    """The fault, as a sentence without end dot."""
    hint: str = ""
    """The remedy, in the imperative; empty for an undecided verdict."""
    undecided: bool = False
    """Whether the rule needs a value that only the deployment will know."""

    @property
    def message(self) -> str:
        """The reason and the hint in one line."""
        return f"{self.reason}; {self.hint}" if self.hint else self.reason

    @property
    def resource(self) -> str:
        """Name of the resource."""
        return self.urn.split("::")[-1]


def read_default_tags(provider: Mapping[str, Any]) -> Any:
    """Return the tags that an AWS provider adds, read from its props; UNKNOWN if they are not known yet."""
    tags = provider.get("defaultTags", {})
    if isinstance(tags, str):  # providers keep their configuration as JSON text
        tags = json.loads(tags)
    return tags.get("tags", {}) if isinstance(tags, Mapping) else tags


def find_wrong(items: Iterable[_T], is_wrong: Callable[[_T], bool]) -> list[_T]:
    """Return the items that are wrong; an unknown item matters only if no other item is wrong.

    Raises:
        NotYetKnownError: No item is wrong, and at least one cannot be judged yet.
    """
    found: list[_T] = []
    unknown: NotYetKnownError | None = None
    for item in items:
        try:
            found += [item] if is_wrong(item) else []
        except NotYetKnownError as error:
            unknown = error
    if unknown and not found:
        raise unknown
    return found


def judge(rule: Rule, stack: Stack, settings: Settings | None = None) -> Iterator[Verdict]:
    """Run one rule over a stack and yield its verdicts; resources that pass have none."""
    chosen = {**rule.settings, **(settings or {})}
    for resource in stack.list_in_order(rule.kinds):
        if resource.urn not in stack.opened_components:
            yield from _check(rule, resource, chosen, stack)


def _check(rule: Rule, resource: Resource, settings: Settings, stack: Stack) -> Iterator[Verdict]:
    found: list[Verdict] = []

    def report(reason: str) -> None:
        found.append(Verdict(rule.id, resource.urn, reason, rule.fix))

    try:
        rule.check(resource, report, settings, *([stack] if rule.needs_stack else []))
    except NotYetKnownError as error:
        if not found:  # a violation that is known already counts more than a value that is not known
            reason = f"cannot be judged before the deployment: {error} is not known yet"
            found.append(Verdict(rule.id, resource.urn, reason, undecided=True))
    yield from found
