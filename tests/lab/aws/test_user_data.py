"""User data becomes the settings of a kubelet."""

import pytest

from lab.aws.user_data import UserDataError, read_user_data

from ...support.lab_scenes import BOTTLEROCKET, CLUSTER, node_config

TAINT = "[{key: nvidia.com/gpu, effect: NoSchedule}]"
CLUSTER_PART = """Content-Type: application/node.eks.aws

apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec: {spec}
"""


def test_a_node_config_has_labels_taints_and_pods() -> None:
    settings = read_user_data(node_config({"team": "a"}, TAINT), CLUSTER)
    assert settings.labels == {"karpenter.sh/nodepool": "main", "team": "a"}
    assert settings.taints == ({"key": "nvidia.com/gpu", "effect": "NoSchedule"},)
    assert (settings.max_pods, settings.family, settings.joins_disks) == (58, "al2023", True)
    assert not settings.shares_at_boot


def test_a_later_node_config_replaces_fields_of_an_earlier_one() -> None:
    text = node_config().replace(
        "    FastImagePull: true\n", "    FastImagePull: true\n  kubelet: {config: {maxPods: 9}}\n"
    )
    assert "maxPods: 9" in text and read_user_data(text, CLUSTER).max_pods == 58
    silent = text.replace("      maxPods: 58\n", "")
    assert read_user_data(silent, CLUSTER).max_pods == 9


def test_bottlerockets_toml_has_the_same_settings() -> None:
    settings = read_user_data(BOTTLEROCKET, CLUSTER)
    assert settings.labels == {"karpenter.sh/nodepool": "main"}
    assert settings.taints == (
        {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"},
        {"key": "karpenter.sh/unregistered", "value": "", "effect": "NoExecute"},
    )
    assert (settings.max_pods, settings.family, settings.joins_disks) == (100, "bottlerocket", True)


def test_bottlerocket_shares_gpus_at_boot_only_if_its_settings_say_so() -> None:
    plain = BOTTLEROCKET.replace("[settings.kubelet-device-plugins.nvidia.mig.profile]", "[settings.motd]")
    assert read_user_data(BOTTLEROCKET, CLUSTER).shares_at_boot
    assert not read_user_data(plain, CLUSTER).shares_at_boot


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("kind: [", "neither a MIME message nor TOML"),
        ("#!/bin/sh", "Bottlerocket's user data lacks the table 'settings'"),
        (BOTTLEROCKET.replace(f"cluster-name = '{CLUSTER}'", ""), "lacks cluster-name of the cluster"),
        (node_config(cluster="other"), f"names the cluster other, not {CLUSTER}"),
        (node_config().replace("certificateAuthority: bGFi", ""), "lacks certificateAuthority of the cluster"),
        (node_config().replace("kind: NodeConfig", "kind: Config"), "a part holds another kind"),
        (node_config().replace("metadata: {}", "metadata: {"), "a NodeConfig is no YAML"),
        (node_config(taints="[{key: a, effect: Never}]"), "kubelet knows no taint"),
        (node_config({"app.kubernetes.io/name": "x"}), "refuses the label app.kubernetes.io/name"),
        (node_config({"k8s.io/x": "y"}), "refuses the label k8s.io/x"),
    ],
)
def test_a_node_cannot_join_with_wrong_user_data(text: str, reason: str) -> None:
    with pytest.raises(UserDataError, match=reason):
        read_user_data(text, CLUSTER)


@pytest.mark.parametrize(
    "label", ["node.kubernetes.io/role", "a.node.kubernetes.io/b", "kubernetes.io/arch", "karpenter.k8s.aws/x", "plain"]
)
def test_kubelet_accepts_labels_of_its_own_and_of_others(label: str) -> None:
    assert label in read_user_data(node_config({label: "x"}), CLUSTER).labels
