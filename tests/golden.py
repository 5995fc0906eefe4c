"""The golden plans: what every shipped stack, and every telling pool, becomes. ``python -m tests.golden`` writes them anew.

Left out of a plan are the versions of Pulumi's plugins, which would stand at every resource and are pinned in
requirements.txt. A resource is called by its type and name; who its parents are stands at each parent. JSON inside a
text is shown as JSON.
"""

import json
import re
from pathlib import Path
from typing import Any

from gpu_blueprint.plan import PlannedResource

from .support import telling_pools
from .support.plans import SHIPPED, Plan, plan

GOLDEN = Path(__file__).parent / "golden"


def golden_file(stack: str) -> Path:
    """Where the golden plan of a shipped stack stands."""
    return GOLDEN / f"{stack}.json"


def snapshot(planned: Plan) -> dict[str, Any]:
    """Resource → everything that is planned of it, in an order that does not depend on the rendering."""
    names = {found.urn: f"{found.type} {found.name}" for found in planned}
    assert len(set(names.values())) == len(names)
    return {names[found.urn]: _shown(found, names) for found in sorted(planned, key=lambda found: names[found.urn])}


def as_text(shown: dict[str, Any]) -> str:
    """What stands in the file."""
    return json.dumps(shown, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def _shown(found: PlannedResource, names: dict[str, str]) -> dict[str, Any]:
    parts = found.as_json()
    parts["options"] = {name: value for name, value in found.options.items() if name != "version"}
    parts["dependencies"] = sorted(names.get(urn, urn) for urn in found.dependencies)
    parts["inputs"] = _readable(parts["inputs"], names)
    parts |= {name: names.get(parts[name], parts[name]) for name in ("parent", "provider")}
    return {name: value for name, value in parts.items() if name not in ("urn", "type", "name") and value}


def _readable(value: Any, names: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _readable(item, names) for key, item in value.items()}
    if isinstance(value, list):
        return [_readable(item, names) for item in value]
    if isinstance(value, str) and re.match(r'\{\s*"', value):
        document = json.loads(value)
        return {"$dashboard": _queries(document)} if "panels" in document else {"$json": document}
    return names.get(value, value) if isinstance(value, str) else value


def _queries(dashboard: dict[str, Any]) -> dict[str, list[str]]:
    """Panel → what it asks; how it looks is for tests/test_dashboards.py, and for docs/dashboards.md what it is for."""
    return {panel["title"]: [target["expr"] for target in panel.get("targets", [])] for panel in dashboard["panels"]}


def main() -> None:
    """Write every golden file."""
    for stack in SHIPPED:
        golden_file(stack).write_text(as_text(snapshot(plan(stack))))
    for pool in telling_pools.POOLS:
        (GOLDEN / "pools" / f"{pool}.yaml").write_text(telling_pools.rendered(pool))


if __name__ == "__main__":
    main()
