"""Rules against access by strangers: through policies, identity providers, public fields and VPC endpoints."""

from .effects.documents import DOCUMENT_KINDS, ENDPOINT_KINDS
from .effects.principals import list_strangers, passes_everything
from .effects.publication import PUBLIC_KINDS, has_idle_block, list_public_fields
from .effects.statements import list_statements
from .effects.web_identities import list_open_providers
from .resources import Resource
from .rule import Report, Rule, Settings, find_wrong


def _refuse_wildcard_principals(resource: Resource, report: Report, _: Settings) -> None:
    for stranger in list_strangers(resource):
        report(f"{resource.name} trusts {stranger}")


def _refuse_open_providers(role: Resource, report: Report, _: Settings) -> None:
    for statement in find_wrong(list_statements(role), lambda statement: bool(list_open_providers(statement))):
        for provider in list_open_providers(statement):
            report(f"{role.name} trusts every identity of {provider}")


def _refuse_public_fields(resource: Resource, report: Report, _: Settings) -> None:
    for field in list_public_fields(resource):
        report(f"{resource.name} is public by {field}")
    if has_idle_block(resource):
        report(f"{resource.name} has a block of public access that blocks nothing")


def _refuse_endpoints_without_limit(endpoint: Resource, report: Report, _: Settings) -> None:
    if passes_everything(endpoint):
        report(f"the policy of {endpoint.name} allows everyone everything, as if there were no policy")


RULES = (
    Rule(
        id="no-wildcard-principal",
        kinds=DOCUMENT_KINDS,
        check=_refuse_wildcard_principals,
    ),
    Rule(
        id="web-identity-scoped",
        kinds=("Role",),
        check=_refuse_open_providers,
    ),
    Rule(
        id="not-public",
        kinds=PUBLIC_KINDS,
        check=_refuse_public_fields,
    ),
    Rule(
        id="endpoint-policy-limits",
        kinds=ENDPOINT_KINDS,
        check=_refuse_endpoints_without_limit,
    ),
)
