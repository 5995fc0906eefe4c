"""The instances that run in the lab's account."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from .filters import passes_filters
from .launch_templates import LaunchTemplate
from .wire import AwsError, Params, list_tags, read_now

Lifecycle = Literal["spot", "on-demand", "reserved"]
State = Literal["running", "terminated"]
CODES: Mapping[State, int] = {"running": 16, "terminated": 48}
"""State → EC2's number of it."""


@dataclass(slots=True, kw_only=True)
class Instance:
    """One EC2 instance that Karpenter launched."""

    id: str
    instance_type: str
    zone: str
    zone_id: str
    lifecycle: Lifecycle
    image: str
    """Id of the AMI."""
    subnet: str
    address: str
    """Private IPv4 address."""
    usd_per_hour: float
    """Price that Karpenter was told; a reserved instance has its on-demand price."""
    template: LaunchTemplate
    """Block devices, interfaces, decoded user data and tags of the launch."""
    tags: dict[str, str]
    reservation: str = ""
    """Id of the capacity reservation that holds the instance."""
    state: State = "running"
    node: str = ""
    """Name of its Node, from the moment at which the Node exists."""
    fault: str = ""
    """Reason for which the instance never joined the cluster; empty otherwise."""
    launched_at: datetime = field(default_factory=read_now)


class Instances(dict[str, Instance]):
    """Id → instance, terminated ones too."""

    def count_reserved(self, reservation: str) -> int:
        """Return the number of instances that run in a capacity reservation."""
        return sum(one.reservation == reservation and one.state == "running" for one in [*self.values()])

    def describe(self, params: Params) -> dict[str, Any]:
        """Answer DescribeInstances; raises AwsError if a named instance does not exist."""
        chosen = self._select(params, list_facts=_list_facts)
        return {"reservationSet": [{"reservationId": "r-lab", "instancesSet": [_render(one)]} for one in chosen]}

    def describe_status(self, params: Params) -> dict[str, Any]:
        """Answer DescribeInstanceStatus: every running instance is well."""
        running = [one for one in self._select(params, list_facts=_list_status_facts) if one.state == "running"]
        return {"instanceStatusSet": [_render_status(one) for one in running]}

    def terminate(self, params: Params) -> dict[str, Any]:
        """Answer TerminateInstances; the instances are gone at once."""
        changes = []
        for one in self._find_all(params.get("InstanceId", [])):
            changes.append(
                {
                    "instanceId": one.id,
                    "currentState": {"code": CODES["terminated"], "name": "terminated"},
                    "previousState": {"code": CODES[one.state], "name": one.state},
                }
            )
            one.state = "terminated"
        return {"instancesSet": changes}

    def create_tags(self, params: Params) -> dict[str, Any] | None:
        """Answer CreateTags; returns None if a resource is no instance, so that moto answers."""
        ids = params.get("ResourceId", [])
        if not all(name.startswith("i-") for name in ids):
            return None
        tags = {tag["Key"]: tag.get("Value", "") for tag in params.get("Tag", [])}
        for one in self._find_all(ids):
            one.tags.update(tags)
        return {"return": True}

    def _find_all(self, ids: Iterable[str]) -> list[Instance]:
        if missing := [name for name in ids if name not in self]:
            raise AwsError("InvalidInstanceID.NotFound", f"The instance IDs '{', '.join(missing)}' do not exist")
        return [self[name] for name in ids]

    def _select(self, params: Params, *, list_facts: Callable[[Instance], dict[str, str]]) -> list[Instance]:
        named = self._find_all(params.get("InstanceId", [])) or [*self.values()]
        return [one for one in named if passes_filters(params.get("Filter", []), list_facts(one), one.tags)]


def _list_facts(one: Instance) -> dict[str, str]:
    return {
        "instance-id": one.id,
        "instance-state-name": one.state,
        "instance-type": one.instance_type,
        "availability-zone": one.zone,
        "subnet-id": one.subnet,
    }


def _list_status_facts(one: Instance) -> dict[str, str]:
    return {
        "instance-state-name": one.state,
        "instance-status.status": "ok",
        "system-status.status": "ok",
        "event.code": "",
    }


def _render(one: Instance) -> dict[str, Any]:
    is_spot = one.lifecycle == "spot"
    return {
        "instanceId": one.id,
        "imageId": one.image,
        "instanceState": {"code": CODES[one.state], "name": one.state},
        "instanceType": one.instance_type,
        "launchTime": one.launched_at,
        "placement": {"availabilityZone": one.zone, "availabilityZoneId": one.zone_id, "tenancy": "default"},
        "subnetId": one.subnet,
        "privateIpAddress": one.address,
        "groupSet": [{"groupId": group} for group in one.template.security_groups],
        "tagSet": list_tags(one.tags),
        "instanceLifecycle": "spot" if is_spot else None,
        "spotInstanceRequestId": f"sir-{one.id[2:]}" if is_spot else None,
        "capacityReservationId": one.reservation or None,
        "capacityReservationSpecification": {"capacityReservationPreference": one.template.reservation_preference},
        "networkInterfaceSet": [
            {"interfaceType": entry.get("InterfaceType", "interface")} for entry in one.template.interfaces
        ],
    }


def _render_status(one: Instance) -> dict[str, Any]:
    return {
        "instanceId": one.id,
        "availabilityZone": one.zone,
        "instanceState": {"code": CODES[one.state], "name": one.state},
        "instanceStatus": {"status": "ok"},
        "systemStatus": {"status": "ok"},
    }
