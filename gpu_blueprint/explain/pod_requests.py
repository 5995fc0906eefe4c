"""The fields that a pod needs to run in a pool, as one line."""

from collections.abc import Mapping

from ..config import Pool, StackConfig
from ..subjects.tenants.gpu_pods import build_pod


def describe_request(stack: StackConfig, pool: Pool, limits: Mapping[str, int] | None = None) -> str:
    """Return the requests, limits, nodeSelector, tolerations and PriorityClass that a tenant writes, as one line.

    Without ``limits``, the pod has the smallest request of the pool.
    """
    spec = build_pod(stack, pool, limits=limits)["spec"]
    (container,) = spec["containers"]
    resources = container["resources"]
    parts = [f"requests {name}: {amount}" for name, amount in resources.get("requests", {}).items()]
    parts += [f"limits {name}: {count}" for name, count in resources["limits"].items()]
    parts += [f"nodeSelector {key}: {value}" for key, value in spec["nodeSelector"].items()]
    for taint in spec.get("tolerations", ()):
        value = f"={taint['value']}" if "value" in taint else ""
        parts.append(f"toleration {taint['key']}{value}:{taint['effect']}")
    parts += [f"priorityClassName {spec['priorityClassName']}"] if "priorityClassName" in spec else []
    return "; ".join(parts)
