"""Rule for companies that encrypt only with their own KMS keys, and never with keys that AWS manages."""

from .effects.own_keys import DATA, KINDS, list_foreign_data
from .resources import Resource, Stack
from .rule import Report, Rule, Settings
from .values import UnreadableError


def _refuse_foreign_keys(resource: Resource, report: Report, settings: Settings, stack: Stack) -> None:
    for data in settings["required"]:
        if data not in DATA:
            raise UnreadableError(data, f"one of {', '.join(DATA)}", "required")
        for found in list_foreign_data(resource, stack, data):
            report(f"a key of AWS, or none, encrypts {found}")


RULES = (
    Rule(
        id="own-keys",
        kinds=KINDS,
        check=_refuse_foreign_keys,
        settings={"required": []},
        looks_at=f"KMS keys of everything that encrypts data at rest: {', '.join(DATA)}",
        passes="the data of the kinds in `required` is encrypted with KMS keys that the company names; by default "
        "`required` is empty, and everything passes",
        fails="no key is named, or an alias of a key that AWS manages, or the data is not encrypted",
        why="the company cannot disable AWS's keys, decide who uses them, or see their use in CloudTrail",
        fix="name a KMS key: in a stack file, encryption.keyArn",
    ),
)
