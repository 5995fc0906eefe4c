"""Rules about access from outside: who may use a resource by its policy or its fields, and data that leaves by
endpoints."""

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
        looks_at="principals that IAM documents and permissions trust",
        passes="the principals are named, or a condition or a denial limits them to named accounts, identities or "
        "networks",
        fails="a principal contains * or ?, or the document says NotPrincipal, and no condition decides who may act: "
        "tags and user names of the caller, TLS, IfExists, ForAllValues and Null decide nothing",
        why="any AWS account may use the resource",
        fix="name the principal or add a condition",
    ),
    Rule(
        id="web-identity-scoped",
        kinds=("Role",),
        check=_refuse_open_providers,
        looks_at="OIDC providers that roles trust, such as the issuer of an EKS cluster and GitHub Actions",
        passes="a condition on the claim sub names a namespace, a repository or its owner",
        fails="no condition compares sub, only the audience is compared, or the pattern fits every namespace or "
        "every owner",
        why="any pod of the cluster, or any job of the CI service, may assume the role",
        fix="add a condition that compares sub with a service account, such as "
        "system:serviceaccount:jobs:trainer, or with a repository, such as repo:acme/models:*",
    ),
    Rule(
        id="not-public",
        kinds=PUBLIC_KINDS,
        check=_refuse_public_fields,
        looks_at="access lists and grants of buckets and objects, blocks of public access, shared images and snapshots",
        passes="no field admits all users or all AWS accounts",
        fails="an access list or a grant admits them, or a block of public access blocks nothing",
        why="anybody can read or overwrite models, data and images",
        fix="remove the access list or the grant, and block public access",
    ),
    Rule(
        id="endpoint-policy-limits",
        kinds=ENDPOINT_KINDS,
        check=_refuse_endpoints_without_limit,
        looks_at="policies of VPC endpoints",
        passes="there is no policy, which is the usual case, or it names actions, resources, principals, accounts or "
        "an organisation",
        fails="a policy allows everyone every action on every resource",
        why="the policy looks like a limit, and pods can still copy data to buckets of other accounts",
        fix="name the buckets or the organisation, or remove the policy",
    ),
)
