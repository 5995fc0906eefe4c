"""All things beside admission that keep tenants inside their grants, from the modules that build them."""

from collections.abc import Callable, Iterator

from ..config import StackConfig
from ..tenancy import rights, traffic
from ..tenancy.holdings import Holding
from ..tenancy.quotas import list_quotas

_LISTS: tuple[Callable[[StackConfig], Iterator[Holding]], ...] = (rights.list_holdings, traffic.list_holdings)


def list_holdings(config: StackConfig) -> Iterator[Holding]:
    """Yield what quotas, rights, traffic rules and nodes keep tenants from."""
    for quota in list_quotas(config, config.tenants[0]):
        yield Holding(by="quota", name=f"ResourceQuota {quota.name}", keeps=quota.keeps)
    for listed in _LISTS:
        yield from listed(config)
