"""All things beside admission that keep tenants inside their grants, from the modules that build them."""

from collections.abc import Callable, Iterator

from ..config import StackConfig
from ..subjects.tenants import quotas, rights, traffic
from ..subjects.tenants.holdings import Holding

_LISTS: tuple[Callable[[StackConfig], Iterator[Holding]], ...] = (
    quotas.list_holdings,
    rights.list_holdings,
    traffic.list_holdings,
)


def list_holdings(config: StackConfig) -> Iterator[Holding]:
    """Yield what quotas, rights, traffic rules and nodes keep tenants from."""
    for listed in _LISTS:
        yield from listed(config)
