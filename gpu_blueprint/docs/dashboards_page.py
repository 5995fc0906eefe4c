"""What each dashboard shows, and what to do with it."""

from collections.abc import Iterator

from ..monitoring.dashboards import DASHBOARDS, Dashboard

_HEAD = """# Dashboards

`monitoring` in the stack file puts them into the cluster, each in a ConfigMap with the label `grafana_dashboard: "1"`. With
`mode: install` a Grafana shows them in the folder GPUs: `pulumi config set --secret grafanaPassword`, then
`kubectl port-forward -n monitoring svc/kube-prometheus-stack-grafana 3000:80`, and sign in as `admin`. With `mode: existing` your
own Grafana's sidecar has to look into the namespace `monitoring`. To see them in any Grafana before that: `blueprint render STACK
--out rendered/STACK` writes `dashboards/*.json`; import them there.

Each query is parsed by the real promtool and asked of a real Prometheus with the series of a made-up fleet.

Generated from the dashboards: `make docs`.
"""


def dashboards_page() -> str:
    """The page as Markdown."""
    lines = [_HEAD]
    for page in DASHBOARDS:
        chosen = " and ".join(f"`{variable.name}`" for variable in page.variables)
        lines += [f"## {page.title}", "", f"{page.about} One chooses {chosen}.", "", *_panels(page), ""]
    return "\n".join(lines).rstrip() + "\n"


def _panels(page: Dashboard) -> Iterator[str]:
    yield "| panel | what it shows, and what to do with it |"
    yield "|---|---|"
    for row in page.rows:
        for panel in row.panels:
            yield f"| {panel.title} | {panel.about} |"
