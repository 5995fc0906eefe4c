"""The start of a replica: the amounts that it waits for, and the time after which it has failed."""

from ..catalog.server_images import default_server_image
from ..config import Pool, StackConfig
from ..config.models import ServedModel, VllmModel
from ..config.pod_start import PodStart
from ..readiness.start_times import StartTime, estimate_start
from .images import find_image
from .memory import count_weights_gib

_WARMUP = {"vllm": "90s", "triton": "10s"}
_LEAST_LIMIT_S = 600
_PATIENCE = 3
"""A start may take this many times its estimate before the replica counts as failed."""


def estimate_model_start(config: StackConfig, pool: Pool, model: ServedModel) -> StartTime | None:
    """Return the start of a replica on a new node; None if no type of the pool can launch."""
    return estimate_start(config, pool, find_amounts(model))


def find_amounts(model: ServedModel) -> PodStart:
    """Return the sizes of the image and the weights of a replica."""
    weights = None
    if isinstance(model, VllmModel) and model.shape:
        weights = count_weights_gib(model, model.shape)
    return PodStart.model_construct(
        image_gib=(find_image(model) or default_server_image(model.server_name)).gib,
        weights_gib=weights,
        weights_from=model.source.storage if weights else None,
        warmup=_WARMUP[model.server_name],
    )


def find_start_limit(config: StackConfig, pool: Pool, model: ServedModel) -> int:
    """Return the seconds after which a container that does not answer starts anew; node and image are there by then."""
    start = estimate_model_start(config, pool, model)
    waited = start.weights.seconds + start.warmup.seconds if start else 0
    return max(_LEAST_LIMIT_S, _PATIENCE * waited)
