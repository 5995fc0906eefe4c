"""The command `preview` for stacks with storage."""

import json
from pathlib import Path

import pytest

from gpu_blueprint.cli import main
from gpu_blueprint.cli.text.preview_tables import build_tables

from ..support import builders
from ..support.mounted_stack import build_mounted_stack


def test_a_stack_without_storage_has_no_table_of_it() -> None:
    titles = [[table.title for table in build_tables(stack)] for stack in (build_mounted_stack(), builders.config())]
    assert ["Storage" in found for found in titles] == [True, False]


def test_a_preview_prints_the_table_and_its_document(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["preview", "research"])
    out = capsys.readouterr().out
    assert "\nStorage\n" in out and "s3://acme-datasets/" in out
    main(["preview", "research", "--json"])
    homes, datasets = json.loads(capsys.readouterr().out)["storage"]
    assert (homes["name"], homes["kind"], homes["isMade"]) == ("homes", "efs", True)
    assert {mount["tenant"]: mount["access"] for mount in datasets["mounts"]} == {"vision": "read", "language": "read"}
