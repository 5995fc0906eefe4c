"""The cluster, its network, region and roles."""

from ..facet import collect
from . import (
    closed_network,
    egress,
    endpoints,
    existing_cluster,
    helm_values,
    names,
    network,
    partitions,
    regions,
    roles,
    system_nodes,
    tags,
    unused_fields,
    versions,
)

CHECKS = collect(
    tags,
    closed_network,
    egress,
    endpoints,
    existing_cluster,
    helm_values,
    names,
    network,
    partitions,
    regions,
    roles,
    system_nodes,
    unused_fields,
    versions,
)
