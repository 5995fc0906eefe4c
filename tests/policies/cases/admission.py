"""Cases of the rules about the admission of tenants' pods."""

from typing import Any

from policies import UNKNOWN, Resource

from .stacks import Build, Case, cases_of, fails, node_pool, passes, program, requirement, resource, undecided

_API = "kubernetes:admissionregistration.k8s.io/v1"
_GPUS = node_pool(requirement("node.kubernetes.io/instance-type", "g6.xlarge"))
_CPUS = node_pool(requirement("node.kubernetes.io/instance-type", "m7i.xlarge"))
_SYSTEM = ["system-node-critical", "system-cluster-critical"]
_PODS = {"apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"], "operations": ["CREATE"]}
_PEOPLE = {"kind": "Group", "name": "team"}


def _space(name: Any = "team", **labels: str) -> Resource:
    metadata = {"name": name, "labels": {"tenant": "a", **labels}}
    return resource("kubernetes:core/v1:Namespace", "space", {"metadata": metadata})


def _quota(gpus: Any = "8", namespace: Any = "team", name: str = "gpus") -> Resource:
    spec = {"hard": {"requests.nvidia.com/gpu": gpus}}
    return resource("kubernetes:core/v1:ResourceQuota", name, {"metadata": {"namespace": namespace}, "spec": spec})


def _bind(subject: Any, namespace: str = "team") -> Resource:
    props = {"metadata": {"namespace": namespace}, "roleRef": {"name": "edit"}, "subjects": [subject]}
    return resource("kubernetes:rbac.authorization.k8s.io/v1:RoleBinding", "people", props)


_VARIABLE = {"name": "ours", "expression": "!has(object.spec.priorityClassName)"}


def _policy(
    expression: str = "object.spec.?priorityClassName.orValue('') == ''", variables: Any = (), **rule: Any
) -> Resource:
    spec = {
        "variables": [*variables],
        "matchConstraints": {"resourceRules": [{**_PODS, **rule}]},
        "validations": [{"expression": expression}],
    }
    return resource(f"{_API}:ValidatingAdmissionPolicy", "pods", {"metadata": {"name": "pods"}, "spec": spec})


def _use(*actions: str, label: str = "tenant") -> Resource:
    selector = {"namespaceSelector": {"matchExpressions": [{"key": label, "operator": "Exists"}]}}
    spec = {"policyName": "pods", "validationActions": [*(actions or ("Deny",))], "matchResources": selector}
    return resource(f"{_API}:ValidatingAdmissionPolicyBinding", "binding", {"spec": spec})


def _stop(*classes: Any, pods: Any = "0", key: str = "pods", operator: str = "In", **spec: Any) -> Resource:
    """A quota for pods of PriorityClasses."""
    scope = {"scopeName": "PriorityClass", "operator": operator, "values": [*classes]}
    given = {"hard": {key: pods}, "scopeSelector": {"matchExpressions": [scope]}, **spec}
    return resource("kubernetes:core/v1:ResourceQuota", "stop", {"metadata": {"namespace": "team"}, "spec": given})


def _team(*others: Resource, gpus: Resource = _GPUS, quota: Resource | None = None) -> Build:
    return program(gpus, _space(), quota or _quota(), *others)


def _release(chart: str) -> Resource:
    return resource("kubernetes:helm.sh/v3:Release", "engine", {"chart": chart})


def _webhook(**rule: Any) -> Resource:
    hooks = [{"name": "a"}, {"name": "b", "rules": [{**_PODS, "resources": ["nodes"]}, {**_PODS, **rule}]}]
    return resource(f"{_API}:ValidatingWebhookConfiguration", "hook", {"webhooks": hooks})


def _list_population(words: str) -> tuple[Case, ...]:
    """Cases about the namespaces that both rules look at."""
    return (
        fails("a quota of GPUs", _team(), "space", words=words),
        fails("people without a quota", program(_GPUS, _space(), _bind(_PEOPLE)), "space"),
        fails("a quota of slices", _team(quota=_mig("7")), "space"),
        passes("a namespace without people and GPUs", program(_GPUS, _space(), _quota("0"))),
        passes("a namespace of nobody", program(_GPUS, _space())),
        passes("a quota of another namespace", program(_GPUS, _space(), _quota(namespace="other"))),
        passes("people of another namespace", program(_GPUS, _space(), _bind(_PEOPLE, "other"))),
        passes("no GPU nodes", _team(gpus=_CPUS)),
        passes("a namespace of the platform", program(_GPUS, _space("gpu-headroom"), _quota(namespace="gpu-headroom"))),
        passes("a namespace of the system", program(_GPUS, _space("kube-x"), _quota(namespace="kube-x"))),
        passes("an exempt namespace", _team(), exempt=["team"]),
        passes("a namespace of another maker", program(_GPUS, resource("other:a:Namespace", "team", {}), _quota())),
        *(passes(f"the engine {chart}", _team(_release(chart))) for chart in _ENGINES),
        fails("another chart", _team(_release("kyverno-ui")), "space"),
        *(passes(f"a policy of {kind}", _team(resource(kind, "rule", {}))) for kind in _FOREIGN),
        passes("a webhook for pods", _team(_webhook())),
        passes("a webhook for everything", _team(_webhook(apiGroups=["*"], resources=["*"], operations=["*"]))),
        fails("a webhook for Deployments", _team(_webhook(apiGroups=["apps"])), "space"),
        fails("a webhook for Services", _team(_webhook(resources=["services"])), "space"),
        fails("a webhook for removals", _team(_webhook(operations=["DELETE"])), "space"),
        passes("the namespace monitoring", program(_GPUS, _space("monitoring"), _quota(namespace="monitoring"))),
        undecided("a quota of a namespace not known", program(_GPUS, _space(), _quota(namespace=UNKNOWN)), "space"),
        undecided("a quota beside it", _team(_quota(namespace=UNKNOWN, name="other")), "space"),
        undecided("a name not known", program(_GPUS, _space(UNKNOWN), _quota()), "space"),
        undecided("a grant not known", _team(quota=_quota(UNKNOWN)), "space"),
    )


def _mig(count: str) -> Resource:
    spec = {"hard": {"requests.nvidia.com/gpu": "0", "requests.nvidia.com/mig-1g.10gb": count}}
    return resource("kubernetes:core/v1:ResourceQuota", "slices", {"metadata": {"namespace": "team"}, "spec": spec})


_ENGINES = ("kyverno", "gatekeeper", "kubewarden-controller", "policy-controller")
_FOREIGN = (
    "kubernetes:kyverno.io/v1:ClusterPolicy",
    "kubernetes:policies.kyverno.io/v1:ValidatingPolicy",
    "kubernetes:constraints.gatekeeper.sh/v1beta1:K8sNoTolerations",
)

ADMISSION = cases_of(
    "gpu-namespace-has-admission",
    *_list_population("pods of namespace team reach GPU nodes"),
    passes("people, and a quota without GPUs", program(_GPUS, _space(), _quota("0"), _bind(_PEOPLE))),
    passes("a policy for pods", _team(_policy(), _use())),
    passes("a policy of another subject", _team(_policy("has(object.spec)"), _use())),
    fails("a policy without binding", _team(_policy()), "space"),
    fails("a policy that warns", _team(_policy(), _use("Warn", "Audit")), "space"),
    fails("a policy for other namespaces", _team(_policy(), _use(label="other")), "space"),
    fails("a policy for changes", _team(_policy(operations=["UPDATE"]), _use()), "space"),
    fails("a policy for Deployments", _team(_policy(apiGroups=["apps"]), _use()), "space"),
    fails("a policy for Services", _team(_policy(resources=["services"]), _use()), "space"),
)

PRIORITY = cases_of(
    "system-priority-out-of-reach",
    *_list_population("the priority system-node-critical and system-cluster-critical"),
    fails("people, and a quota without GPUs", program(_GPUS, _space(), _quota("0"), _bind(_PEOPLE)), "space"),
    passes("a quota of 0 for both", _team(_stop(*_SYSTEM))),
    passes("a quota for each", _team(_stop(_SYSTEM[0]), _stop(_SYSTEM[1]))),
    passes("a quota by count", _team(_stop(*_SYSTEM, key="count/pods", pods=0))),
    passes("a quota for every priority", _team(_stop(operator="Exists"))),
    fails("a quota for one", _team(_stop(_SYSTEM[0])), "space", words="the priority system-cluster-critical"),
    fails("a quota of 1", _team(_stop(*_SYSTEM, pods="1")), "space"),
    fails("a quota of CPUs", _team(_stop(*_SYSTEM, key="requests.cpu")), "space"),
    fails("a quota for all others", _team(_stop(*_SYSTEM, operator="NotIn")), "space"),
    fails("a quota for pods that end", _team(_stop(*_SYSTEM, scopes=["Terminating"])), "space"),
    fails("a quota for pods that run on", _team(_stop(*_SYSTEM, scopes=["NotTerminating"])), "space"),
    fails("a quota for pods without requests", _team(_stop(*_SYSTEM, scopes=["BestEffort"])), "space"),
    passes("a policy with a variable", _team(_policy("variables.ours", variables=[_VARIABLE]), _use())),
    passes("a policy for priorities", _team(_policy(), _use())),
    fails("a policy of another subject", _team(_policy("has(object.spec)"), _use()), "space"),
    fails("a policy for priorities without binding", _team(_policy()), "space"),
    undecided("the classes of a quota not known", _team(_stop(UNKNOWN)), "space"),
    undecided("the pods of a quota not known", _team(_stop(*_SYSTEM, pods=UNKNOWN)), "space"),
)

CASES = (*ADMISSION, *PRIORITY)
