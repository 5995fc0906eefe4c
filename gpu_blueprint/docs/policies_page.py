"""One section per policy rule; ``explain RULE`` prints the same."""

from collections.abc import Iterator
from itertools import groupby

from policies import RULES, Rule

from ..judging.verdicts import FOLDER, read_levels

_HEAD = """# Policies

The same rules run in `pulumi preview --policy-pack policies --policy-pack-config policies/prod.json`, in `make preview` and in
`blueprint check STACK --policies`, with the same ids and words. The pack stands alone: it judges any Pulumi
program that makes EKS clusters and Karpenter pools. Levels by environment stand in `policies/<environment>.json`, an
environment without a file takes `policies/prod.json`; settings of a rule go beside its level:

    "disk-large-enough": {"enforcementLevel": "mandatory", "minimumGib": 200}

What cannot be judged before a deployment is reported as undecided. One rule may be waived for one resource, in the stack
file, with a reason, an owner and an end; ended waivers fail.

    waivers:
      - {rule: spot-diverse, resource: infer-l4-node-pool, reason: only one type is offered here, owner: ml-platform, until: 2027-03-31}

Generated from the rules: `make docs`.
"""


def policies_page() -> str:
    """The page as Markdown."""
    lines = [_HEAD, "| rule | dev | research | prod |", "|---|---|---|---|"]
    levels = {name: read_levels(FOLDER / f"{name}.json") for name in ("dev", "research", "prod")}
    for rule in RULES:
        lines.append(f"| [{rule.id}](#{rule.id}) | {' | '.join(_level(rule, given) for given in levels.values())} |")
    for subject, rules in groupby(RULES, key=lambda rule: rule.subject):
        lines += ["", f"## {subject.replace('_', ' ').capitalize()}"]
        for rule in rules:
            lines += ["", f"### {rule.id}", "", *described(rule)]
    return "\n".join(lines) + "\n"


def described(rule: Rule) -> Iterator[str]:
    """What people want to know about a rule."""
    yield f"Looks at {rule.looks_at}.  "
    yield f"PASS if {rule.passes}.  "
    yield f"FAIL if {rule.fails}.  "
    yield f"Why: {rule.why}.  "
    yield f"Fix: {rule.fix}.  "
    if rule.settings:
        yield f"Settings: {', '.join(f'`{name}` = `{value}`' for name, value in rule.settings.items())}."


def _level(rule: Rule, given: dict[str, object]) -> str:
    value = given.get(rule.id, given.get("all", "mandatory"))
    return str(value.get("enforcementLevel", given.get("all", "mandatory")) if isinstance(value, dict) else value)
