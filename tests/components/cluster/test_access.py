"""The Kubernetes provider that Access makes."""

import pytest

from gpu_blueprint.plan import UNKNOWN

from ...support.plans import SHIPPED, one, plan


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_kubernetes_provider_is_told_which_cluster_it_serves(stack: str) -> None:
    """While the kubeconfig is unknown, a constant identifier keeps everything inside from being planned for replacement."""
    inputs = one(plan(stack), "pulumi:providers:kubernetes").inputs
    assert inputs["kubeconfig"] == UNKNOWN
    assert inputs["clusterIdentifier"] == f"gpu-{stack}"
