"""The tables that a preview collects from the subjects."""

from gpu_blueprint.cli.text.preview_tables import build_tables
from gpu_blueprint.explain.stack_steps import EXPLAIN

from ...support import builders
from ...support.every_subject import build_every_subject


def test_each_table_of_each_subject_is_printed_before_those_of_several() -> None:
    stack = build_every_subject()
    titles = [build(stack).title for explain in EXPLAIN.values() for build in explain.tables]
    assert [table.title for table in build_tables(stack)] == [*titles, "Start times", "Promises"]


def test_a_table_without_rows_is_left_out() -> None:
    assert [table.title for table in build_tables(builders.config())] == [
        "GPU pools",
        "CPU pools",
        "Tenants",
        "Promises",
    ]
