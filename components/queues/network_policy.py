"""The NetworkPolicy of Kueue's namespace: the API server calls Kueue, Kueue calls the API server, and nobody else."""

from typing import Any

from gpu_blueprint.config import StackConfig
from gpu_blueprint.tenancy.traffic import Block, find_api_address, find_scrapers, list_vpc_blocks

from ..tenants.network_policies import build_peer

_CALLED_BY_API = (9443, 8082)
"""Ports of the webhooks, and of the API in which people see waiting jobs.

The chart registers this API (visibility.kueue.x-k8s.io) in any case. While nobody answers there, the API server cannot
list all kinds, and then no namespace of the cluster ends.
"""
_METRICS = 8443


def build_network_policy_spec(config: StackConfig) -> Any:
    """Return the ``spec`` of a NetworkPolicy for all pods of the namespace.

    The API server has addresses of the VPC that nobody knows beforehand, as tenants' pods have; the policies of the
    tenants' own traffic keep these pods away. The node's own probes pass every NetworkPolicy, and Kueue looks up no
    name.
    """
    vpc = [build_peer(Block(cidr=block)) for block in list_vpc_blocks(config)]
    scrapes = [{"from_": [build_peer(find_scrapers(config))], "ports": _list_ports(_METRICS)}]
    return {
        "pod_selector": {},
        "policy_types": ["Ingress", "Egress"],
        "ingress": [
            {"from_": vpc, "ports": _list_ports(*_CALLED_BY_API)},
            *(scrapes if config.monitoring else []),
        ],
        "egress": [{"to": [build_peer(Block(cidr=find_api_address(config))), *vpc], "ports": _list_ports(443)}],
    }


def _list_ports(*numbers: int) -> list[dict[str, Any]]:
    return [{"protocol": "TCP", "port": number} for number in numbers]
