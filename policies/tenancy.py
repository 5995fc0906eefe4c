"""Namespaces, quotas and who may use them."""

from .pools import amount, is_gpu_pool
from .rule import Report, Resource, Rule, Settings, Stack

_SYSTEM = ("default", "gpu-operator", "monitoring", "keda")


def _is_gpu(name: str) -> bool:
    return name.startswith("nvidia.com/")


def _namespace(resource: Resource) -> str:
    return str(resource.get("metadata", "namespace", default=""))


def _has_quota(namespace: Resource, report: Report, _: Settings, stack: Stack) -> None:
    name = str(namespace.get("metadata", "name", default=namespace.name))
    if name in _SYSTEM or name.startswith("kube-"):
        return
    if name not in stack.once(_quotas):
        report(f"namespace {name} has no ResourceQuota")


def _quotas(stack: Stack) -> dict[str, list[Resource]]:
    """The quotas of each namespace."""
    found: dict[str, list[Resource]] = {}
    for quota in stack.of("ResourceQuota"):
        found.setdefault(_namespace(quota), []).append(quota)
    return found


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
    beside = stack.once(_quotas)[space]
    named = {name for other in beside for name in other.get("spec", "hard", default={})}
    missing = sorted(name for name in stack.once(_exposed) if f"requests.{name}" not in named)
    if missing and quota is beside[0]:
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


def _not_admin(binding: Resource, report: Report, _: Settings) -> None:
    role = binding.get("roleRef", default={})
    if role.get("kind", "ClusterRole") == "ClusterRole" and role.get("name") in ("cluster-admin", "admin"):
        report(f"{binding.name} gives its subjects the role {role['name']}")


RULES = (
    Rule(
        id="namespace-has-quota", kinds=("Namespace",), check=_has_quota, whole=True,
        looks_at="namespaces that are not the system's", passes="each has a ResourceQuota", fails="one has none",
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
        id="tenants-not-admin", kinds=("RoleBinding", "ClusterRoleBinding"), check=_not_admin,
        looks_at="role bindings", passes="they give less than admin", fails="they give admin or cluster-admin",
        why="whoever holds it lifts their own quota", fix="bind the role edit, or one of your own",
    ),
)  # fmt: skip
