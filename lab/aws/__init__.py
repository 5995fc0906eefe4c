"""AWS on loopback for the production Karpenter: moto, and in front of it what moto lacks.

Prices, images, reservations, launch templates, fleets and instances are answered from the blueprint's own catalogue. A
launched instance becomes a Node with the labels and taints of its user data. moto answers every other call.
"""

from .calls import Call
from .devices import Timings
from .faults import Faults
from .instances import Instance
from .server import Shim

__all__ = ["Call", "Faults", "Instance", "Shim", "Timings"]
