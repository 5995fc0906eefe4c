"""A counterexample to each rule of NodePools and NodeOverlays, and values at the limits that must pass."""

from collections.abc import Callable
from typing import Any

NODE_POOLS: tuple[dict[str, Any], ...] = (
    {
        "disruption": {
            "budgets": [{"duration": "8h", "nodes": "10%", "reasons": ["Empty", "Drifted"], "schedule": "@daily"}],
            "consolidateAfter": "5m",
            "consolidationPolicy": "WhenEmpty",
        },
        "limits": {"nvidia.com/gpu": "16"},
        "template": {
            "metadata": {"annotations": {"example.com/note": "any"}, "labels": {"example.com/team": "vision"}},
            "spec": {
                "expireAfter": "336h",
                "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"},
                "requirements": [
                    {"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64"], "minValues": 1},
                    {"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "Gt", "values": ["0"]},
                ],
                "startupTaints": [
                    {"key": "a/b", "value": "c", "effect": "NoExecute", "timeAdded": "2026-01-01T00:00:00Z"}
                ],
                "taints": [{"key": "a/b", "value": "c", "effect": "NoSchedule", "timeAdded": "2026-01-01T00:00:00Z"}],
                "terminationGracePeriod": "30m",
            },
        },
        "weight": 10,
    },
    {
        "limits": {"nodes": 2},
        "replicas": 2,
        "template": {"spec": {"nodeClassRef": {"group": "g", "kind": "k", "name": "n"}, "requirements": []}},
    },
)
"""Valid specs that together have every field."""

NODE_OVERLAYS: tuple[dict[str, Any], ...] = (
    {
        "capacity": {"nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": 7},
        "price": "1.25",
        "requirements": [{"key": "karpenter.sh/nodepool", "operator": "In", "values": ["gpu"]}],
        "weight": 100,
    },
    {"priceAdjustment": "-10%", "requirements": []},
)


def without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that drops a field."""
    return lambda found: {key: value for key, value in found.items() if key != name}


def plus(**more: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Return a function that adds fields."""
    return lambda found: {**found, **more}


def many(item: Any, count: int) -> list[Any]:
    """Return a list that repeats an item."""
    return [item] * count


_TERM = {"key": "a", "operator": "Exists"}
_BUDGET = {"nodes": "1"}
_LONG = "a" * 64
_BAD_TAINT_TEXT = ("", "-a", "a b", "A/b", "a/")


def _requirements(place: str) -> dict[str, Any]:
    """Return counterexamples to the rules of requirements, which NodePools and NodeOverlays share."""
    return {
        f"{place} | maxItems": many(_TERM, 101),
        f"{place} | In has values": (
            [{"key": "a", "operator": "In", "values": []}],
            [{"key": "a", "operator": "In"}],
        ),
        f"{place} | comparison has one number": tuple(
            [{"key": "a", "operator": operator, **values}]
            for operator, values in (
                ("Gt", {"values": ["1", "2"]}),
                ("Lt", {"values": ["1.5"]}),
                ("Gte", {"values": []}),
                ("Lte", {"values": ["x"]}),
                ("Gt", {}),
            )
        ),
        f"{place}[] | required key": without("key"),
        f"{place}[] | required operator": without("operator"),
        f"{place}[].key | pattern": _BAD_TAINT_TEXT,
        f"{place}[].key | maxLength": f"{'a' * 252}/{'b' * 64}",
        f"{place}[].key | domain karpenter.sh": ("karpenter.sh/other", "my.karpenter.sh/a", "karpenter.sh"),
        f"{place}[].key | hostname": "kubernetes.io/hostname",
        f"{place}[].key | domain karpenter.k8s.aws": ("karpenter.k8s.aws/instance-gpu", "x.karpenter.k8s.aws/y"),
        f"{place}[].operator | enum": ("in", "Equals"),
        f"{place}[].values[] | pattern": ("-a", "a/b", "a "),
        f"{place}[].values[] | maxLength": _LONG,
    }


def _taints(place: str) -> dict[str, Any]:
    return {
        f"{place}[] | required key": without("key"),
        f"{place}[] | required effect": without("effect"),
        f"{place}[].effect | enum": "NoScheduling",
        f"{place}[].key | pattern": _BAD_TAINT_TEXT,
        f"{place}[].key | minLength": "",
        f"{place}[].value | pattern": _BAD_TAINT_TEXT,
    }


_SPEC = "spec.template.spec"
_LABELS = "spec.template.metadata.labels"
_BUDGETS = "spec.disruption.budgets"
_REF = f"{_SPEC}.nodeClassRef"
_TIMES = ("", "5", "5d", "5m ", "1.5h", "never")

BROKEN_POOLS: dict[str, Any] = {
    "spec | required template": without("template"),
    "spec | static pool limits nodes": (plus(replicas=1), lambda spec: {**without("weight")(spec), "replicas": 1}),
    "spec | static pool has no weight": lambda spec: {**without("limits")(spec), "replicas": 1},
    "spec.replicas | minimum": -1,
    "spec.weight | minimum": 0,
    "spec.weight | maximum": 101,
    "spec.limits{} | pattern": ("16 GPUs", "1Ki1", "", "0x10", "1kk"),
    "spec.disruption | required consolidateAfter": without("consolidateAfter"),
    "spec.disruption.consolidateAfter | pattern": _TIMES,
    "spec.disruption.consolidationPolicy | enum": "WhenUnderutilized",
    f"{_BUDGETS} | maxItems": many(_BUDGET, 51),
    f"{_BUDGETS} | schedule with duration": ([{**_BUDGET, "schedule": "@daily"}], [{**_BUDGET, "duration": "1h"}]),
    f"{_BUDGETS}[] | required nodes": without("nodes"),
    f"{_BUDGETS}[].nodes | pattern": ("101%", "-1", "1.5", "10 %", ""),
    f"{_BUDGETS}[].duration | pattern": ("10s", "1m1h", "1d", ""),
    f"{_BUDGETS}[].reasons | maxItems": many("Empty", 51),
    f"{_BUDGETS}[].reasons | unique": ["Empty", "Empty"],
    f"{_BUDGETS}[].reasons[] | enum": "Expired",
    f"{_BUDGETS}[].schedule | pattern": ("@never", "0 8 * *", "daily", ""),
    "spec.template | required spec": without("spec"),
    f"{_LABELS} | maxProperties": {f"a{number}": "b" for number in range(101)},
    f"{_LABELS} | domain karpenter.sh": {"karpenter.sh/other": "a"},
    f"{_LABELS} | nodepool": {"karpenter.sh/nodepool": "a"},
    f"{_LABELS} | hostname": {"kubernetes.io/hostname": "a"},
    f"{_LABELS} | domain karpenter.k8s.aws": {"karpenter.k8s.aws/other": "a"},
    f"{_LABELS}{{}} | pattern": ("-a", "a/b", "a b"),
    f"{_LABELS}{{}} | maxLength": _LONG,
    f"{_SPEC} | required nodeClassRef": without("nodeClassRef"),
    f"{_SPEC} | required requirements": without("requirements"),
    f"{_SPEC}.expireAfter | pattern": _TIMES,
    f"{_SPEC}.terminationGracePeriod | pattern": (*_TIMES, "Never"),
    f"{_REF} | required group": without("group"),
    f"{_REF} | required kind": without("kind"),
    f"{_REF} | required name": without("name"),
    f"{_REF}.group | pattern": "karpenter.k8s.aws/v1",
    f"{_REF}.group | not empty": "",
    f"{_REF}.kind | not empty": "",
    f"{_REF}.name | not empty": "",
    **_requirements(f"{_SPEC}.requirements"),
    f"{_SPEC}.requirements | minValues are there": [{"key": "a", "operator": "In", "values": ["b"], "minValues": 2}],
    f"{_SPEC}.requirements[].key | nodepool": "karpenter.sh/nodepool",
    f"{_SPEC}.requirements[].minValues | minimum": 0,
    f"{_SPEC}.requirements[].minValues | maximum": 51,
    **_taints(f"{_SPEC}.taints"),
    **_taints(f"{_SPEC}.startupTaints"),
}
"""Rule → a value that breaks the rule, or a function that spoils a valid value; a tuple holds several of them."""

BROKEN_OVERLAYS: dict[str, Any] = {
    "spec | required requirements": without("requirements"),
    "spec | one price": plus(priceAdjustment="-10%"),
    "spec.price | pattern": ("-1", "1.", "1,5", ""),
    "spec.priceAdjustment | pattern": ("10%", "-101%", "+", "-10 %", ""),
    "spec.weight | minimum": 0,
    "spec.weight | maximum": 10001,
    "spec.capacity | extended resources only": tuple(
        {name: "1"} for name in ("cpu", "memory", "ephemeral-storage", "pods")
    ),
    "spec.capacity{} | pattern": ("seven", "", "1 "),
    **_requirements("spec.requirements"),
    "spec.requirements[].key | domain karpenter.k8s.aws": "karpenter.k8s.aws/capacity-reservation-id",
    "spec.requirements | NotIn has values": [{"key": "a", "operator": "NotIn", "values": []}],
}

ALLOWED_POOLS: dict[str, tuple[Any, ...]] = {
    "spec.weight": (1, 100),
    "spec.replicas": (0,),
    "spec.limits{}": (0, "0.5", ".5", "1Ki", "1e3", "+4", "-1"),
    "spec.disruption.consolidateAfter": ("0s", "1h30m", "Never"),
    "spec.disruption.consolidationPolicy": ("WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced"),
    _BUDGETS: ([], many(_BUDGET, 50), [{**_BUDGET, "schedule": "0 6 * * mon-fri", "duration": "14h"}]),
    f"{_BUDGETS}[].nodes": ("0", "100%", "0%", "500"),
    f"{_BUDGETS}[].duration": ("1h30m", "90m", "10h0s"),
    f"{_SPEC}.requirements[].minValues": (1,),
    f"{_SPEC}.requirements[].key": ("karpenter.sh/capacity-type", "karpenter.k8s.aws/capacity-reservation-id", "a"),
    f"{_SPEC}.requirements[].values[]": ("", "a" * 63),
    f"{_SPEC}.expireAfter": ("Never", "1s"),
    f"{_SPEC}.taints": ([], [{"key": "nvidia.com/mig-1g.10gb", "effect": "NoSchedule"}]),
    _LABELS: ({f"a{number}": "" for number in range(100)}, {"karpenter.sh/capacity-type": "spot"}),
}
"""Place → values at the limits of the rules."""

ALLOWED_OVERLAYS: dict[str, tuple[Any, ...]] = {
    "spec.weight": (1, 10000),
    "spec.price": ("0", "12"),
    "spec.priceAdjustment": ("+10%", "-100%", "-0.5", "+150%"),
    "spec.capacity": ({}, {"hugepages-2Mi": "5Gi"}),
    "spec.requirements": ([], [{"key": "karpenter.k8s.aws/instance-gpu-count", "operator": "Exists"}]),
}
