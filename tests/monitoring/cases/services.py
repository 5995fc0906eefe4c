"""Cases of the alerts about services that KEDA scales."""

from ...support.exporter_series import autoscaler, deployment, pod, scaler
from .case import AlertCase, fires, quiet

SERVICE = {"namespace": "team", "horizontalpodautoscaler": "keda-hpa-chat"}
SCALER = {"namespace": "team", "deployment": "chat", "scaledobject": "chat"}

DEPLOYMENT = {"namespace": "team", "deployment": "chat"}
WAITING = pod("chat-6d4cf56db6-x7k2p", on="", phase="Pending")

CASES: tuple[AlertCase, ...] = (
    # A signal fails, or one of two, while the autoscaler itself has a number to scale on.
    fires("ServiceNotMeasured", scaler(ready=0), autoscaler(2), deployment(2, 2), at="20m", labels=SCALER),
    fires("ServiceNotMeasured", scaler(fallback=1), autoscaler(2), deployment(2, 2), at="20m", labels=SCALER),
    # Nothing wakes a service that is asleep while its query has no value.
    fires("ServiceNotMeasured", scaler(0, ready=0), deployment(0, 0), at="20m", labels=SCALER),
    quiet("ServiceNotMeasured", scaler(0), deployment(0, 0), at="20m"),
    quiet("ServiceNotMeasured", scaler(), deployment(2, 2), at="20m"),
    quiet("ServiceNotMeasured", scaler(ready=None), deployment(2, 2), at="20m"),
    # A scaler that waits for its team's Deployment.
    quiet("ServiceNotMeasured", scaler(ready=0), deployment(2, 2, name="other"), at="20m"),
    # Somebody has paused the scaler, during an outage.
    quiet("ServiceNotMeasured", scaler(fallback=1, paused=1), deployment(2, 2), at="20m"),
    fires("ServiceBelowMinimum", scaler(2), deployment(0, 0), at="20m", labels=DEPLOYMENT, value="2"),
    fires("ServiceBelowMinimum", scaler(1, ready=None), deployment(0, 0), at="20m", labels=DEPLOYMENT, value="1"),
    quiet("ServiceBelowMinimum", scaler(0), deployment(0, 0), at="20m"),
    # A pause is the way to hold a service at 0.
    quiet("ServiceBelowMinimum", scaler(1, paused=1), deployment(0, 0), at="20m"),
    # The autoscaler lifts it from one replica on.
    quiet("ServiceBelowMinimum", scaler(2), deployment(1, 1), at="20m"),
    quiet("ServiceBelowMinimum", scaler(2), deployment(0, 0, name="other"), at="20m"),
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
