"""All things beside admission that keep tenants inside their grants, from the modules that build them."""

from collections.abc import Callable, Iterator

from ..config import StackConfig
from ..tenancy import traffic
from ..tenancy.holdings import Holding

_LISTS: tuple[Callable[[StackConfig], Iterator[Holding]], ...] = (traffic.list_holdings,)


def list_holdings(config: StackConfig) -> Iterator[Holding]:
    """Yield what quotas, rights, traffic rules and nodes keep tenants from."""
    for listed in _LISTS:
        yield from listed(config)
