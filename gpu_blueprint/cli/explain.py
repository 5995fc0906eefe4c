"""``explain``: explain a policy rule, an admission rule, an alert, a kind of problem, or a stack and its parts."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from policies import RULES

from ..config import StackConfig
from ..docs import (
    describe_admission_rule,
    describe_alert,
    describe_rule,
    list_all_admission_rules,
    show_example,
    show_line,
)
from ..docs.problems import ProblemKind, list_problem_kinds
from ..errors import UsageError, suggest
from ..loading import list_stacks, open_stack
from ..monitoring import ALERTS
from ..plan import record
from ..rendering.model_manifests import write_model_manifests
from ..storage.mounts import list_tenant_mounts
from ..summary import (
    explain_cpu_pool,
    explain_model,
    explain_pool,
    explain_service,
    explain_stack,
    explain_storage,
    explain_tenant,
)
from ..summary.first_pod import build_first_cpu_pod, list_advice
from ..summary.jobs import build_first_job, build_first_work, list_queued_pools
from ..summary.key_chain import KEYS, explain_keys
from ..summary.storage_chain import KINDS
from ..summary.storage_pod import build_storage_pod
from ..yaml_text import write_yaml
from .text.explain import Topic, show
from .text.tables import show_progress

_MODEL = "model on"
_RULE_HINT = "docs/policies.md shows how to change the level of a rule, or to waive it for one resource."


def run(arguments: argparse.Namespace) -> int:
    """Print every meaning of the name, or of the part of a stack; with a flag, manifests alone."""
    if arguments.manifest:
        print(_write_model(arguments.name, arguments.part), end="")
        return 0
    if build := _build_pods if arguments.pod else _build_jobs if arguments.job else None:
        print(_write_manifests(arguments.name, arguments.part, build), end="")
        return 0
    topics = _find_parts(arguments.name, arguments.part) if arguments.part is not None else _find_topics(arguments.name)
    show(topics)
    return 0


def _write_manifests(
    stack: str, part: str | None, build: Callable[[StackConfig, str, str | None], list[dict[str, Any]]]
) -> str:
    """Write pods or Jobs as YAML, below a comment for each of their images that the stack does not allow."""
    _refuse_unknown_stack(stack)
    config = open_stack(stack, bounded=False).config
    text = "---\n".join(map(write_yaml, build(config, stack, part)))
    return "".join(f"# {line}\n" for image, line in list_advice(config) if image in text) + text


def _write_model(stack: str, name: str | None) -> str:
    """Write all objects of a model, or of all models of a stack, as YAML."""
    _refuse_unknown_stack(stack)
    opened = open_stack(stack, bounded=False)
    chosen = _list_model_names(opened.config, name)
    models = [model for model in opened.config.models if name is None or model.name in chosen]
    names = [model.name for model in opened.config.models]
    if not names:
        raise UsageError(f"--manifest: {stack} has no models; docs/models.md shows how to write one")
    if not models:
        raise UsageError(f"--manifest: {stack} has no model {name!r}; {suggest(str(name), names, 'it has')}")
    with show_progress(f"rendering {opened.source.file} …"):
        plan = record(opened.name, opened.source.config)
    return "---\n".join(write_model_manifests(opened.config, plan, model) for model in models)


def _build_pods(config: StackConfig, stack: str, part: str | None) -> list[dict[str, Any]]:
    """Return a first pod for each pool of a name, or of the stack, and a pod with the storage of a tenant of the name.

    A queued pool takes its pod as a Job.
    """
    teams = {team.name: team for team in config.tenants if list_tenant_mounts(config, team)}
    names = [*(row.name for row in config.all_pools), *teams]
    if part is not None and part not in names:
        if part in (team.name for team in config.tenants):
            raise UsageError(
                f"--pod: the tenant {part!r} of {stack} mounts no storage; {suggest(part, names, 'give one of')}"
            )
        if part in (storage.name for storage in config.storage):
            team = next(
                name
                for name, row in teams.items()
                if any(each.claim == part for each in list_tenant_mounts(config, row))
            )
            hint = f"`blueprint explain {stack} {team} --pod` prints a pod that mounts it"
            raise UsageError(f"--pod: {part} is a storage; {hint}")
        raise UsageError(
            f"--pod: {stack} has no pool and no tenant with storage {part!r}; {suggest(part, names, 'it has')}"
        )
    pods = [build_first_work(config, row) for row in config.gpu_pools if part in (None, row.name)]
    pods += [build_first_cpu_pod(config, row) for row in config.cpu_pools if part in (None, row.name)]
    return [*pods, build_storage_pod(config, teams[part])] if part in teams else pods


def _build_jobs(config: StackConfig, stack: str, tenant: str | None) -> list[dict[str, Any]]:
    """Return a first Job for each queued pool of one tenant or of every tenant of a stack."""
    teams = {team.name: team for team in config.tenants if list_queued_pools(config, team)}
    if not teams:
        raise UsageError(f"--job: no tenant of {stack} has a queue; docs/queues.md shows how to switch queues on")
    if tenant is not None and tenant not in teams:
        raise UsageError(f"--job: {stack} has no tenant {tenant!r} with a queue; {suggest(tenant, teams, 'it has')}")
    chosen = [team for name, team in teams.items() if tenant in (None, name)]
    return [build_first_job(config, team, pool) for team in chosen for pool in list_queued_pools(config, team)]


def _find_topics(name: str) -> list[Topic]:
    """Return the rules, the alert, the kind of problem and the stack of this name, as far as they exist."""
    topics = [
        Topic(rule.id, "policy rule", lines=(*describe_rule(rule), _RULE_HINT)) for rule in RULES if rule.id == name
    ]
    admission = list_all_admission_rules()
    topics += [
        Topic(rule.id, "admission rule", lines=tuple(describe_admission_rule(rule)))
        for rule in admission
        if rule.id == name
    ]
    topics += [Topic(alert.name, "alert", lines=tuple(describe_alert(alert))) for alert in ALERTS if alert.name == name]
    kinds = list_problem_kinds()
    topics += [
        Topic(kind.kind, "kind of problem", lines=tuple(_describe_kind(kind))) for kind in kinds if kind.kind == name
    ]
    if name in list_stacks():
        config = open_stack(name, bounded=False).config
        topics += [Topic(name, "stack", steps=tuple(explain_stack(config))), *_explain_parts(config, name)]
    if not topics:
        names = [*(rule.id for rule in RULES), *(rule.id for rule in admission)]
        names += [*(alert.name for alert in ALERTS), *(kind.kind for kind in kinds)]
        raise UsageError(_refuse_name(name, [*names, *list_stacks()]))
    return topics


def _refuse_name(name: str, known: Sequence[str]) -> str:
    by_lowercase = {topic.lower(): topic for topic in known}
    close = [by_lowercase[match] for match in get_close_matches(name.lower(), by_lowercase, n=3, cutoff=0.6)]
    pages = "docs/policies.md, docs/tenancy.md, docs/alerts.md and docs/problems.md list the names"
    hint = f"did you mean {' or '.join(close)}?" if close else f"{pages}; stacks: {', '.join(list_stacks())}"
    return f"there is no policy rule, admission rule, alert, kind of problem or stack {name!r}; {hint}"


def _describe_kind(kind: ProblemKind) -> Iterator[str]:
    """Yield the entry of docs/problems.md: meaning, example, the line that check prints, and remedy."""
    yield f"{kind.meaning} ({kind.severity})"
    if kind.needs:
        yield f"No stack file has this problem by itself; it takes {kind.needs}."
    else:
        yield from ("", "Example, from a stack file:", "", *(f"    {line}" for line in show_example(kind).splitlines()))
        yield from ("", "check prints:", "", f"    {show_line(kind)}", "")
    yield f"Remedy: {kind.remedy}"


def _find_parts(stack: str, name: str) -> list[Topic]:
    """Return the pool, tenant, service, model and storage of this name, or the keys, as far as the stack has them."""
    _refuse_unknown_stack(stack)
    config = open_stack(stack, bounded=False).config
    topics = list(_explain_parts(config, stack))
    if name == KEYS:
        topics.append(Topic(KEYS, "KMS keys of the company", steps=tuple(explain_keys(config))))
    matching = [topic for topic in topics if topic.name == name]
    if not matching:
        names = _list_model_names(config, name)
        matching = [topic for topic in topics if topic.name in names and topic.noun.startswith(_MODEL)]
    if not matching:
        for noun, names in (
            ("a policy rule", {rule.id for rule in RULES}),
            ("an admission rule", {rule.id for rule in list_all_admission_rules()}),
            ("an alert", {alert.name for alert in ALERTS}),
            ("a kind of problem", {kind.kind for kind in list_problem_kinds()}),
        ):
            if name in names:
                raise UsageError(f"{name} is {noun}: blueprint explain {name}")
        parts = dict.fromkeys(topic.name for topic in topics)
        raise UsageError(
            f"{stack} has no pool, tenant, service, model or storage {name!r}; {suggest(name, parts, 'it has')}"
        )
    return matching


def _list_model_names(config: StackConfig, name: str | None) -> set[str]:
    """Return the names of the models of this name, or with a version whose Deployment has it, such as chat-2."""
    return {
        model.name
        for model in config.models
        if name in (model.name, *(version.deployment for version in model.list_versions()))
    }


def _refuse_unknown_stack(name: str) -> None:
    if name not in list_stacks():
        raise UsageError(f"there is no stack {name!r}; {suggest(name, list_stacks(), 'there are')}")


def _explain_parts(config: StackConfig, stack: str) -> Iterator[Topic]:
    """Yield all parts of a stack, whose steps are worked out as they are printed."""
    for pool in config.gpu_pools:
        yield Topic(pool.name, f"pool for {pool.purpose}", steps=explain_pool(config, pool))
    for cpu_pool in config.cpu_pools:
        yield Topic(cpu_pool.name, "pool for pods without GPU", steps=explain_cpu_pool(config, cpu_pool))
    for tenant in config.tenants:
        yield Topic(tenant.name, "tenant", steps=explain_tenant(config, tenant))
    for service in config.services:
        yield Topic(service.name, "service", steps=explain_service(config, service))
    for model in config.models:
        yield Topic(model.name, f"{_MODEL} {model.server_name}", steps=explain_model(config, model, stack))
    for storage in config.storage:
        yield Topic(storage.name, KINDS[storage.kind], steps=explain_storage(config, storage))
