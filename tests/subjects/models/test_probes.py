"""The probes of a server."""

from gpu_blueprint.catalog.inference_servers import INFERENCE_SERVERS
from gpu_blueprint.subjects.models.probes import build_probes


def test_a_start_may_last_as_long_as_its_limit() -> None:
    probe = build_probes(INFERENCE_SERVERS["vllm"], 1234)["startupProbe"]
    assert 1234 <= probe["periodSeconds"] * probe["failureThreshold"] < 1244


def test_a_busy_server_leaves_the_service_long_before_it_starts_anew() -> None:
    probes = build_probes(INFERENCE_SERVERS["vllm"], 600)
    ready, live = probes["readinessProbe"], probes["livenessProbe"]
    assert ready["periodSeconds"] * ready["failureThreshold"] <= 15
    assert live["periodSeconds"] * live["failureThreshold"] >= 100


def test_triton_lives_while_it_works_and_is_ready_when_its_models_are() -> None:
    probes = build_probes(INFERENCE_SERVERS["triton"], 600)
    paths = {name: probe["httpGet"]["path"] for name, probe in probes.items()}
    assert paths["livenessProbe"] == "/v2/health/live"
    assert paths["startupProbe"] == paths["readinessProbe"] == "/v2/health/ready"
