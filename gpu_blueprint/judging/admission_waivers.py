"""Waivers of admission rules: each lifts a rule for one tenant."""

from collections.abc import Iterator, Mapping
from datetime import date

from policies import Waiver

from ..admission.policies import list_admission_rules, list_policies
from ..config import StackConfig
from ..errors import suggest
from ..records import Record, field


class Admission(Record):
    """The admission rules that a stack renders, and the tenants that they concern."""

    rules: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    policies: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Name of an admission policy → its rules."""


def find_admission(config: StackConfig) -> Admission:
    """Return the admission rules and the tenants of a stack; without tenants there is no admission."""
    tenants = tuple(tenant.name for tenant in config.tenants)
    if not tenants:
        return Admission()
    policies = {policy.name: tuple(rule.id for rule in policy.rules) for policy in list_policies(config)}
    return Admission(tuple(rule.id for rule in list_admission_rules(config)), tenants, policies)


def list_admission_waiver_faults(waiver: Waiver, admission: Admission, today: date) -> Iterator[tuple[str, str]]:
    """Yield each reason why a waiver of an admission rule is wrong, with its remedy.

    An expired waiver lifts its rule in the cluster until somebody removes the waiver, so it is an error.
    """
    if waiver.resource not in admission.tenants:
        reason = f"the waiver of {waiver.rule} names the tenant {waiver.resource!r}, which the stack does not have"
        yield reason, suggest(waiver.resource, admission.tenants)
    if waiver.until < today:
        reason = f"the waiver of {waiver.rule} for the tenant {waiver.resource} ended on {waiver.until}"
        yield reason, f"remove it, so that the rule holds again, or ask {waiver.owner} to renew it"
