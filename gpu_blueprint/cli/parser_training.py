"""The arguments of `training-plan`."""

import argparse
from collections.abc import Callable


def add_training(
    command: Callable[..., argparse.ArgumentParser], add_json: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the command; ``command`` takes its name, its help, and its examples.

    Numbers stay words here, so that the command names all their faults at once.
    """
    plan = command(
        "training-plan",
        "say what a training run costs, and how long it takes with interruptions and checkpoints",
        "blueprint training-plan research a100-train --params 7e9 --nodes 2 --days 3",
        "blueprint training-plan prod train-h100 --params 7e10 --nodes 4 --days 14",
    )
    plan.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    plan.add_argument("pool", metavar="POOL", help="name of a pool with whole GPUs")
    plan.add_argument("--params", metavar="N", required=True, help="parameters of the model, such as 7e9")
    plan.add_argument("--nodes", metavar="N", required=True, help="nodes of the run")
    plan.add_argument("--days", metavar="D", required=True, help="days of computing without interruptions, such as 3")
    plan.add_argument(
        "--bytes-per-parameter",
        metavar="N",
        help="bytes of a checkpoint for each parameter (default: 12, FP32 weights and Adam's two moments)",
    )
    plan.add_argument(
        "--checkpoints",
        metavar="STORAGE",
        help="storage of the stack that keeps the checkpoints (default: the fastest that a tenant of the pool may"
        " write, else a bucket on S3)",
    )
    plan.add_argument("--tenant", metavar="TENANT", help="the team of the run: its quota, queue and storage count")
    plan.add_argument("--keep", metavar="N", help="checkpoints to keep (default: 3)")
    plan.add_argument(
        "--reclaimed",
        metavar="SHARE",
        help="share of spot nodes that EC2 takes back within a month, such as 0.4 (default: AWS's data); a second row "
        "shows a bad month of 0.8",
    )
    plan.add_argument("--explain", action="store_true", help="also print the formulas, with their sources")
    add_json(plan)
