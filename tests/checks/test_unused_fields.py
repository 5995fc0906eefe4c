"""Helm values of charts that the stack does not install are refused."""

from typing import Any

import pytest

from ..support import builders

VALUES = {"replicas": 2}


@pytest.mark.parametrize(
    ("chart", "fields", "words"),
    [
        ("keda", {}, "neither services nor autoscaling"),
        ("keda", {**builders.monitoring(), "autoscaling": True}, None),
        ("keda", builders.services(), None),
        ("kubePrometheusStack", {}, "installs no Prometheus"),
        ("kubePrometheusStack", {"monitoring": {"mode": "existing"}}, "installs no Prometheus"),
        ("kubePrometheusStack", builders.monitoring(), None),
        ("gpuOperator", {}, None),
        ("gpuOperator", {"pools": [builders.pool(ami={"family": "bottlerocket"})]}, "every pool runs Bottlerocket"),
        ("karpenter", {}, None),
    ],
)
def test_values_of_a_chart_that_is_not_installed_are_refused(
    chart: str, fields: dict[str, Any], words: str | None
) -> None:
    found = builders.problems(**fields, helmOverrides={chart: VALUES})
    assert len(found) == bool(words)
    for line in found:
        assert line.startswith(f"helmOverrides.{chart}: ") and str(words) in line
    assert builders.problems(**fields, helmOverrides={chart: {}}) == []
