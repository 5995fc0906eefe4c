"""The arguments of all commands. The commands themselves are imported only when they run."""

import argparse
from collections.abc import Callable
from pathlib import Path

from .. import __version__
from .new_flags import add_new
from .parser_changes import add_changes
from .parser_explanations import add_explanations
from .parser_images import add_images
from .parser_job import add_job
from .parser_replay import add_replay
from .parser_training import add_training
from .parser_versions import add_versions
from .parser_words import CommandParser
from .text.formats import FORMATS

_ABOUT = (
    "Check, preview and copy GPU platforms on EKS. No command needs an AWS account, except preflight and leftovers,"
    " which read from AWS. Only advise, and replay if it is asked to, read from the Prometheus of a cluster. Exit"
    " codes: 0 fine, 1 wrong stack, 2 wrong call."
)
_STACK = "name of a stack, such as dev"

_EXAMPLES = "examples:"
_AddCommand = Callable[..., argparse.ArgumentParser]
"""Takes the name of a command, its help, and its examples."""


class _Help(argparse.HelpFormatter):
    """Wraps sentences, and leaves the lines of examples as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith(_EXAMPLES) else super()._fill_text(text, width, indent)


def build_parser() -> argparse.ArgumentParser:
    """Build the parser; ``command`` names the module that runs."""
    top = CommandParser(prog="blueprint", description=_ABOUT)
    top.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, text: str, *examples: str) -> argparse.ArgumentParser:
        return commands.add_parser(
            name,
            help=text,
            description=f"{text[0].upper()}{text[1:]}.",
            epilog="\n".join([_EXAMPLES, *(f"  {example}" for example in examples)]),
            formatter_class=_Help,
        )

    _add_check(command)
    _add_preview(command)
    add_changes(command, _add_json)
    _add_cost(command)
    add_replay(command, _add_json)
    add_training(command, _add_json)
    add_images(command, _add_json)
    _add_files(command)
    add_versions(command, _add_json)
    _add_account(command)
    _add_rehearse(command)
    _add_lifecycle(command)
    _add_advise(command)
    add_explanations(command)
    add_job(command)
    return top


def _add_format(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--format",
        choices=FORMATS,
        default="text",
        help="format of the output, also for the errors of a stack file; sarif is for code hosts, markdown for pull"
        " requests",
    )
    _add_json(command)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json", dest="format", action="store_const", const="json", default="text", help="print one JSON document"
    )


def _add_check(command: _AddCommand) -> None:
    check = command(
        "check",
        "validate stack files: print every problem with its line and its remedy",
        "blueprint check prod",
        "blueprint check dev research prod --policies",
        "blueprint check prod --policies --format sarif",
    )
    check.add_argument("stacks", nargs="+", metavar="STACK", help=_STACK)
    check.add_argument("--policies", action="store_true", help="also judge the platform by the rules of policies/")
    check.add_argument(
        "--policy-config",
        metavar="FILE",
        type=Path,
        help="levels and settings of the rules (default: policies/<environment>.json)",
    )
    _add_format(check)


def _add_preview(command: _AddCommand) -> None:
    preview = command(
        "preview",
        "show the whole platform that `pulumi up` would build",
        "blueprint preview prod",
        "blueprint preview prod --tree --promises",
        "blueprint preview prod --format markdown",
    )
    preview.add_argument("stack", metavar="STACK", help=_STACK)
    preview.add_argument("--tree", action="store_true", help="also list every resource, below its component")
    preview.add_argument(
        "--promises",
        action="store_true",
        help="also show what is promised to tenants beside what is allocatable at the limits of the pools",
    )
    _add_format(preview)

    render = command(
        "render",
        "write plan.json, a manifest for each Kubernetes object, Helm values, dashboards, a job for each training "
        "pool, and secrets.md if a manifest lacks a secret, because no file holds one",
        "blueprint render prod --out rendered/prod",
    )
    render.add_argument("stack", metavar="STACK", help=_STACK)
    render.add_argument(
        "--out", metavar="DIR", required=True, type=Path, help="folder; a folder that render wrote is replaced"
    )


def _add_files(command: _AddCommand) -> None:
    diff = command("diff", "compare the fields of two stacks, including defaults", "blueprint diff dev prod")
    diff.add_argument("stack", metavar="STACK_A", help=_STACK)
    diff.add_argument("other", metavar="STACK_B", help="name of another stack, such as prod")

    add_new(command)

    command(
        "docs",
        "regenerate stacks/schema.json and the pages of docs/ that are made from the code",
        "blueprint docs",
    )


def _add_account(command: _AddCommand) -> None:
    quotas = command(
        "quotas",
        "show the service quotas that the stack needs at its ceiling, and how to request them",
        "blueprint quotas prod",
        "blueprint quotas prod --json",
    )
    quotas.add_argument("stack", metavar="STACK", help=_STACK)
    _add_json(quotas)
    _add_preflight(command)
    _add_leftovers(command)


def _add_preflight(command: _AddCommand) -> None:
    preflight = command(
        "preflight",
        "ask AWS whether the account can hold the stack, a cluster whether the stack fits, or list the permissions",
        "blueprint preflight prod --profile sandbox",
        "blueprint preflight prod --kubeconfig ~/.kube/config --context gpu-prod",
        "blueprint preflight prod --policy",
        "blueprint preflight prod --permissions",
    )
    preflight.add_argument("stack", metavar="STACK", nargs="?", help=_STACK)
    _add_profile(preflight)
    preflight.add_argument(
        "--kubeconfig",
        metavar="FILE",
        type=Path,
        help="ask the cluster of this kubeconfig instead of the account: what is in it that the stack would clash with",
    )
    preflight.add_argument("--context", metavar="NAME", help="context of the kubeconfig (default: its current context)")
    preflight.add_argument(
        "--policy",
        action="store_true",
        help="print the IAM policy that preflight needs, and ask nothing; without STACK the policy is for all stacks of"
        " the partition aws, so name a stack of aws-us-gov",
    )
    preflight.add_argument(
        "--permissions",
        action="store_true",
        help="print every IAM permission of the platform's roles and of the role that deploys, with its user and its"
        " reason, and ask nothing",
    )
    _add_format(preflight)


def _add_leftovers(command: _AddCommand) -> None:
    leftovers = command(
        "leftovers",
        "list the objects in AWS that carry the tags of a stack and stand in no state; nothing is deleted",
        "blueprint leftovers prod --state state.json",
        "blueprint leftovers --policy",
    )
    leftovers.add_argument("stack", metavar="STACK", nargs="?", help=_STACK)
    leftovers.add_argument(
        "--state",
        metavar="FILE",
        action="append",
        default=[],
        type=Path,
        help="state of the stack, as `pulumi stack export` writes it; give every state that may hold a part of it"
        " (default: none, and everything with the tags is listed)",
    )
    _add_profile(leftovers)
    leftovers.add_argument(
        "--policy", action="store_true", help="print the IAM policy that leftovers needs, and ask nothing"
    )
    _add_json(leftovers)


def _add_profile(command: argparse.ArgumentParser) -> None:
    command.add_argument("--profile", metavar="P", help="profile of the AWS CLI's configuration to use")


def _add_rehearse(command: _AddCommand) -> None:
    rehearse = command(
        "rehearse",
        "run the stack on real engines on this machine, send pods, and compare promise and reality",
        "blueprint rehearse prod",
        "blueprint rehearse prod --probe chart.yaml",
    )
    rehearse.add_argument("stack", metavar="STACK", help=_STACK)
    rehearse.add_argument(
        "--probe",
        metavar="FILE",
        type=Path,
        help="send your own manifests in place of the probes, such as the output of `helm template`",
    )
    _add_json(rehearse)


def _add_lifecycle(command: _AddCommand) -> None:
    lifecycle = command(
        "lifecycle",
        "build and destroy the stack with Pulumi's own engine on this machine, and compare with the plan",
        "blueprint lifecycle dev",
    )
    lifecycle.add_argument("stack", metavar="STACK", help=_STACK)
    _add_json(lifecycle)


def _add_advise(command: _AddCommand) -> None:
    advise = command(
        "advise",
        "read the metrics of a running stack, and propose changes that lower costs or waits",
        "kubectl port-forward -n monitoring svc/prometheus-operated 9090 &",
        "blueprint advise prod --prometheus http://localhost:9090",
        "blueprint advise prod --prometheus http://localhost:9090 --out advised.yaml",
    )
    advise.add_argument("stack", metavar="STACK", help=_STACK)
    advise.add_argument(
        "--prometheus",
        metavar="URL",
        required=True,
        help="address of its Prometheus, such as http://localhost:9090 after"
        " `kubectl port-forward -n monitoring svc/prometheus-operated 9090`, or of an AMP workspace",
    )
    advise.add_argument("--days", metavar="N", type=int, default=7, help="how many days to look back (default: 7)")
    advise.add_argument(
        "--cluster",
        metavar="NAME",
        help="value of the label `cluster`, where several clusters write to one Prometheus (default: the name of the"
        " stack's cluster)",
    )
    advise.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="file with a bearer token; instead, the environment may have PROMETHEUS_TOKEN, or PROMETHEUS_USERNAME and"
        " PROMETHEUS_PASSWORD",
    )
    _add_json(advise)
    advise.add_argument("--out", metavar="FILE", type=Path, help="also write the stack file with the proposals in it")


def _add_cost(command: _AddCommand) -> None:
    cost = command(
        "cost",
        "estimate the cost of a stack: idle, as expected, and with every limit reached",
        "blueprint cost prod",
        "blueprint cost dev --compare prod",
        "blueprint cost prod --against rendered/prod/plan.json",
    )
    cost.add_argument("stack", metavar="STACK", help=_STACK)
    beside = cost.add_mutually_exclusive_group()
    beside.add_argument("--compare", metavar="STACK_B", help="show the changes from this stack to STACK_B")
    beside.add_argument(
        "--against", metavar="FILE", type=Path, help="show the changes from an earlier estimate to this stack"
    )
    _add_format(cost)
    cost.add_argument("--svg", metavar="FILE", type=Path, help="also draw the estimate as a bar chart")
