"""Pages generated from the code; a test compares them with the files in the repository."""

import json
from pathlib import Path

from .alerts_page import alerts_page, runbook
from .config_page import config_page, file_schema
from .dashboards_page import dashboards_page
from .decisions_page import decisions_page
from .own_prometheus_page import own_prometheus_page
from .policies_page import described, policies_page
from .sharing_page import sharing_page


def pages() -> dict[Path, str]:
    """Return path → content of each generated file."""
    return {
        Path("stacks/schema.json"): json.dumps(file_schema(), indent=2) + "\n",
        Path("docs/config.md"): config_page(),
        Path("docs/sharing.md"): sharing_page(),
        Path("docs/policies.md"): policies_page(),
        Path("docs/alerts.md"): alerts_page(),
        Path("docs/dashboards.md"): dashboards_page(),
        Path("docs/own-prometheus.md"): own_prometheus_page(),
        Path("docs/decisions/README.md"): decisions_page(),
    }


__all__ = ["described", "pages", "runbook"]
