"""Cases of the rule about PodDisruptionBudgets that block drains."""

from typing import Any

from policies import UNKNOWN, Resource

from .stacks import Build, cases_of, fails, passes, program, resource, shipped_stack, undecided, with_value

_LABELS = {"app": "chat", "tier": "web"}


def _budget(selector: Any = None, namespace: str = "serving", name: str = "", **spec: Any) -> Resource:
    chosen = {"matchLabels": {"app": "chat"}} if selector is None else selector
    metadata = {"name": name or "keeps", "namespace": namespace}
    props = {"metadata": metadata, "spec": {"selector": chosen, **spec}}
    return resource("kubernetes:policy/v1:PodDisruptionBudget", name or "budget", props)


def _without_selector(**spec: Any) -> Resource:
    props = {"metadata": {"name": "keeps", "namespace": "serving"}, "spec": spec}
    return resource("kubernetes:policy/v1:PodDisruptionBudget", "budget", props)


def _one_of(*apps: str) -> dict[str, Any]:
    return {"matchExpressions": [{"key": "app", "operator": "In", "values": list(apps)}]}


def _workload(kind: str = "Deployment", namespace: str = "serving", **spec: Any) -> Resource:
    props = {
        "metadata": {"name": "chat", "namespace": namespace},
        "spec": {"template": {"metadata": {"labels": _LABELS}}, **spec},
    }
    return resource(f"kubernetes:apps/v1:{kind}", "workload", props)


def _job(**spec: Any) -> Resource:
    props = {
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": {"template": {"metadata": {"labels": _LABELS}}, **spec},
    }
    return resource("kubernetes:batch/v1:Job", "job", props)


def _pod(namespace: str = "serving", **labels: str) -> Resource:
    metadata = {"name": "chat", "namespace": namespace, "labels": labels or _LABELS}
    return resource("kubernetes:core/v1:Pod", "pod", {"metadata": metadata})


def _patch(**spec: Any) -> Resource:
    chosen = {"selector": {"matchLabels": {"app": "chat"}}, **spec}
    props = {"metadata": {"name": "patched", "namespace": "serving"}, "spec": chosen}
    return resource("kubernetes:policy/v1:PodDisruptionBudgetPatch", "patch", props)


def _scaler(target: str = "chat", namespace: str = "serving", **spec: Any) -> Resource:
    props = {"metadata": {"name": "s", "namespace": namespace}, "spec": {"scaleTargetRef": {"name": target}, **spec}}
    return resource("kubernetes:keda.sh/v1alpha1:ScaledObject", "scaler", props)


def _autoscaler(**spec: Any) -> Resource:
    props = {"metadata": {"name": "h", "namespace": "serving"}, "spec": {"scaleTargetRef": {"name": "chat"}, **spec}}
    return resource("kubernetes:autoscaling/v2:HorizontalPodAutoscaler", "autoscaler", props)


def _keeps(amount: Any, *others: Resource, **fields: Any) -> Build:
    return program(_budget(minAvailable=amount, **fields), *(others or (_workload(replicas=3),)))


CASES = cases_of(
    "drain-not-blocked",
    passes("the shipped stack", shipped_stack("prod")),
    fails(
        "no replica of a shipped model may go",
        with_value("prod", "kubernetes:policy/v1:PodDisruptionBudget", "chat", ("spec", "maxUnavailable"), 0),
        "gpu-prod-serving/chat-budget",
    ),
    passes("one pod may go", program(_budget(maxUnavailable=1), _workload())),
    passes("a part of the pods may go, of which Kubernetes makes one", program(_budget(maxUnavailable="1%"))),
    fails("no pod may go", program(_budget(maxUnavailable=0)), "budget", words="keeps allows no eviction"),
    fails("no part of the pods may go", program(_budget(maxUnavailable="0%")), "budget"),
    fails("no pod, as text", program(_budget(maxUnavailable="0")), "budget"),
    passes("two of three stay", _keeps(2)),
    fails("three of three stay", _keeps(3), "budget", words="keeps all 3 replicas that chat has at its minimum"),
    fails("more than there are stay", _keeps(4), "budget"),
    passes("two thirds stay", _keeps("66%")),
    passes("one of two stays", _keeps("50%", _workload(replicas=2))),
    fails("a budget of all labels", _keeps(3, selector={"matchLabels": _LABELS}), "budget"),
    fails("a part stays that is rounded up to all", _keeps("67%"), "budget"),
    fails("all stay", _keeps("100%"), "budget"),
    fails("one of one stays, which a Deployment has by default", _keeps(1, _workload()), "budget", words="all 1 "),
    fails("one of one stays in a StatefulSet", _keeps(1, _workload("StatefulSet")), "budget"),
    passes("a workload without replicas keeps nothing from going", _keeps(0, _workload(replicas=0))),
    fails("a sleeping workload wakes to one", _keeps(1, _workload(replicas=0)), "budget"),
    fails(
        "an autoscaler goes down to the number that stays",
        _keeps(2, _workload(replicas=9), _scaler(minReplicaCount=2)),
        "budget",
        words="all 2 ",
    ),
    passes("an autoscaler stays above", _keeps(2, _workload(), _scaler(minReplicaCount=3))),
    fails("an autoscaler sleeps by default", _keeps(1, _workload(replicas=9), _scaler()), "budget"),
    passes("an autoscaler of another workload", _keeps(2, _workload(replicas=9), _scaler("web", minReplicaCount=2))),
    passes(
        "an autoscaler of another namespace",
        _keeps(2, _workload(replicas=9), _scaler(namespace="web", minReplicaCount=2)),
    ),
    passes("the pods of others", _keeps(3, selector={"matchLabels": {"app": "web"}})),
    passes("the pods of another namespace", _keeps(3, namespace="web")),
    fails("a budget of all pods of its namespace", _keeps(3, selector={}), "budget"),
    passes(
        "a budget of no pods, without a selector", program(_without_selector(minAvailable=3), _workload(replicas=3))
    ),
    fails("a budget by an expression", _keeps(3, selector=_one_of("chat", "web")), "budget"),
    passes("a budget of others by an expression", _keeps(3, selector=_one_of("web"))),
    fails(
        "the autoscaler of Kubernetes goes down to the number that stays",
        _keeps(2, _workload(replicas=9), _autoscaler(minReplicas=2)),
        "budget",
        words="all 2 ",
    ),
    passes("the autoscaler of Kubernetes stays above", _keeps(2, _workload(), _autoscaler(minReplicas=3))),
    fails(
        "two budgets count the same pods, of which no pod can go",
        program(_budget(maxUnavailable=1), _budget(name="also", maxUnavailable=1), _workload(replicas=3)),
        "budget",
        "also",
        words="PodDisruptionBudgets keeps and also both select the pods of chat",
    ),
    passes(
        "two budgets of two namespaces",
        program(_budget(maxUnavailable=1), _budget(name="also", namespace="web", maxUnavailable=1), _workload()),
    ),
    fails("two workloads", _keeps(1, _workload(), _workload("StatefulSet")), "budget", "budget"),
    fails("one of one stays in a ReplicaSet", _keeps(1, _workload("ReplicaSet")), "budget", words="all 1 "),
    fails(
        "two of two stay in a ReplicationController",
        _keeps(2, _workload("ReplicationController", replicas=2)),
        "budget",
    ),
    passes("one of two stays in a ReplicaSet", _keeps(1, _workload("ReplicaSet", replicas=2))),
    fails("all pods of a Job stay", _keeps(3, _job(parallelism=3)), "budget", words="all 3 "),
    passes("two of three pods of a Job stay", _keeps(2, _job(parallelism=3))),
    fails(
        "a part of the pods of a Job stays", _keeps("50%", _job(parallelism=4)), "budget", words="a Job has no scale"
    ),
    fails(
        "a part of the pods of a Job may go",
        program(_budget(maxUnavailable=1), _job(parallelism=4)),
        "budget",
        words="keeps allows no eviction of pods of chat",
    ),
    fails("a single Pod stays", _keeps(1, _pod()), "budget", words="all 1 "),
    fails("a single Pod may go", program(_budget(maxUnavailable=1), _pod()), "budget", words="a Pod has no scale"),
    passes("other Pods may go", program(_budget(maxUnavailable=1), _pod(app="web"))),
    passes("Pods of another namespace may go", program(_budget(maxUnavailable=1), _pod(namespace="web"))),
    passes("a budget of no Pod", _keeps(0, _pod())),
    passes(
        "a job of a cloud, which is no object of Kubernetes",
        program(
            _budget({}, namespace="default", maxUnavailable=1), resource("aws:glue/job:Job", "etl", {"name": "etl"})
        ),
    ),
    fails("a patch of a budget", program(_patch(maxUnavailable=0)), "patch", words="patched allows no eviction"),
    fails(
        "a patch counts the pods of a budget",
        program(_budget(maxUnavailable=1), _patch(maxUnavailable=1), _workload(replicas=3)),
        "budget",
        "patch",
    ),
    undecided("a number that only the deployment knows", program(_budget(maxUnavailable=UNKNOWN)), "budget"),
    undecided("replicas that only the deployment knows", _keeps(1, _workload(replicas=UNKNOWN)), "budget"),
)
