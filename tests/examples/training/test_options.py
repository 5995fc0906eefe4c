"""A wrong option is an error that no restart repeats."""

from pathlib import Path

import pytest

from examples.training.options import read_options

RIGHT = ["--checkpoint-seconds", "600"]


def test_the_environment_of_the_template_names_the_folders_and_the_port() -> None:
    given = {"CHECKPOINT_DIR": "/checkpoints/run", "METRICS_PORT": "0"}
    options = read_options(RIGHT, given)
    assert (options.checkpoints, options.profiles) == (Path("/checkpoints/run"), Path("/checkpoints/run/profiles"))
    assert (options.metrics_port, options.checkpoint_seconds, options.checkpoint_steps) == (0, 600, 0)
    assert read_options(RIGHT, given | {"PROFILE_DIR": "/local/p"}).profiles == Path("/local/p")
    assert read_options([*RIGHT, "--checkpoints", "/other"], given).checkpoints == Path("/other")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ([], "--checkpoint-steps or --checkpoint-seconds"),
        ([*RIGHT, "--steps", "many"], "invalid int value"),
        ([*RIGHT, "--stepz", "3"], "unrecognized"),
        ([*RIGHT, "--keep", "0"], "--keep must be at least 1"),
        ([*RIGHT, "--log-every", "0"], "--log-every must be at least 1"),
        ([*RIGHT, "--width", "48"], "multiple of 32"),
        ([*RIGHT, "--precision", "fp8"], "invalid choice"),
    ],
)
def test_an_impossible_option_is_refused_with_its_reason(arguments: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_options(arguments, {"CHECKPOINT_DIR": "/checkpoints"})


@pytest.mark.parametrize("environment", [{}, {"CHECKPOINT_DIR": "/c", "METRICS_PORT": "http"}])
def test_an_impossible_environment_is_refused(environment: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"CHECKPOINT_DIR|http"):
        read_options(RIGHT, environment)
