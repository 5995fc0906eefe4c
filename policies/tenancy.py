"""Namespaces, quotas and who may use them."""

from gpu_blueprint.catalog import namespaces

from .pools import amount, is_gpu_pool
from .rule import NotYetKnownError, Report, Resource, Rule, Settings, Stack, known_first


def _is_gpu(name: str) -> bool:
    return name.startswith("nvidia.com/")


def _namespace(resource: Resource) -> str:
    return str(resource.get("metadata", "namespace", default=""))


def _has_quota(namespace: Resource, report: Report, settings: Settings, stack: Stack) -> None:
    name = str(namespace.get("metadata", "name", default=namespace.name))
    if name in settings["exempt"] or name.startswith("kube-"):
        return
    beside, unknown = stack.once(_quotas)
    if known_first(beside.get(name, []), lambda quota: bool(quota.get("spec", "hard"))):
        return
    if unknown:
        raise unknown
    report(f"namespace {name} has no ResourceQuota that bounds anything")


def _quotas(stack: Stack) -> tuple[dict[str, list[Resource]], NotYetKnownError | None]:
    """The quotas of each namespace, and what hides the namespace of others."""
    known: dict[str, list[Resource]] = {}
    unknown: NotYetKnownError | None = None
    for quota in stack.of("ResourceQuota"):
        try:
            known.setdefault(_namespace(quota), []).append(quota)
        except NotYetKnownError as error:
            unknown = error
    return known, unknown


def _exposed(stack: Stack) -> set[str]:
    """Every GPU resource that some node of the stack may hand out."""
    pools = [pool for pool in stack.of("NodePool") if is_gpu_pool(pool)]
    names = {"nvidia.com/gpu"} if pools else set()
    for pool in pools:
        names |= {name for name in pool.get("spec", "limits", default={}) if _is_gpu(name)}
    for overlay in stack.of("NodeOverlay"):
        names |= {name for name in overlay.get("spec", "capacity", default={}) if _is_gpu(name)}
    return names


def _lists_every_gpu(quota: Resource, report: Report, _: Settings, stack: Stack) -> None:
    space = _namespace(quota)
    known, unknown = stack.once(_quotas)
    beside = known[space]
    named = {name for other in beside for name in other.get("spec", "hard", default={})}
    missing = sorted(name for name in stack.once(_exposed) if f"requests.{name}" not in named)
    if missing and quota is beside[0]:
        if unknown:
            raise unknown
        report(f"the quota of {space} does not name {', '.join(missing)}, so they are unlimited there")


def _requests_only(quota: Resource, report: Report, _: Settings) -> None:
    for name in quota.get("spec", "hard", default={}):
        if name.startswith("limits.nvidia.com/") or _is_gpu(name):
            report(f"quota {quota.name} has the key {name}, which Kubernetes refuses for extended resources")


def _no_default_gpu(limits: Resource, report: Report, _: Settings) -> None:
    for item in limits.get("spec", "limits", default=[]):
        for field in ("default", "defaultRequest", "max", "min"):
            for name, count in (item.get(field) or {}).items():
                if _is_gpu(name) and (amount(count) or field != "default"):
                    report(f"LimitRange {limits.name} sets {field} of {name}: each container would get it")


_EVERYBODY = ("system:authenticated", "system:unauthenticated", "system:serviceaccounts", "system:anonymous")


def _not_admin(grant: Resource, report: Report, _: Settings) -> None:
    if grant.kind == "AccessPolicyAssociation":
        _not_admin_by_entry(grant, report)
    elif grant.kind.endswith("Role"):
        _not_admin_by_rules(grant, report)
    else:
        _not_admin_by_binding(grant, report)


def _not_admin_by_binding(binding: Resource, report: Report) -> None:
    role = binding.get("roleRef", default={})
    if role.get("kind", "ClusterRole") == "ClusterRole" and role.get("name") in ("cluster-admin", "admin"):
        report(f"{binding.name} gives its subjects the role {role['name']}")
        return
    everybody = known_first(binding.get("subjects", default=[]), lambda one: one.get("name") in _EVERYBODY)
    for subject in everybody:
        report(f"{binding.name} gives the role {role.get('name')} to {subject['name']}, which is everybody")


def _not_admin_by_rules(role: Resource, report: Report) -> None:
    if not role.type.startswith("kubernetes:"):  # a role of IAM
        return
    for rule in role.get("rules", default=[]):
        groups, resources, verbs = (rule.get(field, []) for field in ("apiGroups", "resources", "verbs"))
        core = "" in groups or "*" in groups
        if core and {"resourcequotas", "*"} & set(resources) and {"*", "update", "patch", "delete"} & set(verbs):
            report(f"{role.name} lets its holders change quotas")


def _not_admin_by_entry(association: Resource, report: Report) -> None:
    policy = str(association.get("policyArn", default="")).rsplit("/", 1)[-1]
    scope = association.get("accessScope", "type", default="namespace")
    if policy in ("AmazonEKSAdminPolicy", "AmazonEKSClusterAdminPolicy") and scope == "namespace":
        report(f"{association.name} gives {policy} in namespaces")


RULES = (
    Rule(
        id="namespace-has-quota", kinds=("Namespace",), check=_has_quota, whole=True, settings={"exempt": [*namespaces.PLATFORM]},
        looks_at="namespaces but kube-* and the exempt ones", passes="each has a ResourceQuota that bounds something", fails="one has none, or an empty one",
        why="one pipeline takes every GPU", fix="give it a ResourceQuota",
    ),
    Rule(
        id="quota-lists-every-gpu", kinds=("ResourceQuota",), check=_lists_every_gpu, whole=True,
        looks_at="GPU keys of ResourceQuotas", passes="every GPU resource of the pools is named, with 0 where none is granted", fails="one is missing",
        why="what a quota does not name is unlimited", fix='add requests.<resource>: "0"',
    ),
    Rule(
        id="quota-requests-only", kinds=("ResourceQuota",), check=_requests_only,
        looks_at="keys of ResourceQuotas", passes="GPU keys begin with requests", fails="one begins with limits or with the resource",
        why="the API server refuses the quota, and the namespace stays without", fix="write requests.<resource>",
    ),
    Rule(
        id="no-gpu-in-limit-range", kinds=("LimitRange",), check=_no_default_gpu,
        looks_at="LimitRanges", passes="they name no GPU", fails="one does",
        why="Kubernetes makes a max the default: every container gets GPUs", fix="bound GPUs by ResourceQuota alone",
    ),
    Rule(
        id="tenants-not-admin", kinds=("RoleBinding", "ClusterRoleBinding", "Role", "ClusterRole", "AccessPolicyAssociation"), check=_not_admin,
        looks_at="role bindings, roles, and EKS access policies in namespaces", passes="they give somebody in particular less than admin",
        fails="they give admin or cluster-admin, the right to change quotas, or rights to everybody",
        why="whoever holds it lifts their own quota", fix="bind the role edit, or one of your own, to a group of the tenant",
    ),
)  # fmt: skip
