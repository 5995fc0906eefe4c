"""Inference servers with known metrics: the requests in flight and in the queue, the rate of answers, the
latency.

Sources: vLLM documentation, Production Metrics (docs.vllm.ai, usage/metrics); Triton Inference Server user guide,
Metrics (docs.nvidia.com, user_guide/metrics). Read 2026-11-21.
"""

from collections.abc import Mapping
from types import MappingProxyType

from ..records import Record


class InferenceServer(Record, kw_only=True):
    """One inference server. Each expression is PromQL that gives one number; pod matchers replace ``%s``."""

    name: str
    port: int
    """Port of ``/metrics``."""
    prefix: str
    """Prefix of all its metrics."""
    waiting: str
    """Requests in the queue; the metric exists while a pod runs, even if the queue is empty."""
    in_flight: str
    """Requests that run or wait in the queue."""
    served: str
    """Answered requests a second."""
    latency: str
    """Latency in seconds; NaN without requests."""
    latency_is: str
    """Meaning of the latency, as text."""
    http: int
    """Port of the requests."""
    grpc: int | None = None
    """Port of requests by gRPC; None if the server has none."""
    live: str
    """Path of the liveness probe."""
    ready: str
    """Path of the readiness probe: it answers once the model is loaded."""

    @property
    def request_ports(self) -> dict[str, int]:
        """Name → port of each protocol that callers speak."""
        return {"http": self.http} | ({"grpc": self.grpc} if self.grpc else {})

    @property
    def ports(self) -> dict[str, int]:
        """Name → port of each protocol, and of the metrics."""
        return self.request_ports | ({"metrics": self.port} if self.port != self.http else {})


_ROWS = (
    InferenceServer(
        name="vllm",
        port=8000,
        prefix="vllm:",
        waiting="sum(vllm:num_requests_waiting{%s})",
        in_flight="sum(vllm:num_requests_running{%s} + vllm:num_requests_waiting{%s})",
        served="sum(rate(vllm:request_success_total{%s}[2m]))",
        latency="histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{%s}[2m])))",
        latency_is="time to the first token, 95th percentile",
        http=8000,
        live="/health",
        ready="/health",
    ),
    InferenceServer(
        name="triton",
        port=8002,
        prefix="nv_",
        waiting="sum(nv_inference_pending_request_count{%s})",
        # Seconds of requests that end in a second are the mean number of requests (Little's law).
        in_flight="sum(rate(nv_inference_request_duration_us{%s}[2m])) / 1e6",
        served="sum(rate(nv_inference_request_success{%s}[2m]))",
        latency="sum(rate(nv_inference_request_duration_us{%s}[2m]))"
        " / sum(rate(nv_inference_request_success{%s}[2m])) / 1e6",
        latency_is="time of a whole request, mean",
        http=8000,
        grpc=8001,
        live="/v2/health/live",
        ready="/v2/health/ready",
    ),
)

INFERENCE_SERVERS: Mapping[str, InferenceServer] = MappingProxyType({row.name: row for row in _ROWS})
