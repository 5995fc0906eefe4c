"""Every subject gives each facet to its engine, or says what does the work instead."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from gpu_blueprint.checks import CHECKS
from gpu_blueprint.config import StackConfig
from gpu_blueprint.subject import FACETS, SECTIONS, SUBJECTS, WITHOUT, Facet, Subject
from gpu_blueprint.summary.stack_chain import EXPLAIN

ENGINES: Mapping[Facet, Mapping[Subject, Any]] = {"checks": CHECKS, "explain": EXPLAIN}
"""Facet → what its engine reads: subject → value."""


def test_every_facet_has_an_engine() -> None:
    assert ENGINES.keys() == {*FACETS}


@pytest.mark.parametrize("facet", FACETS)
def test_every_subject_gives_the_facet_or_says_what_does_the_work_instead(facet: Facet) -> None:
    given, without = ENGINES[facet].keys(), {subject for subject, left_out in WITHOUT if left_out == facet}
    assert not given - {*SUBJECTS}, "no subject"
    assert not given & without, "given, so WITHOUT must not name it"
    assert {*SUBJECTS} - given - without == set(), (
        f"give {facet} to its engine, or write into WITHOUT what does the work"
    )


def test_every_reason_is_of_a_pair_and_is_a_sentence() -> None:
    assert WITHOUT.keys() <= {*product(SUBJECTS, FACETS)}
    assert all(len(reason.split()) > 3 and not reason.endswith(".") for reason in WITHOUT.values())


def test_every_field_of_the_stack_file_belongs_to_one_subject() -> None:
    fields = [field.alias or name for name, field in StackConfig.model_fields.items()]
    assert sorted(name for names in SECTIONS.values() for name in names) == sorted(fields)
