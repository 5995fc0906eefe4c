"""What the command line takes, in one place; the commands themselves are imported only when they run."""

import argparse
from collections.abc import Callable
from pathlib import Path


def parser() -> argparse.ArgumentParser:
    """Build the parser; ``command`` names the module that runs."""
    about = "Check, preview and fork GPU platforms on EKS, without an AWS account; only preflight asks one, and only advise asks a cluster's Prometheus."
    top = argparse.ArgumentParser(prog="blueprint", description=about)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=f"{text}.")

    _add_check(command)

    preview = command("preview", "show the whole platform that `pulumi up` would build")
    preview.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    preview.add_argument("--json", action="store_true", help="print one JSON document")

    render = command(
        "render",
        "write plan.json, one YAML file per Kubernetes object (secrets without their values), Helm values and dashboards",
    )
    render.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    render.add_argument("--out", metavar="DIR", required=True, type=Path, help="folder; replaced if render made it")

    _add_files(command)
    _add_account(command)
    _add_advise(command)
    _add_explanations(command)
    return top


def _add_files(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    diff = command("diff", "compare what two stacks say, defaults included")
    diff.add_argument("stack", metavar="STACK_A", help="name of a stack, such as dev")
    diff.add_argument("other", metavar="STACK_B", help="name of another one, such as prod")

    _add_money(command)

    new = command("new", "make a stack file for a new environment from an existing one")
    new.add_argument("environment", metavar="ENV", help="name of the new environment, such as staging")
    new.add_argument("--from", dest="origin", metavar="STACK", required=True, help="stack to start from")


def _add_account(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    quotas = command("quotas", "show the service quotas that the stack needs at its ceiling, and how to ask for them")
    quotas.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    quotas.add_argument("--json", action="store_true", help="print one JSON document")

    preflight = command("preflight", "ask AWS, reading only, whether the account can hold what the stack says")
    preflight.add_argument("stack", metavar="STACK", nargs="?", help="name of a stack, such as dev")
    preflight.add_argument("--profile", metavar="P", help="profile of the AWS CLI's configuration to ask with")
    preflight.add_argument("--json", action="store_true", help="print one JSON document")
    preflight.add_argument(
        "--policy", action="store_true", help="print the IAM policy that the questions need, and ask nothing"
    )


def _add_advise(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    advise = command("advise", "read the metrics of a running stack, and propose what would cost less or wait less")
    advise.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    advise.add_argument(
        "--prometheus",
        metavar="URL",
        required=True,
        help="address of its Prometheus, such as http://localhost:9090 after"
        " `kubectl port-forward -n monitoring svc/prometheus-operated 9090`, or of an AMP workspace",
    )
    advise.add_argument("--days", metavar="N", type=int, default=7, help="how far to look back; 7 unless given")
    text = (
        "what the label `cluster` says where several write to one place; the name of the stack's cluster unless given"
    )
    advise.add_argument("--cluster", metavar="NAME", help=text)
    advise.add_argument(
        "--token-file",
        metavar="FILE",
        type=Path,
        help="file with a bearer token; or the environment has PROMETHEUS_TOKEN, or PROMETHEUS_USERNAME and"
        " PROMETHEUS_PASSWORD",
    )
    advise.add_argument("--json", action="store_true", help="print one JSON document")
    advise.add_argument("--out", metavar="FILE", type=Path, help="also write the stack file with the proposals in it")


def _add_check(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    check = command("check", "validate stack files: every problem at once, with its line and what would be right")
    check.add_argument("stacks", nargs="+", metavar="STACK", help="name of a stack, such as dev")
    check.add_argument(
        "--policies", action="store_true", help="also judge the whole platform by the rules of policies/"
    )
    check.add_argument(
        "--policy-config",
        metavar="FILE",
        type=Path,
        help="levels and settings; policies/<environment>.json unless given",
    )
    check.add_argument("--format", choices=("text", "json", "sarif"), default="text", help="how findings are printed")


def _add_money(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    cost = command("cost", "estimate what a stack costs: idle, as expected, and with every limit reached")
    cost.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    beside = cost.add_mutually_exclusive_group()
    beside.add_argument("--compare", metavar="STACK_B", help="show what changes from this stack to that one")
    beside.add_argument(
        "--against", metavar="FILE", type=Path, help="show what changes from an estimate that was written before"
    )
    cost.add_argument("--json", action="store_true", help="print one JSON document")
    cost.add_argument("--svg", metavar="FILE", type=Path, help="also draw it as a bar chart")


def _add_explanations(command: Callable[[str, str], argparse.ArgumentParser]) -> None:
    explain = command(
        "explain", "show how a pool comes to hand out what it does, or what a policy rule or an alert is for"
    )
    explain.add_argument(
        "subject", metavar="STACK|RULE|ALERT", help="name of a stack with a pool, or a policy rule or alert alone"
    )
    explain.add_argument("pool", metavar="POOL", nargs="?", help="name of one of the stack's pools")

    mig = command("mig", "list the MIG profiles and layouts of a GPU model, or judge one layout")
    mig.add_argument("gpu", metavar="GPU", help="GPU model, such as h100-80gb")
    mig.add_argument("layout", metavar="LAYOUT", nargs="?", help="profiles and counts, such as 3g.40gb=1,1g.10gb=4")

    command("docs", "regenerate stacks/schema.json and the pages of docs/ that are made from the code")
