"""The whole command against moto: what it finds, with and without state files."""

from pathlib import Path
from typing import Any

import pytest

from gpu_blueprint.live.leftovers import Report, find_leftovers, name_kind, read_states

from ...support import state_files
from ...support.aws_endpoint import Endpoint
from ...support.cloud_objects import account, make_queue, make_vpc
from ...support.plans import shipped_config


def look(*states: Path) -> Report:
    """Ask for the leftovers of the dev stack."""
    return find_leftovers(shipped_config("dev"), read_states(states, "dev"), account(), account())


def names(report: Report) -> list[str]:
    return [resource.arn.name for resource in report.verdicts.leftovers]


@pytest.mark.usefixtures("cloud")
def test_an_object_whose_answer_was_lost_is_listed_after_the_second_up(tmp_path: Path) -> None:
    lost, kept = make_vpc(), make_vpc()
    orphan, known = make_queue("gpu-dev-lost"), make_queue("gpu-dev")
    report = look(state_files.write_state(tmp_path, state_files.vpc(kept), state_files.queue(known)))
    assert sorted(names(report)) == sorted([lost, orphan])
    assert (report.exit_code, report.verdicts.held, report.findings) == (1, 2, [])
