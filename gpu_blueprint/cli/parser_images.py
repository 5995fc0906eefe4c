"""The arguments of the command `images`."""

import argparse
from collections.abc import Callable
from pathlib import Path


def add_images(
    command: Callable[..., argparse.ArgumentParser], add_json: Callable[[argparse.ArgumentParser], None]
) -> None:
    """Add the command; ``command`` takes the name of a command, its help, and its examples."""
    images = command(
        "images",
        "list every image and chart that the stack pulls, or what its mirror must hold",
        "blueprint images prod",
        "blueprint images prod --json",
    )
    images.add_argument("stack", metavar="STACK", help="name of a stack, such as dev")
    mirror = images.add_mutually_exclusive_group()
    mirror.add_argument(
        "--script", action="store_true", help="print a shell script that copies all of it into images.mirror"
    )
    mirror.add_argument(
        "--missing-from",
        metavar="FILE",
        type=Path,
        help="print what the mirror lacks, and end with 1 if it lacks something; FILE lists the references that the"
        " mirror holds, one on each line",
    )
    add_json(images)
