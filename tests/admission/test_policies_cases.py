"""The files of cases, which tests/admission/test_policies_attacks_on_engines.py and others play."""

from ..support.attack_cases import check_names, read_cases

FOLDERS = ("attacks", "warnings", "work")
QUEUE_FOLDERS = ("queue_attacks", "queue_warnings", "queue_work")
"""Cases of tests/admission/test_policies_queues_on_server.py."""


def test_no_two_cases_make_objects_of_one_name() -> None:
    for folders in (FOLDERS, QUEUE_FOLDERS):
        assert check_names([case for folder in folders for case in read_cases(folder)]) == []


def test_every_attack_names_what_keeps_it_out_and_the_words_that_help() -> None:
    folders = (*FOLDERS[:2], *QUEUE_FOLDERS[:2])
    attacks = [case for folder in folders for case in read_cases(folder)]
    assert [case.name for case in attacks if not (case.kept_out_by and all(case.says) and case.says)] == []


def test_there_are_as_many_cases_as_promised() -> None:
    counts = {folder: len(read_cases(folder)) for folder in (*FOLDERS, *QUEUE_FOLDERS)}
    assert counts["attacks"] >= 65
    assert counts["warnings"] >= 5
    assert counts["work"] >= 37
    assert counts["queue_attacks"] >= 60
    assert counts["queue_work"] >= 35
