"""The arguments of the commands that move a stack file to newer versions: `migrate` and `upgrade`."""

import argparse
from collections.abc import Callable

_STACK = "name of a stack, such as dev"


def add_versions(
    command: Callable[..., argparse.ArgumentParser], add_json: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the commands; ``command`` takes the name of a command, its help, and its examples."""
    migrate = command(
        "migrate",
        "rewrite a stack file of an older schema, with its comments and its order; show the changed lines",
        "blueprint migrate prod",
        "blueprint migrate prod --write",
    )
    upgrade = command(
        "upgrade",
        "list the newer versions that a stack can take, one upgrade after the other, with their effects",
        "blueprint upgrade prod",
        "blueprint upgrade prod --karpenter 1.15.0",
        "blueprint upgrade prod --write",
    )
    upgrade.add_argument(
        "--kubernetes", metavar="MINOR", help="only Kubernetes, up to this minor version, such as 1.36"
    )
    upgrade.add_argument("--karpenter", metavar="RELEASE", help="only Karpenter, to this release, such as 1.15.0")
    upgrade.add_argument(
        "--ami",
        metavar="AMI",
        help="only the AMIs of pools that pin a release of this family, such as v20260923 or v1.67.0",
    )
    for parser in (migrate, upgrade):
        parser.add_argument("stack", metavar="STACK", help=_STACK)
        parser.add_argument("--write", action="store_true", help="also write the stack file (default: only show)")
        add_json(parser)
