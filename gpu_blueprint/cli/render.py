"""``render``: write the plan and every manifest as files."""

import argparse
import json
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..config import StackConfig
from ..cost.estimate import as_json, estimate_stack
from ..errors import UsageError
from ..loading import open_stack
from ..monitoring.dashboards import DASHBOARD_LABEL
from ..plan import PlannedResource, record
from ..summary.stack import identify_stack
from .text.preview import count_resources
from .text.tables import show_progress

_OWN = {"plan.json", "manifests", "values", "dashboards"}
"""Everything that may be in a folder that render replaces."""


def run(arguments: argparse.Namespace) -> int:
    """Render a stack, then replace the folder in one step, so that it is never incomplete."""
    out: Path = arguments.out
    if out.is_symlink() or (out.exists() and not (out.is_dir() and {file.name for file in out.iterdir()} <= _OWN)):
        raise UsageError(f"{out}: is a link, or holds files that render did not write; name another folder")
    stack = open_stack(arguments.stack)
    with show_progress(f"rendering {stack.source.file} …"):
        plan = record(stack.name, stack.source.config)
    files = render_files(stack.config, plan)
    try:
        _write(out, files)
    except OSError as error:
        raise UsageError(f"{out}: cannot be written: {error.strerror}") from None
    others = f"{len(files) - 1} manifests, values and dashboards"
    print(f"{out}: plan.json with {count_resources(plan)}, {others}")
    return 0


def render_files(config: StackConfig, plan: Sequence[PlannedResource]) -> dict[str, str]:
    """Return path → text of every file."""
    document = {
        "stack": identify_stack(config),
        "cost": as_json(estimate_stack(config)),
        "resources": [resource.as_json() for resource in plan],
    }
    files = {"plan.json": json.dumps(document, indent=2) + "\n"}
    for resource in plan:
        files.update(_render_resource(resource.type, dict(resource.inputs)))
    return files


def _render_resource(type_: str, inputs: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if type_ == "kubernetes:helm.sh/v3:Release":
        chart = {"name": inputs["name"], "chart": inputs["chart"], "version": inputs["version"]}
        heading = f"# {chart['chart']} {chart['version']}\n"
        yield f"values/{chart['name']}.yaml", heading + _to_yaml(inputs.get("values", {}))
    elif type_.startswith("kubernetes:"):
        place = inputs["metadata"]
        name = "-".join(part for part in (inputs["kind"].lower(), place.get("namespace"), place["name"]) if part)
        yield f"manifests/{name}.yaml", _to_yaml({**{key: inputs[key] for key in _HEAD}, **inputs})
        if DASHBOARD_LABEL in place.get("labels", {}):
            yield from ((f"dashboards/{key}", text + "\n") for key, text in inputs["data"].items())


_HEAD = ("apiVersion", "kind", "metadata")
"""The fields that readers expect at the top of a manifest."""


def _to_yaml(value: Any) -> str:
    return yaml.dump(value, Dumper=_Readable, sort_keys=False, width=110)


class _Readable(yaml.SafeDumper):
    """A dumper that writes texts of several lines as blocks."""


def _represent_text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)


_Readable.add_representer(str, _represent_text)


def _write(out: Path, files: dict[str, str]) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
        fresh = Path(scratch) / "new"
        for name, text in files.items():
            (fresh / name).parent.mkdir(parents=True, exist_ok=True)
            (fresh / name).write_text(text, encoding="utf-8")
        if out.exists():
            out.rename(Path(scratch) / "old")
        fresh.rename(out)
