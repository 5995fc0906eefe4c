"""Alerts about nodes that do not come, or come without what they should hand out."""

from ...catalog.versions import HASTY_AGENT
from ..metrics import NODE_LABELS, shown
from ..recording import NO_PLACEHOLDER, NODE, ON_NO_NODE, ON_POOL, SLOW_PULL_SECONDS, SLOW_PULLS, requests
from ..rules import Alert

_STATE = shown(NODE_LABELS[4])
WAITING = (
    f"sum by (namespace, pod, resource) ({requests(NO_PLACEHOLDER, ON_NO_NODE)})"
    ' and on (namespace, pod) (kube_pod_status_phase{phase="Pending"} == 1)'
)
"""Units of GPU resources that a pod without a node asks for."""
WAITED = "15m"
"""A pod that waits for less waits for a node to start, which is no want of capacity."""

NODE_ALERTS = (
    Alert(
        name="GpuPodPending",
        subject="Nodes and pods",
        severity="warning",
        expr=WAITING,
        wait=WAITED,
        summary="Pod {{ $labels.namespace }}/{{ $labels.pod }} waits for {{ $value }} {{ $labels.resource }}",
        costs="A team waits; nothing is billed for it.",
        steps=(
            "Read the scheduler's and Karpenter's reasons: `kubectl describe pod -n {{ $labels.namespace }} {{ $labels.pod }}`.",
            "A taint or a name that no pool has: compare with `blueprint explain STACK POOL`.",
            "The pool is full: look for GpuPoolAtCeiling. The tenant is: GpuQuotaNearlyUsed.",
            "`InsufficientInstanceCapacity`: add instance types, zones or on-demand to the pool.",
        ),
    ),
    Alert(
        name="GpuNodeWithoutGpus",
        subject="Nodes and pods",
        severity="critical",
        expr=f'{NODE} unless on (node) (kube_node_status_allocatable{{resource=~"nvidia_com_.+"}} > 0)',
        wait="20m",
        summary="Node {{ $labels.node }} (pool {{ $labels.pool }}, {{ $labels.instance_type }}) hands out no GPU",
        costs="The whole node is paid for and nothing can run on it; Karpenter counts on it and launches no other.",
        steps=(
            "`kubectl get pods -n gpu-operator -o wide --field-selector spec.nodeName={{ $labels.node }}`: what is not running?",
            "Read the device plugin's log, then that of the MIG manager.",
            "On Bottlerocket: `kubectl describe node {{ $labels.node }}`, and compare the AMI version with the instance type.",
            "Delete its NodeClaim to try another node; if that one is the same, it is the configuration.",
        ),
    ),
    Alert(
        name="GpuNodeUnhealthy",
        subject="Nodes and pods",
        severity="critical",
        expr=f'max by (node) (kube_node_status_condition{{condition="AcceleratedHardwareReady",status="false"}} == 1) {ON_POOL}',
        wait="5m",
        summary="The node monitoring agent calls the GPUs of {{ $labels.node }} (pool {{ $labels.pool }}) broken",
        costs="Pods that land there fail or hang, and the node is paid for. With `nodeRepair` Karpenter replaces it 10 minutes in.",
        steps=(
            "`kubectl describe node {{ $labels.node }}`: the condition AcceleratedHardwareReady names the fault.",
            f"A node that has just come: {HASTY_AGENT}. Delete the agent's pod of that node; if the condition turns True, all is well.",
            "All nodes of a pool at once: the agent cannot reach DCGM. Look at docs/decisions/0003-one-dcgm-engine-per-node.md.",
            "One node: keep new pods away (`kubectl cordon {{ $labels.node }}`), let jobs save their state, delete its NodeClaim.",
        ),
    ),
    Alert(
        name="NodeClaimNotInitialized",
        subject="Nodes and pods",
        severity="warning",
        expr='max by (name) (operator_nodeclaim_status_condition_count{type="Initialized",status!="True"}) > 0',
        wait="20m",
        summary="NodeClaim {{ $labels.name }} has not become ready",
        costs="The instance is paid for; pods that wait for it wait on, and the node is not consolidated.",
        steps=(
            "`kubectl describe nodeclaim {{ $labels.name }}`: which of Launched, Registered, Initialized is missing?",
            "Not registered: the node cannot reach the API, or its role has no access entry.",
            "Registered, not initialized: a startup taint stays, or the node lacks a resource that its NodeOverlay promised.",
        ),
    ),
    Alert(
        name="MigConfigFailed",
        subject="Nodes and pods",
        severity="critical",
        expr=f'max by (node) (kube_node_labels{{{_STATE}="failed"}}) {ON_POOL}',
        wait="2m",
        summary="MIG could not be set up on {{ $labels.node }} (pool {{ $labels.pool }})",
        costs="The node hands out whole GPUs or nothing: slices that were promised never come.",
        steps=(
            "`kubectl logs -n gpu-operator -l app=nvidia-mig-manager --field-selector spec.nodeName={{ $labels.node }}`.",
            "A process holds the GPU, or an A100 was not restarted: delete the NodeClaim and let a fresh node try.",
            "The layout cannot be placed: `blueprint mig GPU` lists those that can.",
        ),
    ),
    Alert(
        name="NodeOverlayNotReady",
        subject="Nodes and pods",
        severity="critical",
        expr='max by (nodeoverlay) (kube_nodeoverlay_status_condition{type="Ready"}) == 0',
        wait="5m",
        summary="Karpenter does not apply NodeOverlay {{ $labels.nodeoverlay }}",
        costs="Karpenter believes that nodes hand out nothing of the resource: its pods wait for ever.",
        steps=(
            "`kubectl describe nodeoverlay {{ $labels.nodeoverlay }}`: the condition says which overlay it conflicts with.",
            "Remove overlays that were not made by this platform, or give them another weight.",
            "See that the feature gate NodeOverlay is on: `kubectl get deploy -n kube-system karpenter -o yaml | grep FEATURE`.",
        ),
    ),
    Alert(
        name="NodeClassNotReady",
        subject="Nodes and pods",
        severity="critical",
        expr='max by (name) (operator_ec2nodeclass_status_condition_count{type="Ready",status!="True"}) > 0',
        wait="10m",
        summary="EC2NodeClass {{ $labels.name }} is not ready",
        costs="Its pool launches nothing until this is repaired.",
        steps=(
            "`kubectl describe ec2nodeclass {{ $labels.name }}`: subnets, security groups, AMI or role not found?",
            "Compare the tags of subnets and security groups with what the node class selects.",
            "An AMI alias that AWS withdrew: choose a newer version in the stack file.",
        ),
    ),
    Alert(
        name="GpuImagePullSlow",
        subject="Nodes and pods",
        severity="info",
        expr=f"({SLOW_PULLS} - ({SLOW_PULLS} offset 1h or 0 * {SLOW_PULLS}) > 0) {ON_POOL}",
        summary=f"Node {{{{ $labels.node }}}} (pool {{{{ $labels.pool }}}}) took more than {SLOW_PULL_SECONDS} s to pull an image",
        costs="GPUs are paid for while the image loads; at each new node again.",
        steps=(
            "Put large images into ECR of the same region, and reach it through an interface endpoint and S3's gateway.",
            "Shrink the image: weights belong on a volume or in S3, not in layers.",
            "Give the pool types with local NVMe, where the blueprint keeps images.",
        ),
    ),
)
