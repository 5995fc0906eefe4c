"""Cases of the alerts about services that KEDA scales."""

from ...support.exporter_series import autoscaler
from .case import AlertCase, fires, quiet

SERVICE = {"namespace": "team", "horizontalpodautoscaler": "keda-hpa-chat"}

CASES: tuple[AlertCase, ...] = (
    fires("ServiceNotMeasured", autoscaler(2, "false"), at="20m", labels=SERVICE),
    quiet("ServiceNotMeasured", autoscaler(2), at="20m"),
    quiet("ServiceNotMeasured", autoscaler(0, "false"), at="20m"),
    fires("ServiceAtMostReplicas", autoscaler(8), at="40m", labels=SERVICE, value="8"),
    quiet("ServiceAtMostReplicas", autoscaler(7), at="40m"),
    quiet("ServiceAtMostReplicas", autoscaler(8, name="web"), at="40m"),
    quiet("ServiceAtMostReplicas", autoscaler(8, least=8), at="40m"),
)
