"""Rules for namespaces, quotas, limit ranges and the rights of tenants."""

from gpu_blueprint.catalog import namespaces

from .effects.extended_resources import is_gpu_resource, parse_count
from .effects.karpenter_objects import is_gpu_pool
from .resources import Resource, Stack
from .rule import Report, Rule, Settings, find_wrong
from .values import NotYetKnownError


def _read_namespace(resource: Resource) -> str:
    return str(resource.get("metadata", "namespace", default=""))


def _refuse_missing_quota(namespace: Resource, report: Report, settings: Settings, stack: Stack) -> None:
    name = str(namespace.get("metadata", "name", default=namespace.name))
    if name in settings["exempt"] or name.startswith("kube-"):
        return
    quotas, unknown = stack.compute_once(_group_quotas)
    if find_wrong(quotas.get(name, []), lambda quota: bool(quota.get("spec", "hard"))):
        return
    if unknown:
        raise unknown
    report(f"namespace {name} has no ResourceQuota with a limit")


def _group_quotas(stack: Stack) -> tuple[dict[str, list[Resource]], NotYetKnownError | None]:
    """Return namespace → its quotas, and the error if the namespace of another quota is not known yet."""
    by_namespace: dict[str, list[Resource]] = {}
    unknown: NotYetKnownError | None = None
    for quota in stack.select("ResourceQuota"):
        try:
            by_namespace.setdefault(_read_namespace(quota), []).append(quota)
        except NotYetKnownError as error:
            unknown = error
    return by_namespace, unknown


def _list_gpu_resources(stack: Stack) -> set[str]:
    """Return every GPU resource that a node of the stack may hand out."""
    pools = [pool for pool in stack.select("NodePool") if is_gpu_pool(pool)]
    names = {"nvidia.com/gpu"} if pools else set()
    for pool in pools:
        names |= {name for name in pool.get("spec", "limits", default={}) if is_gpu_resource(name)}
    for overlay in stack.select("NodeOverlay"):
        names |= {name for name in overlay.get("spec", "capacity", default={}) if is_gpu_resource(name)}
    return names


def _refuse_missing_gpu_keys(quota: Resource, report: Report, _: Settings, stack: Stack) -> None:
    namespace = _read_namespace(quota)
    by_namespace, unknown = stack.compute_once(_group_quotas)
    quotas = by_namespace[namespace]
    named = {name for namespace_quota in quotas for name in namespace_quota.get("spec", "hard", default={})}
    missing = sorted(name for name in stack.compute_once(_list_gpu_resources) if f"requests.{name}" not in named)
    if missing and quota is quotas[0]:
        if unknown:
            raise unknown
        report(f"the quota of {namespace} does not name {', '.join(missing)}, so its pods may use them without limit")


def _refuse_limits_of_gpus(quota: Resource, report: Report, _: Settings) -> None:
    for name in quota.get("spec", "hard", default={}):
        if name.startswith("limits.nvidia.com/") or is_gpu_resource(name):
            report(f"quota {quota.name} has the key {name}, which Kubernetes refuses for extended resources")


def _refuse_gpus_in_limit_range(limits: Resource, report: Report, _: Settings) -> None:
    for item in limits.get("spec", "limits", default=[]):
        for field in ("default", "defaultRequest", "max", "min"):
            for name, count in (item.get(field) or {}).items():
                if is_gpu_resource(name) and (parse_count(count) or field != "default"):
                    report(
                        f"LimitRange {limits.name} sets {field} of {name}, so Kubernetes gives it to every container"
                    )


_EVERYONE = ("system:authenticated", "system:unauthenticated", "system:serviceaccounts", "system:anonymous")


def _refuse_tenant_admins(grant: Resource, report: Report, _: Settings) -> None:
    if grant.kind == "AccessPolicyAssociation":
        _refuse_admin_by_entry(grant, report)
    elif grant.kind.endswith("Role"):
        _refuse_admin_by_rules(grant, report)
    else:
        _refuse_admin_by_binding(grant, report)


def _refuse_admin_by_binding(binding: Resource, report: Report) -> None:
    role = binding.get("roleRef", default={})
    if role.get("kind", "ClusterRole") == "ClusterRole" and role.get("name") in ("cluster-admin", "admin"):
        report(f"{binding.name} gives its subjects the role {role['name']}")
        return
    everyone = find_wrong(binding.get("subjects", default=[]), lambda subject: subject.get("name") in _EVERYONE)
    for subject in everyone:
        report(f"{binding.name} gives the role {role.get('name')} to {subject['name']}, which includes everyone")


def _refuse_admin_by_rules(role: Resource, report: Report) -> None:
    if not role.type.startswith("kubernetes:"):  # an IAM role
        return
    for rule in role.get("rules", default=[]):
        groups, resources, verbs = (rule.get(field, []) for field in ("apiGroups", "resources", "verbs"))
        is_core_group = "" in groups or "*" in groups
        if (
            is_core_group
            and {"resourcequotas", "*"} & set(resources)
            and {"*", "update", "patch", "delete"} & set(verbs)
        ):
            report(f"{role.name} lets its holders change quotas")


def _refuse_admin_by_entry(association: Resource, report: Report) -> None:
    policy = str(association.get("policyArn", default="")).rsplit("/", 1)[-1]
    scope = association.get("accessScope", "type", default="namespace")
    if policy in ("AmazonEKSAdminPolicy", "AmazonEKSClusterAdminPolicy") and scope == "namespace":
        report(f"{association.name} gives {policy} in namespaces")


RULES = (
    Rule(
        id="namespace-has-quota",
        kinds=("Namespace",),
        check=_refuse_missing_quota,
        needs_stack=True,
        settings={"exempt": [*namespaces.PLATFORM]},
        looks_at="namespaces other than kube-* and the exempt namespaces",
        passes="each namespace has a ResourceQuota with at least one limit",
        fails="a namespace has no ResourceQuota, or only an empty one",
        why="a single pipeline can take every GPU",
        fix="add a ResourceQuota to the namespace",
    ),
    Rule(
        id="quota-lists-every-gpu",
        kinds=("ResourceQuota",),
        check=_refuse_missing_gpu_keys,
        needs_stack=True,
        looks_at="GPU keys of ResourceQuotas",
        passes="the quotas of a namespace name every GPU resource of the pools, with 0 for resources without a grant",
        fails="a GPU resource is missing",
        why="a resource that no quota names is unlimited",
        fix='add requests.<resource>: "0"',
    ),
    Rule(
        id="quota-requests-only",
        kinds=("ResourceQuota",),
        check=_refuse_limits_of_gpus,
        looks_at="keys of ResourceQuotas",
        passes="every GPU key begins with requests",
        fails="a GPU key begins with limits or with the resource itself",
        why="the API server refuses the quota, so the namespace has none",
        fix="write requests.<resource>",
    ),
    Rule(
        id="no-gpu-in-limit-range",
        kinds=("LimitRange",),
        check=_refuse_gpus_in_limit_range,
        looks_at="resources that LimitRanges name",
        passes="they name no GPU resource",
        fails="they name a GPU resource",
        why="Kubernetes turns a maximum into a default, so every container gets GPUs",
        fix="limit GPUs only in ResourceQuotas",
    ),
    Rule(
        id="tenants-not-admin",
        kinds=("RoleBinding", "ClusterRoleBinding", "Role", "ClusterRole", "AccessPolicyAssociation"),
        check=_refuse_tenant_admins,
        looks_at="role bindings, roles, and EKS access policies in namespaces",
        passes="they give named subjects less than admin",
        fails="they give admin or cluster-admin, the right to change quotas, or rights to everyone",
        why="a tenant with these rights can raise its own quota",
        fix="bind the role edit, or a role of your own, to a group of the tenant",
    ),
)
