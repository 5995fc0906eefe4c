"""The Kubernetes provider that Access makes."""

import pytest

from gpu_blueprint.plan import UNKNOWN

from ...support.plans import SHIPPED, find_resource, plan


@pytest.mark.parametrize("stack", SHIPPED)
def test_the_kubernetes_provider_has_a_constant_cluster_identifier(stack: str) -> None:
    """Without the identifier, an unknown kubeconfig would make Pulumi plan to replace every object of the cluster."""
    inputs = find_resource(plan(stack), "pulumi:providers:kubernetes").inputs
    assert inputs["kubeconfig"] == UNKNOWN
    assert inputs["clusterIdentifier"] == f"gpu-{stack}"


@pytest.mark.parametrize("stack", SHIPPED)
def test_config_maps_and_secrets_change_in_place(stack: str) -> None:
    """Otherwise the provider replaces them, and nothing may replace the protected record."""
    inputs = find_resource(plan(stack), "pulumi:providers:kubernetes").inputs
    assert (inputs["enableConfigMapMutable"], inputs["enableSecretMutable"]) == ("true", "true")
