"""Rebuild instances.csv from what EC2 tells of the types in it, and report NVIDIA types that it lacks.

    python -m tools.refresh_instances --region us-east-1 --region eu-west-1 [--profile P] [--check]

IAM actions: ec2:DescribeInstanceTypes, ec2:DescribeInstanceTypeOfferings. The columns gpu, arch and efa_hugepages_mib,
and the gpu_count of fractional types, stay as somebody wrote them.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from gpu_blueprint.errors import BlueprintError, RefreshError

from .arguments import parser
from .aws import connection
from .catalogue_file import CATALOG, CatalogueFile, Row, read
from .instance_facts import Told, candidate, hardware, is_nvidia, told
from .publish import Rebuilt, doubts, publish


def main(argv: Sequence[str] | None = None, catalog: Path = CATALOG, now: datetime | None = None) -> int:
    """Run the command; 0 fine, 1 failed, refused or (``--check``) outdated, 2 called in a way that cannot work."""
    arguments = parser("refresh_instances", "rebuild instances.csv").parse_args(argv)
    regions = tuple(dict.fromkeys(arguments.region))
    try:
        file = read(catalog / "instances.csv")
        answers = told(connection(arguments.profile), regions)
        code = publish([rebuild(file, answers, now or datetime.now(UTC))], check=arguments.check, force=arguments.force)
    except BlueprintError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    for row in lacking(file, answers):
        print("lacks, to be reviewed by hand:", ",".join(row[column] for column in file.columns))
    return code


def rebuild(file: CatalogueFile, answers: Told, now: datetime) -> Rebuilt:
    """Take over what EC2 tells; a type that none of the asked regions describes keeps its row."""
    _doubt_emptiness(answers)
    rows = tuple(_updated(row, answers) for row in file.rows)
    old, new = _facts(file.rows), _facts(rows)
    changed = file.with_rows(rows)
    if old != new:
        changed = changed.noting("Last refreshed", f"{now.date()} from EC2 in {', '.join(answers.offered)}")
    silent = [row["instance_type"] for row in file.rows if row["instance_type"] not in answers.described]
    return Rebuilt(
        file=changed,
        old=old,
        new=new,
        unknown={name: f"EC2 describes it in none of {', '.join(answers.offered)}; its row stays" for name in silent},
        doubts=tuple(_doubts(file.rows, rows, answers.offered)),
    )


def lacking(file: CatalogueFile, answers: Told) -> Iterator[Row]:
    """Yield a row to review for each NVIDIA type that EC2 offers and the catalogue does not have."""
    known = {row["instance_type"] for row in file.rows}
    for name, answer in sorted(answers.described.items()):
        if name not in known and is_nvidia(answer):
            regions = frozenset(region for region, offered in answers.offered.items() if name in offered)
            yield candidate(answer, answers.usage_classes[name], regions)


def _updated(row: Row, answers: Told) -> Row:
    name = row["instance_type"]
    regions = {region for region in row["regions"].split() if region not in answers.offered}
    regions |= {region for region, offered in answers.offered.items() if name in offered}
    cells = {**row, "regions": " ".join(sorted(regions))}
    if name not in answers.described:
        return cells
    classes = set(answers.usage_classes[name])
    if not regions <= set(answers.offered):
        classes |= set(row["usage_classes"].split())  # another region may sell it in a way that the asked ones do not
    fractional = row["gpu_count"] == "0" and row["gpu_devices"] != "0"
    return {**cells, **hardware(answers.described[name], fractional), "usage_classes": " ".join(sorted(classes))}


def _facts(rows: Iterable[Row]) -> dict[str, str]:
    """Every cell under a name that says where it stands."""
    return {f"{row['instance_type']} {column}": cell for row in rows for column, cell in row.items()}


def _doubts(before: Iterable[Row], after: Iterable[Row], regions: Iterable[str]) -> Iterator[str]:
    yield from doubts(_facts(before), _facts(after), "instances.csv")
    for region in regions:
        yield from doubts(_offered(before, region), _offered(after, region), f"types offered in {region}")


def _offered(rows: Iterable[Row], region: str) -> Mapping[str, str]:
    return {row["instance_type"]: region for row in rows if region in row["regions"].split()}


def _doubt_emptiness(answers: Told) -> None:
    for region, offered in answers.offered.items():
        if not offered:
            raise RefreshError(
                f"ec2:DescribeInstanceTypeOfferings: {region} offers nothing: is it a region that the account may use?"
            )


if __name__ == "__main__":
    sys.exit(main())
