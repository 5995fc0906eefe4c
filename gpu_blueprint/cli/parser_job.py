"""The arguments of `job`."""

import argparse
from collections.abc import Callable

_LEVELS = (1, 2, 3)


def add_job(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the command; ``command`` takes its name, its help, and its examples."""
    job = command(
        "job",
        "print a Job or a JobSet of a tenant in a pool, as YAML for kubectl: a training run, or the build of a model's"
        " plans",
        "blueprint job prod infer-l4 --tenant serving --build-engine ranking",
        "blueprint job prod train-h100 --tenant training --image IMAGE -- torchrun a.py",
        "blueprint job prod train-h100 --tenant training --acceptance dcgm",
    )
    job.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    job.add_argument("pool", metavar="POOL", help="name of the pool whose GPUs the Job takes")
    job.add_argument("--tenant", metavar="TENANT", required=True, help="name of the tenant whose quota the Job takes")
    job.add_argument(
        "--build-engine",
        metavar="SERVED",
        help="name of a model that Triton serves, or of the Deployment of one of its versions, with TENANT/ in front if"
        " several have it: build its TensorRT plans with the image of its server, and write them into its storage. The"
        " shipped stacks have no plans; with the entry of docs/models-details.md#triton in prod, the example runs",
    )
    _add_run(job)
    _add_test(job)


def _add_run(job: argparse.ArgumentParser) -> None:
    """Add the arguments of a training run."""
    run = job.add_argument_group("a training run")
    run.add_argument("--image", metavar="IMAGE", default="", help="image with the program, with a tag or a digest")
    run.add_argument(
        "--nodes",
        metavar="N",
        type=_read_count,
        help="nodes that run together (default: 1, for --acceptance nccl 2); several make a JobSet",
    )
    run.add_argument(
        "--gpus",
        metavar="G",
        type=_read_count,
        help="GPUs of each node, and processes that torchrun starts there (default: all GPUs of a node)",
    )
    run.add_argument(
        "--wait",
        metavar="TIME",
        default="",
        help="time for which each of several nodes waits for the others, such as 45m (default: 2h); all nodes but the "
        "last are paid for meanwhile",
    )
    run.add_argument(
        "--restarts",
        metavar="N",
        type=_read_count,
        help="restarts of a program that fails within 10 minutes of its start each time (default: 3)",
    )
    _add_surroundings(run)
    run.add_argument(
        "--name",
        dest="run_name",
        metavar="RUN",
        help="name of the Job or JobSet (default: train, profile, accept-nccl or accept-dcgm); a run with the name of "
        "an earlier run finds its checkpoints",
    )
    run.add_argument(
        "words", metavar="-- PROGRAM", nargs="*", default=[], help="the program with its arguments, behind two dashes"
    )


def _add_surroundings(run: argparse._ArgumentGroup) -> None:
    """Add the arguments of the storage and of the environment of a training run."""
    run.add_argument(
        "--checkpoints",
        metavar="STORAGE",
        default="",
        help="name of a storage that the tenant may write; the program finds its folder in CHECKPOINT_DIR",
    )
    run.add_argument(
        "--mount",
        dest="mounts",
        metavar="STORAGE",
        action="append",
        default=[],
        help="name of another storage of the tenant, which the program finds at /mnt/STORAGE, to write or only to read "
        "as granted; may be repeated",
    )
    run.add_argument(
        "--env",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="a variable of the program; it replaces a variable that the run has by itself, such as NCCL_DEBUG; may be "
        "repeated; no secrets, which belong into a Secret",
    )


def _add_test(job: argparse.ArgumentParser) -> None:
    """Add the arguments of a run that tests the nodes, or that is profiled."""
    test = job.add_argument_group("a test of the nodes, or a profile of a run")
    kinds = test.add_mutually_exclusive_group()
    kinds.add_argument(
        "--acceptance",
        choices=("nccl", "dcgm"),
        help="in place of a program: nccl measures the bandwidth between all GPUs of the nodes and fails below the "
        "mark of their type; dcgm runs NVIDIA's diagnosis on all GPUs of each node",
    )
    kinds.add_argument(
        "--profile",
        choices=("nsys", "torch"),
        help="profile the steps that the program marks, and keep the profiles beside the checkpoints: with Nsight "
        "Systems around the program, or with torch.profiler in it; docs/profiling.md",
    )
    test.add_argument(
        "--level",
        metavar="{1,2,3}",
        type=_read_level,
        help="level of --acceptance dcgm: seconds, 2 minutes or 15 minutes (default: 2)",
    )


def _read_count(text: str) -> int:
    """Read a number of nodes, GPUs or restarts; the run itself judges its size."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number; write 1, 2 or more") from None


def _read_level(text: str) -> int:
    """Read a level of the diagnosis."""
    if text in {str(level) for level in _LEVELS}:
        return int(text)
    raise argparse.ArgumentTypeError(f"{text!r} is no level; write 1, 2 or 3 (level 4 needs root on the node)")
