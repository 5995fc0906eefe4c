"""The models that tenants gain and lose: their addresses, versions and replicas."""

from collections.abc import Iterator

from .model_view import ModelView, collect_models
from .tenant_view import Shift, TenantView, read_map


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
    scaled = {
        (namespace, str(read_map(scaler.inputs, "spec", "scaleTargetRef").get("name")))
        for _, namespace, scaler in before.list_owned("ScaledObject")
    }
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
        text = (
            f"model {now.name}: {begun} {take} the place of {ended} at once, and nobody answers until the first new "
            "replica is ready; bring a version in as `next`, and let the old go when the new has its share"
        )
        yield Shift(now.tenant, text, is_loss=True, is_grave=True)
        return
    if come:
        most = sum(version.most for version in come)
        yield Shift(now.tenant, f"model {now.name}: {begun} comes beside it, with up to {most} of {now.most} replicas")
    if gone:
        able = sum(version.most for version in kept)
        text = f"model {now.name}: {ended} ends, and {', '.join(version.deployment for version in kept)} stays"
        if able < was.most / 2:
            text += f" with {able} of {was.most} replicas at most until now, too few at first: raise its share before"
        yield Shift(now.tenant, text, is_loss=True)


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
        if parts:
            yield Shift(now.tenant, f"model {now.name}: another share, at most {', '.join(parts)}")


def list_model_deployments(*views: TenantView) -> set[tuple[str, str]]:
    """Return namespace and name of each Deployment that belongs to a model in one of the views."""
    return {
        (model.namespace, name) for view in views for model in collect_models(view).values() for name in model.versions
    }
