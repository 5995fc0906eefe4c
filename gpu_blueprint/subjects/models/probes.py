"""The probes of a server: it starts slowly, takes requests only when it is ready, and may be busy for long."""

from math import ceil
from typing import Any

from ...catalog.inference_servers import InferenceServer

_EVERY_S = 10


def build_probes(server: InferenceServer, start_limit_s: int) -> dict[str, Any]:
    """Return the three probes of a container.

    Args:
        server: The server, whose paths answer.
        start_limit_s: Seconds after which a container that never answered restarts.
    """
    ready = {"httpGet": {"path": server.ready, "port": "http"}}
    live = {"httpGet": {"path": server.live, "port": "http"}}
    return {
        "startupProbe": {
            **ready,
            "periodSeconds": _EVERY_S,
            # A server that compiles and warms up answers late.
            "timeoutSeconds": 5,
            "failureThreshold": ceil(start_limit_s / _EVERY_S),
        },
        "readinessProbe": {**ready, "periodSeconds": 5, "timeoutSeconds": 2, "failureThreshold": 3},
        # A busy server answers late. Only a server that is silent for minutes restarts.
        "livenessProbe": {**live, "periodSeconds": _EVERY_S, "timeoutSeconds": 5, "failureThreshold": 10},
    }
