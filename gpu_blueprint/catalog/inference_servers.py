"""Inference servers whose metrics we know: what waits, what is served, and how long it takes.

Sources: vLLM documentation, Production Metrics (docs.vllm.ai, usage/metrics); Triton Inference Server user guide,
Metrics (docs.nvidia.com, user_guide/metrics). Read 2026-11-21.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceServer:
    """One server; each expression is PromQL with ``%s`` for the matchers of its pods, and gives one number."""

    name: str
    port: int
    """Where it answers ``/metrics``."""
    prefix: str
    """How the names of all its metrics begin."""
    waiting: str
    """Requests that wait for a place; there as long as a pod is, busy or not."""
    served: str
    """Requests a second that were answered."""
    latency: str
    """Seconds; not a number while nothing is asked."""
    latency_is: str


_ROWS = (
    InferenceServer(
        name="vllm",
        port=8000,
        prefix="vllm:",
        waiting="sum(vllm:num_requests_waiting{%s})",
        served="sum(rate(vllm:request_success_total{%s}[2m]))",
        latency="histogram_quantile(0.95, sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{%s}[2m])))",
        latency_is="time to the first token, 95th percentile",
    ),
    InferenceServer(
        name="triton",
        port=8002,
        prefix="nv_",
        waiting="sum(nv_inference_pending_request_count{%s})",
        served="sum(rate(nv_inference_request_success{%s}[2m]))",
        latency="sum(rate(nv_inference_request_duration_us{%s}[2m]))"
        " / sum(rate(nv_inference_request_success{%s}[2m])) / 1e6",
        latency_is="time of a whole request, mean",
    ),
)

INFERENCE_SERVERS: Mapping[str, InferenceServer] = MappingProxyType({row.name: row for row in _ROWS})
