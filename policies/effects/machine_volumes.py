"""Read the volumes of EC2 instances and launch configurations, with the root volume although nobody states it."""

from ..resources import Resource
from ..values import read_text
from .volumes import Volume, list_image_defaults, list_mapped_volumes

_TYPES = (
    "aws:ec2/instance:Instance",
    "aws:ec2/spotInstanceRequest:SpotInstanceRequest",
    "aws:ec2/launchConfiguration:LaunchConfiguration",
    "aws-native:ec2:Instance",
    "aws-native:autoscaling:LaunchConfiguration",
)
MACHINE_KINDS = ("Instance", "SpotInstanceRequest", "LaunchConfiguration")


def list_machine_volumes(machine: Resource) -> list[Volume]:
    """Return the EBS volumes of a machine; none if it is no machine of EC2, such as an instance of a database.

    A launch template, which is judged itself, decides about a root volume that the machine does not state.
    """
    if machine.type not in _TYPES:
        return []
    stated = [
        Volume(read_text(block.get("deviceName"), "deviceName"), block)
        for block in machine.list_blocks("ebsBlockDevices")
    ]
    stated += list_mapped_volumes(machine, "blockDeviceMappings")  # as Cloud Control writes them
    if root := machine.read_block("rootBlockDevice"):
        return [Volume("root", root), *stated]
    return stated if machine.read_block("launchTemplate") else [*stated, *list_image_defaults(stated)]
