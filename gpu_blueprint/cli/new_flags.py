"""The flags of ``new``."""

import argparse
from collections.abc import Callable


def add_new(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the command."""
    new = command(
        "new",
        "make the stack file of a new environment, from flags or from an existing stack; placeholders stand for what"
        " is not given",
        "blueprint new notebooks --gpu l4 --sharing time-slicing --budget 2000",
        "blueprint new slices --gpu h100-80gb --sharing mig=1g.10gb --max-gpus 8",
        "blueprint new train --gpu h100-80gb --purpose training",
        "blueprint new staging --from prod",
    )
    new.add_argument("environment", metavar="ENV", help="name of the new environment, such as staging")
    source = new.add_mutually_exclusive_group(required=True)
    source.add_argument("--from", dest="origin", metavar="STACK", help="stack to copy")
    source.add_argument("--gpu", metavar="MODEL", action="append", help="GPU model of the first pool, such as l4")
    texts = {
        "--sharing MODE": "none, time-slicing[=PODS], mps[=PODS] or mig[=PROFILE] (default: none, whole GPUs)",
        "--purpose PURPOSE": "inference, training, notebook or batch (default: inference)",
        "--purchase WAYS": "ways to buy in their order, such as spot,on-demand (default: on-demand)",
        "--budget DOLLARS": "US dollars a month; without --max-gpus, the pool gets as many GPUs as this pays for",
        "--max-gpus N": "GPUs of the pool (default: as --budget pays, else one node: for training the largest type)",
        "--expected-hours H": "hours a month in which all GPUs of --max-gpus run (default: all 730)",
        "--account ID": "AWS account",
        "--region REGION": "AWS region (default: us-east-1)",
        "--zones ZONES": "zones, such as us-east-1a,us-east-1b (default: the first three)",
        "--cidr BLOCK": "addresses of the VPC (default: the next /16 that no stack here uses)",
        "--tenant NAME": "first team that gets the pool (default: team-a)",
        "--owner TEAM": "team that answers for the platform, and pays",
    }
    for flag, text in texts.items():
        new.add_argument(flag.split()[0], metavar=flag.split()[1], help=text)
    new.add_argument(
        "--allow", dest="allowed", metavar="BLOCK", action="append", help="public addresses that reach the API"
    )
    new.add_argument(
        "--admin", dest="admins", metavar="ARN", action="append", help="IAM role that administers the cluster"
    )
    new.add_argument(
        "--member", dest="members", metavar="ARN", action="append", help="IAM role that works as the tenant"
    )
