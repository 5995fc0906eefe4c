"""A cluster as its owner runs it before the layer comes: workloads, access, add-ons, and Karpenter with a pool."""

from collections.abc import Iterator
from typing import Any

from ..catalog import api_versions
from ..config import ExistingCluster, StackConfig
from ..config.monitoring import ExistingMonitoring
from ..rehearsal.stand_ins import list_owned
from ..sharing.operator_configs import MIG_CONFIG_MAP, PLUGIN_CONFIG_MAP
from .aws_provider import CLUSTER, AwsProvider
from .cloud import Operation
from .wire import Values
from .world import KARPENTER, OWNER

IMAGE = "al2023@v20260923"
"""The nodes' image of the owner's pool, by its alias in Karpenter."""
_SPACE, _POOL, _POOL_LABEL = "shop", "general", {"example.com/pool": "general"}


def make_cloud_objects(config: StackConfig, cluster: ExistingCluster, aws: AwsProvider) -> None:
    """Put the cluster and everything that its owner made around it into the cloud.

    No log has these objects, because no program makes them.
    """
    for type_, inputs in _list_cloud_objects(config, cluster):
        aws.make(Operation(action="create", type=type_, name="owner", urn="", properties=inputs), inputs)


def _list_cloud_objects(config: StackConfig, cluster: ExistingCluster) -> Iterator[tuple[str, Values]]:
    """Yield Pulumi's type and the inputs of each object."""
    name = config.cluster_name
    yield (
        CLUSTER,
        {
            "name": name,
            "version": cluster.kubernetes_version,
            "roleArn": config.build_arn("iam", "role/eks-control-plane"),
            "accessConfig": {"authenticationMode": cluster.authentication_mode},
            "kubernetesNetworkConfig": {"serviceIpv4Cidr": cluster.service_cidr},
            "vpcConfig": {
                "vpcId": getattr(config.network, "vpc_id", ""),
                "subnetIds": [subnet.id for subnet in getattr(config.network, "subnets", [])],
            },
        },
    )
    add_ons = ["vpc-cni", "kube-proxy", "coredns"]
    if cluster.addons == "ignore":
        add_ons += ["eks-pod-identity-agent", "aws-ebs-csi-driver"]
    for add_on in add_ons:
        yield "aws:eks/addon:Addon", {"clusterName": name, "addonName": add_on}
    if cluster.authentication_mode != "CONFIG_MAP":
        admin = config.build_arn("iam", f"role/{OWNER}")
        nodes = cluster.node_role or config.build_arn("iam", "role/owner-nodes")
        yield "aws:eks/accessEntry:AccessEntry", {"clusterName": name, "principalArn": admin, "type": "STANDARD"}
        yield "aws:eks/accessEntry:AccessEntry", {"clusterName": name, "principalArn": nodes, "type": "EC2_LINUX"}


def list_definitions(config: StackConfig, cluster: ExistingCluster) -> list[str]:
    """Return the API groups whose definitions the owner has installed: Karpenter's, and those of their Prometheus."""
    found = {
        KARPENTER: cluster.karpenter == "existing",
        "monitoring.coreos.com": isinstance(config.monitoring, ExistingMonitoring),
    }
    return [group for group, is_there in found.items() if is_there]


def list_objects(config: StackConfig, cluster: ExistingCluster) -> list[dict[str, Any]]:
    """Return the owner's objects in the cluster, in the order in which they can be made."""
    return [
        *_list_workloads(cluster),
        *list_owned(config),
        *(_list_operator_objects() if cluster.gpu_operator == "existing" else ()),
        *(_list_karpenter_objects(config) if cluster.karpenter == "existing" else ()),
    ]


def _list_workloads(cluster: ExistingCluster) -> Iterator[dict[str, Any]]:
    """Yield a team's namespace with a program, and what every owner of a cluster has for all teams."""
    yield _build("v1", "Namespace", _SPACE, labels={"team": _SPACE})
    yield _build("v1", "ConfigMap", "settings", _SPACE, data={"currency": "EUR"})
    yield _build("v1", "ResourceQuota", "quota", _SPACE, spec={"hard": {"pods": "20"}})
    yield _build("apps/v1", "Deployment", "shop", _SPACE, spec=_describe_program(cluster))
    roles = [{"rolearn": cluster.node_role, "groups": ["system:bootstrappers", "system:nodes"]}]
    yield _build("v1", "ConfigMap", "aws-auth", "kube-system", data={"mapRoles": str(roles)})
    who = {"kind": "User", "name": OWNER, "apiGroup": "rbac.authorization.k8s.io"}
    admin = {"kind": "ClusterRole", "name": "cluster-admin", "apiGroup": "rbac.authorization.k8s.io"}
    yield _build("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", OWNER, roleRef=admin, subjects=[who])
    yield _build("scheduling.k8s.io/v1", "PriorityClass", "shop-important", value=1000)
    yield _build(
        "storage.k8s.io/v1",
        "StorageClass",
        "gp3",
        annotations={"storageclass.kubernetes.io/is-default-class": "true"},
        provisioner="ebs.csi.aws.com",
        parameters={"type": "gp3"},
        volumeBindingMode="WaitForFirstConsumer",
    )


def _describe_program(cluster: ExistingCluster) -> dict[str, Any]:
    """Return the spec of a Deployment: its pod runs on a node of the owner's Karpenter, else on any of their nodes."""
    labels = {"app": "shop"}
    place: dict[str, Any] = {"tolerations": cluster.system_nodes.tolerations}
    if cluster.karpenter == "existing":
        place = {"nodeSelector": _POOL_LABEL}
    container: dict[str, Any] = {"name": "shop", "image": "public.ecr.aws/docker/library/nginx:1.29"}
    container |= {"resources": {"requests": {"cpu": "500m", "memory": "512Mi"}}}
    return {
        "replicas": 1,
        "selector": {"matchLabels": labels},
        "template": {"metadata": {"labels": labels}, "spec": {**place, "containers": [container]}},
    }


def _list_operator_objects() -> Iterator[dict[str, Any]]:
    """Yield the ClusterPolicy of the GPU Operator, which names the ConfigMaps of the layer, and its definition."""
    group, plural, kind = "nvidia.com", "clusterpolicies", "ClusterPolicy"
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    yield _build(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        f"{plural}.{group}",
        spec={
            "group": group,
            "names": {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"},
            "scope": "Cluster",
            "versions": [{"name": "v1", "served": True, "storage": True, "schema": schema}],
        },
    )
    named = {
        "devicePlugin": {"config": {"name": PLUGIN_CONFIG_MAP}},
        "migManager": {"config": {"name": MIG_CONFIG_MAP}},
    }
    yield _build(f"{group}/v1", kind, "cluster-policy", spec=named)


def _list_karpenter_objects(config: StackConfig) -> Iterator[dict[str, Any]]:
    """Yield a pool for all programs that need no GPU."""
    role = (config.node_role_arn or "").rpartition("/")[2]
    yield _build(
        api_versions.KARPENTER_AWS,
        "EC2NodeClass",
        _POOL,
        spec={
            "amiSelectorTerms": [{"alias": IMAGE}],
            "role": role,
            "subnetSelectorTerms": [{"id": subnet.id} for subnet in getattr(config.network, "subnets", [])],
            "securityGroupSelectorTerms": [{"tags": {"aws:eks:cluster-name": config.cluster_name}}],
        },
    )
    wanted = {
        "karpenter.sh/capacity-type": "on-demand",
        "node.kubernetes.io/instance-type": "m7i.large",
        "kubernetes.io/arch": "amd64",
    }
    node = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": _POOL},
        "requirements": [{"key": key, "operator": "In", "values": [value]} for key, value in wanted.items()],
        "expireAfter": "Never",
    }
    yield _build(
        api_versions.KARPENTER,
        "NodePool",
        _POOL,
        spec={
            "template": {"metadata": {"labels": _POOL_LABEL}, "spec": node},
            "disruption": {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "Never"},
        },
    )


def _build(
    api_version: str,
    kind: str,
    name: str,
    namespace: str = "",
    *,
    labels: dict[str, str] | None = None,
    annotations: dict[str, str] | None = None,
    **content: Any,
) -> dict[str, Any]:
    place = {"name": name, "namespace": namespace, "labels": labels, "annotations": annotations}
    metadata = {key: value for key, value in place.items() if value}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **content}
