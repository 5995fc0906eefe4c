"""Rank 0 answers Prometheus."""

import urllib.error
import urllib.request

import pytest

from examples.training.exporter import HELP, Metrics, serve

from ...support.processes import PATIENCE_S


def test_a_gauge_is_rendered_once_it_has_a_value() -> None:
    metrics = Metrics()
    assert metrics.render() == ""
    metrics.set(training_loss=0.1 + 0.2, training_step=7)
    metrics.set(training_step=8)
    assert metrics.render().splitlines() == [
        f"# HELP training_step {HELP['training_step']}",
        "# TYPE training_step gauge",
        "training_step 8",
        f"# HELP training_loss {HELP['training_loss']}",
        "# TYPE training_loss gauge",
        "training_loss 0.30000000000000004",
    ]


def test_a_gauge_without_a_help_text_is_a_mistake() -> None:
    with pytest.raises(KeyError, match="training_mistake"):
        Metrics().set(training_mistake=1)


def test_prometheus_reads_the_gauges_by_http() -> None:
    metrics = Metrics()
    metrics.set(training_last_checkpoint_step=40)
    server = serve(metrics, 0, "127.0.0.1")
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        with urllib.request.urlopen(f"{address}/metrics", timeout=PATIENCE_S) as answer:
            assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
            assert answer.read().decode() == metrics.render()
        with pytest.raises(urllib.error.HTTPError, match="404") as refused:
            urllib.request.urlopen(address, timeout=PATIENCE_S)
        refused.value.close()
    finally:
        server.shutdown()
        server.server_close()
