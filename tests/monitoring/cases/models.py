"""Cases of the alerts about models."""

from ...support.exporter_series import Series, named
from .case import AlertCase, fires, quiet

CHAT = {"namespace": "team", "deployment": "chat"}


def _ready(values: str, name: str = "chat") -> Series:
    return {named("kube_deployment_status_replicas_ready", namespace="team", deployment=name): values}


def _progress(status: str, name: str = "chat") -> Series:
    """Whether a rollout goes on: each state is a series of its own."""
    labels = {"namespace": "team", "deployment": name, "condition": "Progressing"}
    return {
        named("kube_deployment_status_condition", **labels, status=other): f"{int(other == status)}x60"
        for other in ("true", "false")
    }


def _cache(share: float, pod: str = "chat-6d4cf56db6-x7k2p", name: str = "chat") -> Series:
    labels = {"namespace": "team", "job": f"team/{name}", "pod": pod, "container": "vllm", "engine": "0"}
    return {named("vllm:kv_cache_usage_perc", **labels, model_name="chat"): f"{share}x60"}


_TARGET = {"job": "kube-state-metrics", "instance": "10.0.0.1:8080"}


def _restarts(values: str, pod: str = "chat-6d4cf56db6-x7k2p") -> Series:
    labels = {**_TARGET, "namespace": "team", "pod": pod, "uid": pod, "container": "vllm"}
    return {
        named("kube_pod_container_status_restarts_total", **labels): values,
        named("up", **_TARGET, node="n1", endpoint="http"): "1x90",
    }


CASES: tuple[AlertCase, ...] = (
    fires("ModelNotReady", _ready("0x60"), at="20m", labels=CHAT),
    quiet("ModelNotReady", _ready("1x60"), at="20m"),
    quiet("ModelNotReady", _ready("0x10 1x60"), at="20m"),
    # A model that may sleep, and a Deployment of the team.
    quiet("ModelNotReady", _ready("0x60", "asleep"), at="20m"),
    quiet("ModelNotReady", _ready("0x60", "web"), at="20m"),
    fires("ModelRolloutStandsStill", _progress("false"), at="5m", labels=CHAT),
    quiet("ModelRolloutStandsStill", _progress("true"), at="5m"),
    quiet("ModelRolloutStandsStill", _progress("false", "web"), at="5m"),
    fires("ModelCacheFull", _cache(0.98), at="40m", labels=CHAT, value="98%"),
    quiet("ModelCacheFull", _cache(0.9), at="40m"),
    # One of two replicas still has room.
    quiet("ModelCacheFull", _cache(1), _cache(0.5, "chat-6d4cf56db6-b2c4d"), at="40m"),
    quiet("ModelCacheFull", _cache(0.98, name="web"), at="40m"),
    fires("ModelRestarts", _restarts("0x10 4x60"), at="40m", labels=CHAT, value="4"),
    quiet("ModelRestarts", _restarts("0x10 2x60"), at="40m"),
    quiet("ModelRestarts", _restarts("7x90"), at="80m"),
    quiet("ModelRestarts", _restarts("0x10 9x60", "web-6d4cf56db6-x7k2p"), at="40m"),
)
