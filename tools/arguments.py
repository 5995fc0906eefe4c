"""What both commands take."""

import argparse

from gpu_blueprint.catalog import regions


def parser(command: str, does: str) -> argparse.ArgumentParser:
    """Make the parser of ``python -m tools.<command>``."""
    made = argparse.ArgumentParser(f"python -m tools.{command}", description=does)
    made.add_argument(
        "--region", action="append", required=True, choices=sorted(regions()), metavar="REGION",
        help="region to ask, such as us-west-2; may be given several times",
    )  # fmt: skip
    made.add_argument("--profile", help="profile of ~/.aws; else what the environment holds")
    made.add_argument("--check", action="store_true", help="write nothing, and exit with 1 if something would change")
    made.add_argument("--force", action="store_true", help="take over what looks like a misreading")
    return made
