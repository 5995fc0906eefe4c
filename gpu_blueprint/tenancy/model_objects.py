"""The rules about the objects of a model in its tenant's namespace: members restart it, and neither change nor end it.

Pulumi compares a program with its own state: what a member deletes, `pulumi up` brings back with `--refresh` alone.
"""

from collections.abc import Iterator

from ..config import StackConfig
from ..config.models import MANAGER, MANAGER_LABEL, ServedModel, TritonModel
from .admission import AdmissionPolicy, AdmissionRule, Match
from .cel import write_literal
from .users import write_is_trusted

_KEPT = ("services", "configmaps", "serviceaccounts")
_MESSAGE = (
    "a model of the platform team needs this object: restart the model with kubectl rollout restart, and ask for other "
    "changes in the stack file (models)"
)
_RESTARTS = (
    "object.spec.template.spec == oldObject.spec.template.spec",
    "object.spec.template.metadata.?labels == oldObject.spec.template.metadata.?labels",
    "object.metadata.?labels == oldObject.metadata.?labels",
    *(f"object.spec.?{field} == oldObject.spec.?{field}" for field in ("replicas", "paused", "strategy")),
)
"""CEL that is true together if an update of a Deployment starts the same pods anew."""


def build_model_policies(config: StackConfig) -> list[AdmissionPolicy]:
    """Build the policies that guard the objects of models; none in a stack without models."""
    if not config.models:
        return []
    conditions = {"not-the-platform": f"!{write_is_trusted(config)}"}
    # A request that deletes a collection names no object. A team's own object may still have the name of its new model.
    is_ours = (
        f"request.namespace + '/' + request.resource.resource + '/' + oldObject.metadata.name in "
        f"{write_literal(sorted(_list_objects(config)))}"
        f" && oldObject.metadata.?labels[?'{MANAGER_LABEL}'].orValue('') == '{MANAGER}'"
    )
    objects = AdmissionPolicy(
        name="gpu-blueprint-model-objects",
        matches=(
            Match(group="", resources=_KEPT, operations=("UPDATE", "DELETE")),
            Match(group="policy", resources=("poddisruptionbudgets",), operations=("UPDATE", "DELETE")),
            Match(group="apps", resources=("deployments",), operations=("DELETE",)),
        ),
        conditions=conditions,
        rules=(
            AdmissionRule(
                id="model-objects",
                keeps="A tenant cannot delete a model, nor change or delete what a model needs.",
                expression=f"!({is_ours})",
                message=_MESSAGE,
            ),
        ),
        always_denies=True,
    )
    deployments = AdmissionPolicy(
        name="gpu-blueprint-model-deployments",
        matches=(Match(group="apps", resources=("deployments",), operations=("UPDATE",)),),
        conditions=conditions,
        rules=(
            AdmissionRule(
                id="model-deployments",
                keeps="A tenant cannot change the Deployment of a model; it may restart it.",
                expression=f"!({is_ours}) || ({' && '.join(_RESTARTS)})",
                message=_MESSAGE,
            ),
        ),
        always_denies=True,
    )
    return [objects, deployments]


def _list_objects(config: StackConfig) -> Iterator[str]:
    """Yield namespace, kind and name of each object of a model, as admission policies compare them."""
    for model in config.models:
        space = config.find_namespace(model)
        shared = {"services": model.name, "poddisruptionbudgets": model.name, "serviceaccounts": model.account}
        yield from (f"{space}/{kind}/{name}" for kind, name in shared.items())
        for version in model.list_versions():
            yield from (f"{space}/{kind}/{name}" for kind, name in _list_of_version(version).items())


def _list_of_version(model: ServedModel) -> dict[str, str]:
    settings = {"configmaps": f"{model.deployment}-settings"} if isinstance(model, TritonModel) else {}
    return {"deployments": model.deployment, **settings}
