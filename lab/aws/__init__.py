"""AWS on loopback for the production Karpenter: moto, and handlers for the calls that moto lacks.

The lab's own handlers answer for prices, images, reservations, launch templates, fleets and instances, with facts of
the blueprint's catalogue. A launched instance becomes a Node with the labels and taints of its user data. moto answers
every other call.
"""

from .calls import Call
from .devices import Timings
from .faults import Faults
from .instances import Instance
from .server import Shim

__all__ = ["Call", "Faults", "Instance", "Shim", "Timings"]
