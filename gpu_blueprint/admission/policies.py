"""The list of all admission policies of a stack."""

from collections.abc import Callable, Mapping

from ..cel.policy import AdmissionPolicy, WaivableRule
from ..config import StackConfig
from ..subject import Subject
from ..subjects.tenants.quotas import STORAGE_CAP
from .models.objects import build_model_policies
from .queues.jobs import build_queued_job_policy
from .queues.objects import build_queue_object_policy
from .queues.pods import build_queued_pod_policy
from .storage.claims import build_claim_policy
from .tenants.eviction_budgets import build_eviction_budget_policy
from .tenants.foreign_kinds import build_foreign_kind_policy
from .tenants.platform_objects import build_platform_object_policy
from .tenants.pods import build_pod_policy
from .tenants.role_bindings import build_role_binding_policy
from .tenants.secrets import build_secret_policy
from .tenants.services import build_service_policy
from .tenants.templates import build_template_policy


def _build_tenant_policies(config: StackConfig) -> list[AdmissionPolicy]:
    return [
        build_pod_policy(config),
        build_template_policy(config),
        build_service_policy(config),
        build_eviction_budget_policy(config),
        build_secret_policy(),
        build_role_binding_policy(config),
        build_platform_object_policy(config),
        build_foreign_kind_policy(config),
    ]


def _build_queue_policies(config: StackConfig) -> list[AdmissionPolicy]:
    if not config.queueing:
        return []
    return [build_queued_pod_policy(config), build_queued_job_policy(config), build_queue_object_policy(config)]


POLICIES: Mapping[Subject, Callable[[StackConfig], list[AdmissionPolicy]]] = {
    "tenants": _build_tenant_policies,
    "storage": lambda config: [build_claim_policy(config)],
    "models": build_model_policies,
    "queues": _build_queue_policies,
}
"""Subject → function that builds its admission policies."""


def list_policies(config: StackConfig) -> list[AdmissionPolicy]:
    """Return every admission policy of a stack."""
    return [policy for build in POLICIES.values() for policy in build(config)]


def list_admission_rules(config: StackConfig) -> list[WaivableRule]:
    """Return every rule that a waiver can lift: the rules of the policies, then the storage cap of quotas.

    The policy about pod templates is left out, since it repeats the rules about pods.
    """
    policies = [policy for policy in list_policies(config) if not policy.only_warns]
    return [*(rule for policy in policies for rule in policy.rules), STORAGE_CAP]
