"""The rules of ``NodePool.spec`` (karpenter.sh/v1), and a counterexample to each."""

import re
from collections.abc import Mapping
from typing import Any

from .shapes import Fields, Items, Map, Number, Quantity, Tests, Text

OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Gte", "Lte")
COMPARISONS = ("Gt", "Lt", "Gte", "Lte")

_DNS_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_WORD = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
QUALIFIED = rf"({_DNS_LABEL}(\.{_DNS_LABEL})*/)?{_WORD}"
LABEL_VALUE = rf"({_WORD})?"
_TIMES = r"([0-9]+(s|m|h))+"

_HARDWARE = (
    "ec2nodeclass",
    "instance-accelerator-count",
    "instance-accelerator-manufacturer",
    "instance-accelerator-name",
    "instance-capability-flex",
    "instance-category",
    "instance-cpu",
    "instance-cpu-manufacturer",
    "instance-cpu-sustained-clock-speed-mhz",
    "instance-ebs-bandwidth",
    "instance-encryption-in-transit-supported",
    "instance-family",
    "instance-generation",
    "instance-gpu-count",
    "instance-gpu-manufacturer",
    "instance-gpu-memory",
    "instance-gpu-name",
    "instance-hypervisor",
    "instance-local-nvme",
    "instance-memory",
    "instance-network-bandwidth",
    "instance-size",
    "nitro-sandbox",
)
_PLACING = (
    "capacity-reservation-id",
    "capacity-reservation-interruptible",
    "capacity-reservation-type",
    "instance-tenancy",
    "placement-group-id",
    "placement-group-partition",
)
_OWN_LABELS = frozenset({"karpenter.sh/capacity-type", "karpenter.sh/nodepool"})


def in_domain(key: str, domain: str) -> bool:
    """Return whether the part of a key before its first slash ends with a domain."""
    return key.split("/")[0].endswith(domain)


def _each(test: Any) -> Any:
    return lambda keys: all(test(key) for key in ([keys] if isinstance(keys, str) else keys))


def _aws_labels(*names: str) -> Tests:
    known = {f"karpenter.k8s.aws/{name}" for name in names}
    return {"domain karpenter.k8s.aws": _each(lambda key: key in known or not in_domain(key, "karpenter.k8s.aws"))}


_KEY_TESTS: Tests = {
    "domain karpenter.sh": _each(lambda key: key in _OWN_LABELS or not in_domain(key, "karpenter.sh")),
    "hostname": _each(lambda key: key != "kubernetes.io/hostname"),
}
OVERLAY_KEY_TESTS: Tests = {**_KEY_TESTS, **_aws_labels(*_HARDWARE)}
_POOL_KEY_TESTS: Tests = {
    **_KEY_TESTS,
    **_aws_labels(*_HARDWARE, *_PLACING),
    "nodepool": _each(lambda key: key != "karpenter.sh/nodepool"),
}


def with_values(*operators: str) -> Any:
    """Return a test: a requirement with one of the operators has at least one value."""
    return lambda items: all(item["operator"] not in operators or item.get("values") for item in items)


def compares_one_number(items: list[dict[str, Any]]) -> bool:
    """Return whether each comparison has exactly one value, a whole number of 0 or more."""
    return all(
        len(item.get("values", [])) == 1
        and bool(re.fullmatch(r"[+-]?\d+", item["values"][0]))
        and int(item["values"][0]) >= 0
        for item in items
        if item["operator"] in COMPARISONS
    )


def _enough_values(items: list[dict[str, Any]]) -> bool:
    return all(
        len(item.get("values", [])) >= item["minValues"]
        for item in items
        if item["operator"] == "In" and "minValues" in item
    )


# The CRD states the pattern of values beside the list, where it has no effect. Karpenter checks values at run time.
REQUIREMENT = {
    "key": Text(pattern=QUALIFIED, longest=316, tests=_POOL_KEY_TESTS),
    "operator": Text(choices=OPERATORS),
    "values": Items(of=Text(pattern=LABEL_VALUE, longest=63)),
}
_REQUIREMENTS = Items(
    of=Fields(fields={**REQUIREMENT, "minValues": Number(least=1, most=50)}, required=("key", "operator")),
    most=100,
    tests={
        "In has values": with_values("In"),
        "comparison has one number": compares_one_number,
        "minValues are there": _enough_values,
    },
)
_TAINTS = Items(
    of=Fields(
        fields={
            "key": Text(pattern=QUALIFIED, shortest=1),
            "value": Text(pattern=QUALIFIED),
            "effect": Text(choices=("NoSchedule", "PreferNoSchedule", "NoExecute")),
            "timeAdded": Text(),
        },
        required=("effect", "key"),
    )
)
_NOT_EMPTY: Tests = {"not empty": bool}
_TEMPLATE_SPEC = Fields(
    fields={
        "expireAfter": Text(pattern=rf"{_TIMES}|Never"),
        "nodeClassRef": Fields(
            fields={
                "group": Text(pattern="[^/]*", tests=_NOT_EMPTY),
                "kind": Text(tests=_NOT_EMPTY),
                "name": Text(tests=_NOT_EMPTY),
            },
            required=("group", "kind", "name"),
        ),
        "requirements": _REQUIREMENTS,
        "startupTaints": _TAINTS,
        "taints": _TAINTS,
        "terminationGracePeriod": Text(pattern=_TIMES),
    },
    required=("nodeClassRef", "requirements"),
)
_TEMPLATE = Fields(
    fields={
        "metadata": Fields(
            fields={
                "annotations": Map(of=Text()),
                "labels": Map(of=Text(pattern=LABEL_VALUE, longest=63), most=100, tests=_POOL_KEY_TESTS),
            }
        ),
        "spec": _TEMPLATE_SPEC,
    },
    required=("spec",),
)
_MACROS = "annually|yearly|monthly|weekly|daily|midnight|hourly"
_BUDGET = Fields(
    fields={
        "duration": Text(pattern=r"(([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?"),
        "nodes": Text(pattern=r"(100|[0-9]{1,2})%|[0-9]+"),
        "reasons": Items(of=Text(choices=("Underutilized", "Empty", "Drifted")), most=50, distinct=True),
        "schedule": Text(pattern=rf"@({_MACROS})(?s:.*)|(?s:.*).+\s.+\s.+\s.+\s.+"),
    },
    required=("nodes",),
)
_DISRUPTION = Fields(
    fields={
        "budgets": Items(
            of=_BUDGET,
            most=50,
            tests={
                "schedule with duration": lambda budgets: all(
                    ("schedule" in budget) == ("duration" in budget) for budget in budgets
                )
            },
        ),
        "consolidateAfter": Text(pattern=rf"{_TIMES}|Never"),
        "consolidationPolicy": Text(choices=("WhenEmpty", "WhenEmptyOrUnderutilized", "Balanced")),
    },
    required=("consolidateAfter",),
)
NODE_POOL = Fields(
    fields={
        "disruption": _DISRUPTION,
        "limits": Map(of=Quantity()),
        "replicas": Number(least=0),
        "template": _TEMPLATE,
        "weight": Number(least=1, most=100),
    },
    required=("template",),
    tests={
        "static pool limits nodes": lambda spec: "replicas" not in spec or set(spec.get("limits", {})) <= {"nodes"},
        "static pool has no weight": lambda spec: "replicas" not in spec or "weight" not in spec,
    },
)


def template(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``spec.template.spec`` of a NodePool."""
    found: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return found
