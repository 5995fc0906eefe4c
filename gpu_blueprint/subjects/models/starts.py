"""The start of a replica: the amounts that it waits for, and the time after which it has failed."""

from math import ceil

from ...catalog.quantizations import find_quantization
from ...catalog.server_images import default_server_image
from ...config import Pool, StackConfig
from ...config.models import ServedModel, VllmModel
from ...config.pod_start import PodStart
from ..pools.start_times import StartTime, estimate_start
from .images import find_image
from .memory import count_weights_gib

_WARMUP = {"vllm": "90s", "triton": "10s"}
_LEAST_LIMIT_S = 600
_PATIENCE = 3
"""A start may take this many times its estimate before the replica counts as failed."""
_LEAST_PROGRESS_S = 3600
_SPARE_GIB = 20
"""GiB beside the weights of a repository: tokenizer, index, and the parts that the download keeps while it works."""


def estimate_model_start(config: StackConfig, pool: Pool, model: ServedModel) -> StartTime | None:
    """Return the start of a replica on a new node; None if no type of the pool can launch."""
    return estimate_start(config, pool, find_amounts(model))


def find_amounts(model: ServedModel) -> PodStart:
    """Return the sizes of the image and the weights of a replica."""
    weights = count_stored_gib(model)
    return PodStart.model_construct(
        image_gib=(find_image(model) or default_server_image(model.server_name)).gib,
        weights_gib=weights,
        weights_from=model.source.storage if weights else None,
        warmup=_WARMUP[model.server_name],
    )


def find_start_limit(config: StackConfig, pool: Pool, model: ServedModel) -> int:
    """Return the seconds after which a container that does not answer restarts; node and image are there by then."""
    start = estimate_model_start(config, pool, model)
    waited = start.weights.seconds + start.warmup.seconds if start else 0
    return max(_LEAST_LIMIT_S, _PATIENCE * waited)


def find_progress_limit(config: StackConfig, pool: Pool, model: ServedModel) -> int:
    """Return the seconds after which Kubernetes says that a rollout stands still: node, image and weights take time."""
    start = estimate_model_start(config, pool, model)
    before = start.node.seconds + start.image.seconds if start else 0
    return max(_LEAST_PROGRESS_S, before + find_start_limit(config, pool, model))


def count_stored_gib(model: ServedModel) -> float | None:
    """Return the GiB of the weights where they are stored; None if nobody knows their size.

    vLLM makes some formats only at the start, from weights of the full size.
    """
    if not isinstance(model, VllmModel) or model.shape is None:
        return None
    makes_format = model.quantization and find_quantization(model.quantization).made == "load"
    stored = model.model_copy(update={"quantization": None}) if makes_format else model
    return count_weights_gib(stored, model.shape)


def find_download_gib(model: ServedModel) -> int | None:
    """Return the GiB of a node's disk that a replica needs for weights that it downloads; None if it downloads none."""
    if not model.source.repository:
        return None
    return ceil(count_stored_gib(model) or 0) + _SPARE_GIB
