"""Services as a table of plain text."""

from ...config import StackConfig
from ..plain_table import PlainTable
from ..stack import ServiceSummary, summarize_service


def build_service_table(config: StackConfig) -> PlainTable:
    """Return a row for each service."""
    headers = ("Deployment", "pool", "server", "replicas", "scales on")
    return PlainTable(
        "Services", headers, [_format_service(summarize_service(config, service)) for service in config.services]
    )


def _format_service(service: ServiceSummary) -> tuple[str, ...]:
    return (
        f"{service.namespace}/{service.name}",
        service.pool,
        service.server or "",
        f"{service.min_replicas} to {service.max_replicas}",
        "\n".join(service.scales_on),
    )
