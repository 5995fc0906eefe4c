"""The rules about pods of tenants."""

from collections.abc import Iterator, Mapping

from ..config import StackConfig
from .admission import AdmissionPolicy, AdmissionRule, Match
from .images import list_image_rules
from .pod_subject import POD, PodSubject


def build_pod_policy(config: StackConfig) -> AdmissionPolicy:
    """Build the policy that judges each pod of a tenant when it is made, and when its spec changes."""
    return AdmissionPolicy(
        name="gpu-blueprint-pods",
        matches=(
            Match(group="", resources=("pods",)),
            Match(group="", resources=("pods/ephemeralcontainers",), operations=("UPDATE",)),
        ),
        # Controllers label and finalize pods of before the rules, and must not be refused for the spec.
        conditions={"spec-changes": "request.operation == 'CREATE' || object.spec != oldObject.spec"},
        variables=list_pod_variables(config, POD),
        rules=tuple(list_pod_rules(config, POD)),
    )


def list_pod_variables(config: StackConfig, subject: PodSubject) -> Mapping[str, str]:  # noqa: ARG001
    """Return the variables that the rules about pods share: name → CEL.

    ``spec`` and ``metadata`` are the pod's; ``boxes`` are its containers and init containers.
    """
    return {
        "spec": subject.spec,
        "metadata": subject.metadata,
        "boxes": "variables.spec.containers + variables.spec.?initContainers.orValue([])",
    }


def list_pod_rules(config: StackConfig, subject: PodSubject) -> Iterator[AdmissionRule]:
    """Yield the rules about a pod or a template of pods, in the order in which they are judged."""
    yield _refuse_node_names(subject)
    yield from list_image_rules(config, subject)


def _refuse_node_names(subject: PodSubject) -> AdmissionRule:
    running = "" if subject.is_template else "request.operation != 'CREATE' || "  # a pod that runs has a nodeName
    return AdmissionRule(
        id="no-node-name",
        keeps="A tenant cannot put a pod onto a node past the scheduler and every taint.",
        expression=f"{running}variables.spec.?nodeName.orValue('') == ''",
        message="spec.nodeName passes by the scheduler and every taint: remove it; "
        "nodeSelector gpu-blueprint/pool chooses a pool",
    )
