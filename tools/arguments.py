"""The command-line arguments that refresh_instances and refresh_prices share."""

import argparse

from gpu_blueprint.catalog import list_regions


def make_parser(command: str, description: str) -> argparse.ArgumentParser:
    """Return the argument parser of ``python -m tools.<command>``."""
    parser = argparse.ArgumentParser(f"python -m tools.{command}", description=description)
    parser.add_argument(
        "--region",
        action="append",
        required=True,
        choices=sorted(list_regions()),
        metavar="REGION",
        help="region to read, such as us-west-2; may be given several times",
    )
    parser.add_argument("--profile", help="profile in ~/.aws (default: the credentials of the environment)")
    parser.add_argument("--check", action="store_true", help="write nothing, and exit with 1 if a file would change")
    parser.add_argument("--force", action="store_true", help="also write values that look like misreadings")
    return parser
