"""The arguments of the commands that explain, and of small commands: `explain`, `job`, `mig` and `completion`."""

import argparse
from collections.abc import Callable


def add_explanations(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands; ``command`` takes the name of a command, its help, and its examples."""
    _add_explain(command)
    _add_job(command)
    mig = command(
        "mig",
        "list the MIG profiles and layouts of a GPU model, or judge one layout",
        "blueprint mig h100-80gb",
        "blueprint mig h100-80gb 3g.40gb=1,1g.10gb=4",
    )
    mig.add_argument("gpu", metavar="GPU", help="GPU model, such as h100-80gb")
    mig.add_argument("layout", metavar="LAYOUT", nargs="?", help="profiles and counts, such as 3g.40gb=1,1g.10gb=4")

    completion = command(
        "completion",
        "print a script that lets a shell complete commands, options, and names of stacks, pools and GPUs",
        "source <(blueprint completion bash)",
        "source <(blueprint completion zsh)",
        "blueprint completion fish | source",
    )
    completion.add_argument("shell", choices=("bash", "zsh", "fish"), help="the shell, in whose start file it belongs")


def _add_explain(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add `explain`."""
    explain = command(
        "explain",
        "explain a rule, an alert or a kind of problem; or a stack, or a part of it, step by step",
        "blueprint explain unknown-field",
        "blueprint explain prod",
        "blueprint explain prod infer-l4",
        "blueprint explain prod infer-l4 --pod | kubectl apply --filename -",
        "blueprint explain research vision --job | kubectl apply --filename -",
        "blueprint explain research vision --pod | kubectl apply --filename -",
        "blueprint explain research homes",
        "blueprint explain prod chat",
        "blueprint explain prod chat --manifest",
    )
    explain.add_argument("name", metavar="TOPIC", help="name of a rule, an alert, a kind of problem, or a stack")
    explain.add_argument(
        "part",
        metavar="PART",
        nargs="?",
        help="name of a pool, a tenant, a service, a model or a storage of the stack (default: all)",
    )
    only = explain.add_mutually_exclusive_group()
    only.add_argument(
        "--pod",
        action="store_true",
        help="print only a pod as YAML for kubectl: it runs nvidia-smi in the pool, or mounts the tenant's storage",
    )
    only.add_argument(
        "--job", action="store_true", help="print only a Job that waits in the queue of the tenant, as YAML for kubectl"
    )
    only.add_argument("--manifest", action="store_true", help="print only the objects of a model, as YAML for kubectl")


def _add_job(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add `job`."""
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
        " shipped stacks have no plans; with the entry of docs/models.md#triton in prod, the example prints its Job",
    )
    _add_run(job)
    _add_test(job)


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
        type=int,
        choices=(1, 2, 3),
        help="level of --acceptance dcgm: seconds, 2 minutes or 15 minutes (default: 2)",
    )


def _add_run(job: argparse.ArgumentParser) -> None:
    """Add the arguments of a training run."""
    run = job.add_argument_group("a training run")
    run.add_argument("--image", metavar="IMAGE", default="", help="image with the program, with a tag or a digest")
    run.add_argument(
        "--nodes",
        metavar="N",
        type=int,
        help="nodes that run together (default: 1, for --acceptance nccl 2); several make a JobSet",
    )
    run.add_argument(
        "--gpus",
        metavar="G",
        type=int,
        help="GPUs of each node, and processes that torchrun starts there (default: all GPUs of a node)",
    )
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
    run.add_argument(
        "--name",
        dest="run_name",
        metavar="RUN",
        help="name of the Job or JobSet (default: train, profile, accept-nccl or accept-dcgm); a run with the name of "
        "an earlier run finds its checkpoints",
    )
    words = run.add_argument(
        "words", metavar="-- PROGRAM", nargs="+", default=[], help="the program with its arguments, behind two dashes"
    )
    # A positional argument of nargs "*" would be read as empty before the options, and refused behind them.
    words.required = False
