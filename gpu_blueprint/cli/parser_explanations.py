"""The arguments of the commands that explain, and of small commands: `explain`, `mig` and `completion`."""

import argparse
from collections.abc import Callable


def add_explanations(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the commands; ``command`` takes the name of a command, its help, and its examples."""
    _add_explain(command)
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
        "blueprint explain pending",
        "blueprint explain prod",
        "blueprint explain prod infer-l4",
        "blueprint explain prod infer-l4 --pod | kubectl apply --filename -",
        "blueprint explain research vision --job | kubectl apply --filename -",
        "blueprint explain research vision --pod | kubectl apply --filename -",
        "blueprint explain research homes",
        "blueprint explain prod keys",
        "blueprint explain prod chat",
        "blueprint explain prod chat --manifest",
    )
    explain.add_argument(
        "name",
        metavar="TOPIC",
        nargs="?",
        help="name of a rule, an alert, a kind of problem or a stack, or pending, the page on pods that wait",
    )
    explain.add_argument(
        "part",
        metavar="PART",
        nargs="?",
        help="name of a pool, a tenant, a service, a model or a storage of the stack, or keys (default: all)",
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
