"""The rules as CrossGuard policies: what `pulumi preview --policy-pack policies` runs."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from pulumi.runtime import rpc
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyConfigSchema,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UnknownValueError

from . import RULES
from .rule import UNKNOWN, NotYetKnownError, Resource, Rule, Stack, Verdict, default_tags, judge
from .waivers import Waiver, waiver_of

_log = logging.getLogger(__name__)


def policies(waivers: Sequence[Waiver] = ()) -> list[Policy]:
    """Every rule as a policy, mandatory unless the environment's file says otherwise."""
    return [_stack_policy(rule, waivers) if rule.whole else _resource_policy(rule, waivers) for rule in RULES]


def stack_waivers(stack: Any) -> list[Waiver]:
    """The waivers that a stack object states; none where there is no such object, as in other people's programs.

    A waiver that cannot be read waives nothing, and the log says so: a pack that ended here would judge nothing at all.
    """
    given = stack.get("waivers", []) if isinstance(stack, Mapping) else []
    found = []
    for one in given if isinstance(given, list) else [given]:
        try:
            found.append(Waiver(**{**one, "until": date.fromisoformat(str(one["until"]))}))
        except (KeyError, TypeError, ValueError) as error:
            _log.warning("a waiver of the stack cannot be read and counts for nothing: %s (%r)", one, error)
    return found


def _described(rule: Rule) -> dict[str, Any]:
    return {
        "name": rule.id,
        "description": f"Passes if {rule.passes}. {rule.why[0].upper()}{rule.why[1:]}.",
        "enforcement_level": EnforcementLevel.MANDATORY,
        "config_schema": PolicyConfigSchema({name: _schema(value) for name, value in rule.settings.items()})
        if rule.settings
        else None,
        "remediation_steps": rule.fix,
    }


def _schema(default: Any) -> dict[str, Any]:
    kind = {list: "array", int: "number", str: "string", dict: "object"}[type(default)]
    return {"type": kind, "default": default}


def _resource_policy(rule: Rule, waivers: Sequence[Waiver]) -> ResourceValidationPolicy:
    def validate(args: ResourceValidationArgs, report: ReportViolation) -> None:
        _tell(
            judge(rule, Stack([_seen(args)]), _settings(rule, args)),
            waivers,
            lambda verdict: report(verdict.message, None),
        )

    return ResourceValidationPolicy(validate=validate, remediate=_remediation(rule), **_described(rule))


def _remediation(rule: Rule) -> Any:
    """What CrossGuard calls at the level remediate: new props or nothing. Its types know only the asynchronous form."""
    if rule.remediate is None:
        return None
    mend = rule.remediate

    def remediate(args: ResourceValidationArgs) -> Any:
        seen = _seen(args)
        try:
            mended = mend(seen, {**rule.settings, **_settings(rule, args)})
        except NotYetKnownError:
            return None
        props: Any = args.props
        changed = {key: value for key, value in (mended or {}).items() if value is not seen.props.get(key)}
        for key, value in changed.items():  # the other values stay what they are, secrets among them
            props[key] = _sent(value)
        return props if changed else None

    return remediate


def _settings(rule: Rule, args: ResourceValidationArgs | StackValidationArgs) -> Mapping[str, Any]:
    return plain(args.get_config()) if rule.settings else {}


def _seen(args: ResourceValidationArgs) -> Resource:
    provider = args.provider
    return Resource(
        urn=args.urn,
        type=args.resource_type,
        name=args.name,
        props=plain(args.props),
        provider=provider.urn if provider else "",
        default_tags=default_tags(plain(provider.props)) if provider else {},
    )


def _stack_policy(rule: Rule, waivers: Sequence[Waiver]) -> StackValidationPolicy:
    def validate(args: StackValidationArgs, report: ReportViolation) -> None:
        stack = Stack([
            Resource(
                urn=one.urn,
                type=one.resource_type,
                name=one.name,
                props=_outputs(one),
                provider=one.provider.urn if one.provider else "",
                dependencies=tuple(dependency.urn for dependency in one.dependencies),
            )
            for one in args.resources
        ])  # fmt: skip
        _tell(judge(rule, stack, _settings(rule, args)), waivers, lambda verdict: report(verdict.message, verdict.urn))

    return StackValidationPolicy(validate=validate, **_described(rule))


def _tell(verdicts: Iterable[Verdict], waivers: Sequence[Waiver], report: Callable[[Verdict], None]) -> None:
    """Report what is not waived; what is undecided goes the way that stops no preview, after the rest."""
    undecided = []
    for verdict in verdicts:
        if waiver_of(waivers, verdict.rule, verdict.resource, date.today()):
            continue
        if verdict.undecided:
            undecided.append(verdict)
        else:
            report(verdict)
    if undecided:
        raise _UndecidedError(undecided)


class _UndecidedError(UnknownValueError):
    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        super().__init__(rpc.UNKNOWN, [])
        self.message = "; ".join(f"{verdict.resource}: {verdict.message}" for verdict in verdicts)


def _outputs(resource: Any) -> Any:
    """What a resource puts out: nothing known while its provider waits for something, such as a cluster to stand."""
    waits = resource.provider and any(value is UNKNOWN for value in plain(resource.provider.props).values())
    return plain(resource.props) or (UNKNOWN if waits else {})


def plain(value: Any) -> Any:
    """Read CrossGuard's guarded view as plain values, with UNKNOWN where a look would end the policy."""
    if isinstance(value, Mapping):
        return {key: _guarded(value, key) for key in value}
    if hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(value, str | bytes):
        return [_guarded(value, index) for index in range(len(value))]
    if value == rpc.UNKNOWN:
        return UNKNOWN
    if isinstance(value, float) and value.is_integer():  # on the wire every number is a double
        return int(value)
    return value


def _sent(value: Any) -> Any:
    if value is UNKNOWN:
        return rpc.UNKNOWN
    return {key: _sent(item) for key, item in value.items()} if isinstance(value, Mapping) else value


def _guarded(container: Any, key: Any) -> Any:
    try:
        return plain(container[key])
    except UnknownValueError:
        return UNKNOWN
