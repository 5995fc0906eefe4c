"""Follow the routes of a subnet: through its route table to a gateway."""

from collections.abc import Mapping
from typing import Any

from ..resources import Resource, Stack
from ..rule import find_wrong
from ..values import UNKNOWN, NotYetKnownError, read_text
from .links import is_id_of, list_needed, refers_to

SUBNET_KINDS = ("Subnet", "DefaultSubnet")
_ASSOCIATIONS = ("RouteTableAssociation", "SubnetRouteTableAssociation")
_TABLES = ("RouteTable", "DefaultRouteTable")


def routes_to_internet(subnet: Resource, stack: Stack) -> bool:
    """Tell whether the route table of a subnet surely leads to an internet gateway.

    Raises:
        NotYetKnownError: A route, or its table, is not known yet, and no dependency tells it.
    """
    return bool(find_wrong(_list_tables(subnet, stack), lambda table: _has_way_out(table, stack)))


def _list_tables(subnet: Resource, stack: Stack) -> list[Resource]:
    """Return the route table of a subnet: its own, or else the main table of its network."""
    own = [
        found
        for found in stack.select(*_ASSOCIATIONS)
        if refers_to(stack, found, found.props.get("subnetId"), subnet, *SUBNET_KINDS)
    ]
    main = [found for found in stack.select("MainRouteTableAssociation") if _is_in_network(found, subnet, stack)]
    default = [table for table in stack.select("DefaultRouteTable") if _is_in_network(table, subnet, stack)]
    named = [
        table
        for found in own or main
        for table in stack.select(*_TABLES)
        if refers_to(stack, found, found.props.get("routeTableId"), table, *_TABLES)
    ]
    return named if own or main else default


def _is_in_network(resource: Resource, subnet: Resource, stack: Stack) -> bool:
    networks, others = (list(list_needed(stack, found, "Vpc")) for found in (subnet, resource))
    if networks or others:
        return networks == others
    return bool(resource.props.get("vpcId") == subnet.props.get("vpcId"))  # raises if an id is not known


def _has_way_out(table: Resource, stack: Stack) -> bool:
    inline = [(table, route) for route in table.list_blocks("routes")]
    separate = [
        (route, route.read_block())
        for route in stack.select("Route")
        if refers_to(stack, route, route.props.get("routeTableId"), table, *_TABLES)
    ]
    return bool(find_wrong([*inline, *separate], lambda pair: _leads_out(*pair, stack)))


def _leads_out(holder: Resource, route: Mapping[str, Any], stack: Stack) -> bool:
    """Tell whether a route leads to an internet gateway; the holder of the route has its dependencies."""
    gateway = route.get("gatewayId")
    if gateway is not UNKNOWN:
        text = read_text(gateway, "gatewayId")
        return text.startswith("igw-") or any(is_id_of(text, found) for found in stack.select("InternetGateway"))
    if not holder.dependencies:
        raise NotYetKnownError("gatewayId")
    return any(list_needed(stack, holder, "InternetGateway"))
