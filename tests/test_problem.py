"""Problems print their parts, and move below a longer path."""

from gpu_blueprint.problem import Problem, move_under


def test_a_problem_prints_its_place_its_field_its_reason_and_its_hint() -> None:
    problem = Problem("purchase-order", ("pools", 0, "purchase"), "wrong order", "write [spot]", file="a.yaml", line=15)
    assert str(problem) == "a.yaml:15: pools.0.purchase: wrong order; write [spot]"


def test_a_problem_without_hint_prints_its_reason_alone() -> None:
    assert str(Problem("gone", (), "it is gone")) == "it is gone"


def test_problems_move_below_a_longer_path() -> None:
    (moved,) = move_under([Problem("gone", ("name",), "it is gone")], "pools", 1)
    assert moved.path == ("pools", 1, "name")
