"""NVIDIA's GPU Operator on AL2023 nodes: device plugin, feature discovery, MIG manager, DCGM and its exporter."""

from collections.abc import Sequence

import pulumi
import pulumi_kubernetes as k8s

from gpu_blueprint.catalog import namespaces
from gpu_blueprint.catalog.versions import GPU_OPERATOR
from gpu_blueprint.config import StackConfig

from ..helm import install_chart
from ..pod_security import label_pod_security
from .dcgm_exporter import make_metric_list
from .gpu_operator_values import build_gpu_operator_values


class GpuOperator(pulumi.ComponentResource):
    """The operator's Helm release in a namespace of its own; pools depend on ``release``."""

    release: k8s.helm.v3.Release

    def __init__(
        self,
        name: str,
        config: StackConfig,
        *,
        depends_on: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        super().__init__("gpu-blueprint:components:GpuOperator", name, None, opts)
        namespace = k8s.core.v1.Namespace(
            f"{name}-namespace",
            # The operator's pods mount folders of their host, so they need the privileged level of Pod Security.
            metadata={"name": namespaces.GPU_OPERATOR, "labels": label_pod_security(config, "privileged")},
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(depends_on)),
        )
        # Without monitoring, no Prometheus reads the metrics, so the exporter keeps the chart's list.
        metric_lists = (
            [make_metric_list(f"{name}-metrics", namespaces.GPU_OPERATOR, parent=self, depends_on=[namespace])]
            if config.monitoring
            else []
        )
        self.release = install_chart(
            f"{name}-release",
            GPU_OPERATOR,
            namespaces.GPU_OPERATOR,
            build_gpu_operator_values(config),
            config=config,
            parent=self,
            depends_on=[namespace, *metric_lists, *depends_on],
        )
        self.register_outputs({})
