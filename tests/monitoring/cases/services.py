"""Cases of the alerts about services that KEDA scales."""

from ...support.exporter_series import autoscaler, deployment, pod
from .case import AlertCase, fires, quiet

SERVICE = {"namespace": "team", "horizontalpodautoscaler": "keda-hpa-chat"}

DEPLOYMENT = {"namespace": "team", "deployment": "chat"}
WAITING = pod("chat-6d4cf56db6-x7k2p", on="", phase="Pending")

CASES: tuple[AlertCase, ...] = (
    fires("ServiceNotMeasured", autoscaler(2, "false"), at="20m", labels=SERVICE),
    quiet("ServiceNotMeasured", autoscaler(2), at="20m"),
    quiet("ServiceNotMeasured", autoscaler(0, "false"), at="20m"),
    fires("ServiceAtMostReplicas", autoscaler(8), at="40m", labels=SERVICE, value="8"),
    quiet("ServiceAtMostReplicas", autoscaler(7), at="40m"),
    quiet("ServiceAtMostReplicas", autoscaler(8, name="web"), at="40m"),
    quiet("ServiceAtMostReplicas", autoscaler(8, least=8), at="40m"),
    fires("ServicePodsRefused", deployment(8, 5), at="20m", labels=DEPLOYMENT, value="3"),
    quiet("ServicePodsRefused", deployment(8, 8), at="20m"),
    # A rollout with surge runs more pods than the Deployment wants.
    quiet("ServicePodsRefused", deployment(8, 9), at="20m"),
    quiet("ServicePodsRefused", deployment(8, 5, scaler="web"), at="20m"),
    fires("ServicePodsPending", deployment(8, 8), WAITING, at="20m", labels=DEPLOYMENT, value="1"),
    fires(
        "ServicePodsPending",
        deployment(8, 8),
        WAITING,
        pod("chat-6d4cf56db6-b2c4d", on="", phase="Pending"),
        at="20m",
        labels=DEPLOYMENT,
        value="2",
    ),
    quiet("ServicePodsPending", deployment(8, 8), pod("chat-6d4cf56db6-x7k2p"), at="20m"),
    quiet("ServicePodsPending", deployment(8, 8, scaler="web"), WAITING, at="20m"),
    # The pod of a Job whose name begins like the Deployment.
    quiet("ServicePodsPending", deployment(8, 8), pod("chat-warmup-x7k2p", on="", phase="Pending"), at="20m"),
)
