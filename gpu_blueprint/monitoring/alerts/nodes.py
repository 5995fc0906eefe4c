"""Alerts about nodes that do not start, or that start without the GPUs they should offer."""

from ...catalog.versions import HASTY_AGENT
from ..metrics import MIG_STATE_LABEL, sanitize_label
from ..recording import GPU_NODE, NO_PLACEHOLDER, ON_NO_NODE, ON_POOL, SLOW_PULL_SECONDS, SLOW_PULLS, select_requests
from ..rules import Alert
from .replace import DELETE, REPLACE

_MIG_STATE = sanitize_label(MIG_STATE_LABEL)
_GPU_CONDITION = 'kube_node_status_condition{condition="AcceleratedHardwareReady",status="false"}'
_NODE = "node {{ $labels.node }} (pool {{ $labels.pool }})"
WAITING = (
    f"sum by (namespace, pod, resource) ({select_requests(NO_PLACEHOLDER, ON_NO_NODE)})"
    ' and on (namespace, pod) (kube_pod_status_phase{phase="Pending"} == 1)'
)
"""GPU resources that pods without a node request, in units of each resource."""
WAITED = "15m"
"""A pod that has waited less may only wait for a node to start, which is no lack of capacity."""

_STARTED_WRONG = "If GPUs of the pool are shared, the device plugin may have kept the default file, which shares none:"


def _restart_plugin(node: str) -> str:
    """Return the step that starts the device plugin of a node anew; its second start reads the label of the node."""
    return (
        "delete the plugin's pod there: `kubectl delete pod -n gpu-operator -l app=nvidia-device-plugin-daemonset"
        f" --field-selector spec.nodeName={node}`"
    )


NODE_ALERTS = (
    Alert(
        name="GpuPodPending",
        subject="Nodes and pods",
        severity="warning",
        expr=WAITING,
        wait=WAITED,
        summary="Pod {{ $labels.namespace }}/{{ $labels.pod }} waits for {{ $value }} {{ $labels.resource }}",
        costs="The team cannot work. AWS bills nothing for a waiting pod.",
        steps=(
            "Read the reasons of the scheduler and of Karpenter:"
            " `kubectl describe pod -n {{ $labels.namespace }} {{ $labels.pod }}`.",
            "If the reason is a taint, or no pool offers the resource:"
            " compare the pod with `blueprint explain STACK POOL`.",
            "If the pool is full, GpuPoolAtCeiling fires. If the tenant's quota is used up, GpuQuotaNearlyUsed fires.",
            "If the reason is `InsufficientInstanceCapacity`: add instance types, zones or on-demand to the pool.",
        ),
    ),
    Alert(
        name="GpuNodeWithoutGpus",
        subject="Nodes and pods",
        severity="critical",
        expr=f'{GPU_NODE} unless on (node) (kube_node_status_allocatable{{resource=~"nvidia_com_.+"}} > 0)',
        wait="20m",
        summary="Node {{ $labels.node }} (pool {{ $labels.pool }}, {{ $labels.instance_type }}) offers no GPU",
        costs="The whole node is paid for and runs no GPU pod."
        " Karpenter expects GPUs from this node and launches no other.",
        steps=(
            "List the GPU operator's pods on the node and find the pod that does not run:"
            " `kubectl get pods -n gpu-operator -o wide --field-selector spec.nodeName={{ $labels.node }}`.",
            "Read the log of the device plugin, then the log of the MIG manager.",
            f"{_STARTED_WRONG} {_restart_plugin('{{ $labels.node }}')}.",
            "On Bottlerocket: run `kubectl describe node {{ $labels.node }}` and check that the AMI version supports"
            " the instance type.",
            f"To get another node: cordon this node (`kubectl cordon {{{{ $labels.node }}}}`), {DELETE}"
            " If the new node has no GPUs either, the configuration is wrong.",
        ),
    ),
    Alert(
        name="GpuNodeUnhealthy",
        subject="Nodes and pods",
        severity="critical",
        expr=f"max by (node) ({_GPU_CONDITION} == 1) {ON_POOL}",
        wait="5m",
        summary=f"The node monitoring agent reports broken GPUs on {_NODE}",
        costs="Pods on this node fail or hang, and the node is paid for."
        " With `nodeRepair`, Karpenter replaces the node after 10 minutes.",
        steps=(
            "Run `kubectl describe node {{ $labels.node }}`: the condition AcceleratedHardwareReady names the fault.",
            f"If the node has just started, the alert may be false: {HASTY_AGENT}."
            " Delete the agent's pod on the node. If the condition turns True, the node is fine.",
            "If all nodes of a pool are affected, the agent cannot reach DCGM:"
            " read docs/decisions/0003-one-dcgm-engine-per-node.md.",
            f"If only this node is affected: {REPLACE}",
        ),
    ),
    Alert(
        name="NodeClaimNotInitialized",
        subject="Nodes and pods",
        severity="warning",
        expr='max by (name) (operator_nodeclaim_status_condition_count{type="Initialized",status!="True"}) > 0',
        wait="20m",
        summary="NodeClaim {{ $labels.name }} has not become ready within 20 minutes",
        costs="The instance is paid for, its pods still wait, and Karpenter does not consolidate the node.",
        steps=(
            "Run `kubectl describe nodeclaim {{ $labels.name }}` and see which condition is missing:"
            " Launched, Registered or Initialized.",
            "If it is not registered: the node cannot reach the Kubernetes API, or its role has no access entry.",
            "If it is registered and not initialized: a startup taint is still on the node,"
            " or the node lacks a resource that its NodeOverlay promised.",
            f"{_STARTED_WRONG} find the node with `kubectl get nodeclaim {{{{ $labels.name }}}}`, then"
            f" {_restart_plugin('NODE')}.",
        ),
    ),
    Alert(
        name="MigConfigFailed",
        subject="Nodes and pods",
        severity="critical",
        expr=f'max by (node) (kube_node_labels{{{_MIG_STATE}="failed"}}) {ON_POOL}',
        wait="2m",
        summary=f"The MIG manager could not set up MIG on {_NODE}",
        costs="The node offers whole GPUs or nothing. Pods that request MIG slices wait for ever.",
        steps=(
            "Read the MIG manager's log: find its pod with `kubectl get pods -n gpu-operator -l app=nvidia-mig-manager"
            " --field-selector spec.nodeName={{ $labels.node }}`, then run `kubectl logs -n gpu-operator POD`.",
            f"If a process holds the GPU, or an A100 was not restarted: {REPLACE}",
            "If the layout cannot be placed: choose a layout that `blueprint mig GPU` lists.",
        ),
    ),
    Alert(
        name="NodeOverlayNotReady",
        subject="Nodes and pods",
        severity="critical",
        expr='max by (nodeoverlay) (kube_nodeoverlay_status_condition{type="Ready"}) == 0',
        wait="5m",
        summary="Karpenter does not apply NodeOverlay {{ $labels.nodeoverlay }}",
        costs="Karpenter assumes that nodes offer none of the overlay's resource: pods that request it wait for ever.",
        steps=(
            "Run `kubectl describe nodeoverlay {{ $labels.nodeoverlay }}`:"
            " the condition names the overlay that it conflicts with.",
            "Remove overlays that this platform did not create, or give them another weight.",
            "Check that the feature gate NodeOverlay is on:"
            " `kubectl get deploy -n kube-system karpenter -o yaml | grep -A 1 FEATURE_GATES` shows"
            " `NodeOverlay=true`.",
        ),
    ),
    Alert(
        name="NodeClassNotReady",
        subject="Nodes and pods",
        severity="critical",
        expr='max by (name) (operator_ec2nodeclass_status_condition_count{type="Ready",status!="True"}) > 0',
        wait="10m",
        summary="EC2NodeClass {{ $labels.name }} is not ready",
        costs="Its pool launches no node until this is repaired.",
        steps=(
            "Run `kubectl describe ec2nodeclass {{ $labels.name }}` and find the missing part:"
            " subnets, security groups, AMI or role.",
            "Compare the tags of subnets and security groups with the selectors of the node class.",
            "If AWS withdrew the AMI alias: choose a newer version in the stack file.",
        ),
    ),
    Alert(
        name="GpuImagePullSlow",
        subject="Nodes and pods",
        severity="info",
        expr=f"({SLOW_PULLS} - ({SLOW_PULLS} offset 1h or 0 * {SLOW_PULLS}) > 0)"
        f" * on (node) group_left (pool) {GPU_NODE}",
        summary="Node {{ $labels.node }} (pool {{ $labels.pool }}) took more than"
        f" {SLOW_PULL_SECONDS} s to pull an image",
        costs="GPUs are paid for while the image loads, again on each new node.",
        steps=(
            "Move large images to ECR in the same region, reached through an interface endpoint and the S3 gateway"
            " endpoint.",
            "Shrink the image: keep model weights on a volume or in S3, not in image layers.",
            "Give the pool instance types with local NVMe: the blueprint keeps images there.",
        ),
    ),
)
