"""The models that tenants gain and lose: their addresses, versions and replicas."""

from collections.abc import Iterator, Sequence

from ...plan import PlannedResource
from ..tenant_view import Shift, TenantView
from .view import ModelView, collect_models, read_target

_TOO_FEW = "too few: take a smaller step of `share`"


def compare_models(before: TenantView, after: TenantView) -> Iterator[Shift]:
    """Yield the models that a tenant gains and loses, and the versions and replicas of those that stay."""
    old, new = collect_models(before), collect_models(after)
    for key in dict.fromkeys([*old, *new]):
        was, now = old.get(key), new.get(key)
        if was and now:
            yield from _compare_versions(was, now)
            yield from _compare_replicas(was, now)
        elif now:
            yield Shift(now.tenant, f"model {now.name} answers at {now.address}{_tell_predecessor(before, now)}")
        elif was and was.tenant in after.tenants:
            text = f"model {was.name} ends: {was.address} answers nobody, and its callers get errors"
            yield Shift(was.tenant, text, is_loss=True, is_grave=True)


def _tell_predecessor(before: TenantView, now: ModelView) -> str:
    """Return the step by hand for a model in place of a service, whose Deployment the team has made itself."""
    scaled = {(namespace, read_target(scaler)) for _, namespace, scaler in before.list_owned("ScaledObject")}
    taken = [name for name in now.versions if (now.namespace, name) in scaled]
    if not taken:
        return ""
    return f"; the team deletes its own Deployment {taken[0]} first, since two cannot have one name"


def _compare_versions(was: ModelView, now: ModelView) -> Iterator[Shift]:
    gone = [version for name, version in was.versions.items() if name not in now.versions]
    come = [version for name, version in now.versions.items() if name not in was.versions]
    kept = [was.versions[name] for name in now.versions if name in was.versions]
    ended, begun = (", ".join(version.deployment for version in versions) for versions in (gone, come))
    if gone and not kept:
        take = "takes" if len(come) == 1 else "take"
        remedy = "bring a version in as `next`, and let the old go when the new has its share"
        if now.name in was.versions:
            remedy = f"leave `version` of the present model out, since `next` comes beside {now.name} without it"
        text = (
            f"model {now.name}: {begun} {take} the place of {ended} at once, and nobody answers until the first new "
            f"replica is ready; {remedy}"
        )
        yield Shift(now.tenant, text, is_loss=True, is_grave=True)
        return
    able, is_few = _count_at_first(was, now)
    stays = ", ".join(version.deployment for version in kept)
    if come:
        least, most = (sum(getattr(version, end) for version in come) for end in ("least", "most"))
        quiet = f"{least} of {now.least} requests at minReplicas, " if now.least else ""
        part = f"{quiet}{most} of {now.most} requests at maxReplicas"
        text = f"model {now.name}: {begun} comes beside {stays}, and gets {part}"
        if is_few and not gone:
            text += f"; at full load {able} of {was.most} replicas are left at first, {_TOO_FEW}"
        yield Shift(now.tenant, text, is_loss=is_few, is_grave=is_few)
    if gone and is_few:
        text = f"model {now.name}: {ended} ends, and {stays} stays with {able} of {was.most} replicas at most until now"
        yield Shift(now.tenant, f"{text}, too few at first: raise its share before", is_loss=True, is_grave=True)


def _count_at_first(was: ModelView, now: ModelView) -> tuple[int, bool]:
    """Return the replicas that can run on at full load, and whether they are less than half of those that should.

    The autoscaler takes a version that is above its new maximum down at once. A version below its maximum starts
    replicas only when its own load has grown, and they need minutes.
    """
    pairs = [(was.versions[name].most, version.most) for name, version in now.versions.items() if name in was.versions]
    able = sum(map(min, pairs))
    return able, able < min(was.most, now.most) / 2


def find_planned_ends(before: Sequence[PlannedResource], after: Sequence[PlannedResource]) -> Iterator[str]:
    """Yield a sentence for each version that ends as planned: the versions that stay have replicas enough."""
    old, new = collect_models(TenantView.of(before)), collect_models(TenantView.of(after))
    for key, now in new.items():
        if (was := old.get(key)) is None:
            continue
        kept, gone = ([name for name in was.versions if (name in now.versions) is stays] for stays in (True, False))
        able, is_few = _count_at_first(was, now)
        if kept and gone and not is_few:
            grows = f", with {able} of {now.most} replicas at most until it grows" if able < now.most else ""
            ends = f"model {now.name}: {', '.join(gone)} ends as planned"
            yield f"{ends}, and {', '.join(kept)} answers all requests{grows}"


def list_ended_versions(before: TenantView, after: TenantView) -> set[tuple[str, str]]:
    """Return namespace and name of each Deployment that ends while another version of its model stays."""
    old, new = collect_models(before), collect_models(after)
    return {
        (was.namespace, name)
        for key, was in old.items()
        for name in was.versions
        if key in new and name not in new[key].versions and was.versions.keys() & new[key].versions.keys()
    }


def _compare_replicas(was: ModelView, now: ModelView) -> Iterator[Shift]:
    if (was.least, was.most) != (now.least, now.most):
        text = f"model {now.name} runs {now.least} to {now.most} replicas instead of {was.least} to {was.most}"
        yield Shift(now.tenant, text, is_loss=now.most < was.most or now.least < was.least)
    elif was.versions.keys() == now.versions.keys():
        parts = [
            f"{version.most} of {name} instead of {was.versions[name].most}"
            for name, version in now.versions.items()
            if version.most != was.versions[name].most
        ]
        able, is_few = _count_at_first(was, now)
        if parts:
            cut, grown = (
                ", ".join(
                    name
                    for name, version in now.versions.items()
                    if sign * (version.most - was.versions[name].most) > 0
                )
                for sign in (-1, 1)
            )
            few = f", {_TOO_FEW}" if is_few else ""
            text = (
                f"model {now.name} has {able} of {was.most} replicas at full load until {grown} has grown{few}; {cut} "
                f"shrinks at once to its new share: at most {', '.join(parts)}"
            )
            yield Shift(now.tenant, text, is_loss=True, is_grave=is_few)


def list_model_deployments(*views: TenantView) -> set[tuple[str, str]]:
    """Return namespace and name of each Deployment that belongs to a model in one of the views."""
    return {
        (model.namespace, name) for view in views for model in collect_models(view).values() for name in model.versions
    }
