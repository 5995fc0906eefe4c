"""The arguments of ``replay``."""

import argparse
from collections.abc import Callable
from pathlib import Path


def add_replay(
    command: Callable[..., argparse.ArgumentParser], add_json: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the command that simulates a load on stacks."""
    replay = command(
        "replay",
        "simulate days of GPU jobs on stacks: the bill, the use of GPUs and the waits of each, side by side",
        "blueprint replay research",
        "blueprint replay dev research --days 3",
        "blueprint replay research --try --days 3",
        "blueprint replay research --reclaims 0.05 --at-most 1200",
    )
    replay.add_argument("stacks", nargs="+", metavar="STACK", help="name of a stack, such as dev")
    replay.add_argument(
        "--load",
        metavar="LOAD",
        default="built-in",
        help="the jobs: a CSV file with the columns of docs/replay.md, openb:FILE@DAY or helios:FILE@DAY for a day of a"
        " public trace, or prometheus:URL@14d for what ran on the first stack (default: built-in, working days of a"
        " company: notebooks, services, experiments and training)",
    )
    replay.add_argument(
        "--days",
        metavar="N",
        type=int,
        help="simulate N days of the built-in load, each with its own seed (default: 10)",
    )
    _add_metrics(replay)
    replay.add_argument(
        "--reclaims",
        metavar="SHARE",
        type=float,
        default=0.0,
        help="share of the spot nodes that EC2 takes back in an hour, such as 0.05 (default: 0)",
    )
    _add_trial(replay)
    _add_gates(replay)
    add_json(replay)


def _add_metrics(replay: argparse.ArgumentParser) -> None:
    replay.add_argument(
        "--cluster",
        metavar="NAME",
        help="with prometheus: value of the label `cluster`, where several clusters write to one Prometheus (default:"
        " the name of the stack's cluster)",
    )
    replay.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="with prometheus: file with a bearer token; the environment may have PROMETHEUS_TOKEN instead",
    )


def _add_trial(replay: argparse.ArgumentParser) -> None:
    replay.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="replay one stack with other sharing, sizes, consolidation and capacity types, and with pools put"
        " together; show what saves more than 2 %%",
    )
    replay.add_argument("--out", metavar="FILE", type=Path, help="also write the stack file with what --try has found")


def _add_gates(replay: argparse.ArgumentParser) -> None:
    replay.add_argument("--at-most", metavar="USD", type=float, help="exit with 1 if a stack costs more than USD a day")
    replay.add_argument(
        "--used-at-least",
        metavar="SHARE",
        type=float,
        help="exit with 1 if a smaller share of the paid GPU hours is used, such as 0.6",
    )
