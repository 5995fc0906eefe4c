"""One rendered stack with two teams and every kind of pool, and its objects as the cluster gets them."""

from collections.abc import Mapping
from typing import Any

from . import builders
from .plans import Plan, plan_of


def plan_of_two_teams() -> Plan:
    """Two teams, pools that hand out six different resources, one static and one for jobs on several nodes."""
    layout = {"3g.40gb": 1, "1g.10gb": 4}
    room = {**builders.ROOM, "gpus": {"1g.10gb": 1}}
    several = {"instanceTypes": ["p5.48xlarge"], "zones": ["us-east-1a"], "multiNode": {"hugepages": True}}
    static = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "staticNodes": 2, "maxGpus": 2}
    pools = [
        builders.pool(name="mixed", gpu="h100-80gb", sharing={"mode": "mig", "layout": layout}, headroom=room),
        builders.pool(name="sliced", gpu="h200-141gb", sharing={"mode": "mig", "profile": "1g.18gb", "replicas": 2}),
        builders.pool(name="several", **several),
        builders.pool(name="static", **static, sharing={"mode": "mps", "replicas": 2}),
    ]
    gpus = {"mixed": {"3g.40gb": 3}, "several": 8, "static": 4}
    tenants = [builders.tenant(gpus=gpus), builders.tenant(name="other", namespace="another", gpus={})]
    return plan_of(builders.stack(pools=pools, tenants=tenants, cluster=builders.cluster(kubernetesVersion="1.35")))


def reveal_secrets(value: Any) -> Any:
    """Inputs as the cluster will get them; a text for what only the stack's config knows."""
    if isinstance(value, Mapping):
        if "$unknown" in value:
            return "unknown"
        return (
            reveal_secrets(value["$secret"]) if "$secret" in value else {k: reveal_secrets(v) for k, v in value.items()}
        )
    return [reveal_secrets(item) for item in value] if isinstance(value, list | tuple) else value
