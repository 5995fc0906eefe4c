"""Answer whether programs of others may judge pods at their admission: webhooks, Kyverno, Gatekeeper and the like.

Nobody reads their policies here, which may come from elsewhere; a program that installs them has decided for admission.
"""

from collections.abc import Mapping
from typing import Any

from ..resources import Resource, Stack
from ..values import read_texts
from .charts import CHART_KINDS, is_chart
from .kubernetes_rights import matches_any

_CHARTS = ("kyverno", "gatekeeper", "kubewarden-controller", "policy-controller")
_OBJECTS = ("kubernetes:kyverno.io/", "kubernetes:policies.kyverno.io/", "kubernetes:constraints.gatekeeper.sh/")
"""Beginnings of the types of policies."""


def has_engine(stack: Stack) -> bool:
    """Tell whether the program installs an engine of policies, a policy for it, or a webhook that judges pods."""
    return (
        any(is_chart(release, name) for release in stack.select(*CHART_KINDS) for name in _CHARTS)
        or any(found.type.startswith(_OBJECTS) for found in stack.resources)
        or any(map(_judges_pods, stack.select("ValidatingWebhookConfiguration")))
    )


def _judges_pods(configuration: Resource) -> bool:
    hooks = configuration.list_blocks("webhooks")
    return any(_matches(rule) for hook in hooks for rule in hook.get("rules") or ())


def _matches(rule: Mapping[str, Any]) -> bool:
    wanted = {"apiGroups": "", "resources": "pods", "operations": "CREATE"}
    return all(matches_any([value], read_texts(rule.get(field), field)) for field, value in wanted.items())
