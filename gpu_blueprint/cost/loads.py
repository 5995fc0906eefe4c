"""The GPUs at work in a pool, and their price on the nodes that Karpenter launches for them."""

from collections.abc import Iterable, Sequence

from ..config import Pool, Service
from ..config.grant_rooms import count_gpus
from ..records import Record
from .gpus import count_replicas
from .money import Usd
from .nodes import Node, PriceRange, Terms, find_launched, price_gpu


class ServiceLoad(Record):
    """The replicas of a service, in GPUs of the nodes that hold them.

    A replica that leaves GPUs of its node to nobody counts with them: three GPUs on a node of four are four.
    """

    least: float
    """GPUs at the minimum replicas."""
    most: float
    """GPUs at the maximum replicas."""
    usd: Usd
    """Dollars an hour of one of these GPUs."""


class Loads(Record):
    """The services of a pool and the price of a GPU for its other pods."""

    services: tuple[ServiceLoad, ...]
    usd: Usd
    """Dollars an hour of a GPU on the cheapest node that holds a pod."""

    @property
    def least(self) -> float:
        """GPUs that the minimum replicas of the services hold."""
        return sum(load.least for load in self.services)

    @property
    def growth(self) -> float:
        """GPUs that the services hold at their maximum replicas beyond those at their minimum."""
        return sum(load.most - load.least for load in self.services)

    def find_grown(self, gpus: float) -> float:
        """Return how far all services have grown together from their minimum, 0, to their maximum replicas, 1.

        Args:
            gpus: GPUs at work in the pool.
        """
        return max(0.0, min((gpus - self.least) / self.growth, 1.0)) if self.growth else 0.0

    def price_gpus(self, gpus: float) -> Usd:
        """Return dollars an hour of GPUs at work: the minimum replicas, then further replicas, then other pods."""
        least, grown = self.least, self.find_grown(gpus)
        if gpus <= least:
            return self._price_services(0.0) * (gpus / least if least else 0.0)
        return self._price_services(grown) + self.usd * max(gpus - least - grown * self.growth, 0.0)

    def _price_services(self, grown: float) -> Usd:
        """Price the services between their minimum replicas, at 0, and their maximum replicas, at 1."""
        parts = (load.usd * (load.least + grown * (load.most - load.least)) for load in self.services)
        return sum(parts, start=Usd())


def find_loads(pool: Pool, nodes: Sequence[Node], services: Iterable[Service], terms: Terms) -> Loads:
    """Return the loads of a pool for one way to buy its nodes."""
    usual = price_gpu(nodes, terms).usual
    return Loads(tuple(_find_load(pool, nodes, service, terms, usual) for service in services), usual)


def _find_load(pool: Pool, nodes: Sequence[Node], service: Service, terms: Terms, usual: Usd) -> ServiceLoad:
    """Return the load of a service on the cheapest node that holds a replica."""
    node = find_launched(_list_holding(pool, nodes, service), terms)
    if node is None:  # no price is known, or the service is refused
        each, usd = count_gpus(pool, service.gpus), usual
    else:
        each, usd = _count_gpus_of_node(pool, node, service), node.price_gpu(terms)
    return ServiceLoad(service.replicas.min * each, service.replicas.max * each, usd)


def price_replica(pool: Pool, nodes: Sequence[Node], service: Service, terms: Terms) -> PriceRange:
    """Price a replica of a service for an hour: on the node that Karpenter launches for it, and on the dearest node.

    A replica pays for the GPUs of its node that it leaves to nobody.
    """
    holding = _list_holding(pool, nodes, service)
    prices = [node.price_gpu(terms) * _count_gpus_of_node(pool, node, service) for node in holding]
    node = find_launched(holding, terms)
    if node is None:
        gpu, count = price_gpu(nodes, terms), count_gpus(pool, service.gpus)
        return PriceRange(gpu.usual * count, gpu.dearest * count)
    unknown = frozenset().union(*(price.unknown for price in prices))
    usual = node.price_gpu(terms) * _count_gpus_of_node(pool, node, service)
    return PriceRange(usual, Usd(max(price.known for price in prices), unknown))


def find_whole_node(pool: Pool, nodes: Sequence[Node], service: Service, terms: Terms) -> tuple[int, Usd] | None:
    """Return the replicas that fit on the node that Karpenter launches for one, and dollars an hour of that node.

    None if no price is known.
    """
    node = find_launched(_list_holding(pool, nodes, service), terms)
    if node is None:
        return None
    return count_replicas(pool, node.row, service), node.price_gpu(terms) * node.row.gpu_devices


def _list_holding(pool: Pool, nodes: Iterable[Node], service: Service) -> list[Node]:
    return [node for node in nodes if count_replicas(pool, node.row, service)]


def _count_gpus_of_node(pool: Pool, node: Node, service: Service) -> float:
    """Return the GPUs of a node that one of its replicas holds."""
    return node.row.gpu_devices / count_replicas(pool, node.row, service)
