"""Signals on which models scale where the stack file states none.

The queue alone is no measure of load: it is empty as long as the replicas suffice, so they would go to the minimum
after the quiet time, and come back once requests wait. The requests in flight stay.
"""

from collections.abc import Iterator

from ...config import Service, StackConfig
from ...config.models import ServedModel, TritonModel, VllmModel
from ...config.services import InFlight, Queue, Signal
from .memory import measure_model

USUAL_MAX_SEQS = 256
"""Most requests that vLLM computes at once by default; 1024 on GPUs of 70 GiB and more, but for A100 (vLLM,
engine/arg_utils.py, get_batch_defaults, read 2026-11-29). The smaller number asks for replicas earlier."""
FULL = 0.8
"""Part of a replica's places that is in use when the next replica starts."""
WAITING = 4
"""Requests that may wait for each replica: the sign that it computes fewer at once than was thought."""


def list_scaled_services(stack: StackConfig) -> Iterator[Service]:
    """Yield every Deployment that scales, of teams and of models, with its signals."""
    yield from stack.services
    for model in stack.models:
        yield from (scale_model(stack, version) for version in model.list_versions())


def scale_model(stack: StackConfig, model: ServedModel) -> Service:
    """Return a version of a model as a service with its signals: the stated ones, or those of its places."""
    service = model.to_service()
    return service if service.scale_on else service.model_copy(update={"scale_on": _list_usual_signals(stack, model)})


def count_places(stack: StackConfig, model: ServedModel) -> int:
    """Return how many requests a replica of a model computes at once; at least 1.

    vLLM: sequences of the greatest length in the KV cache, and at most ``max-num-seqs``. Triton: the batches of all
    instances of its models.
    """
    match model:
        case TritonModel():
            return sum(entry.instances * max(entry.max_batch, 1) for entry in model.models)
        case VllmModel():
            most = model.max_num_seqs or USUAL_MAX_SEQS
            memory = measure_model(stack, stack.gpu_pools_by_name[model.pool], model)
            return max(1, min(most, memory.sequences)) if memory else most
    raise TypeError(model)


def _list_usual_signals(stack: StackConfig, model: ServedModel) -> list[Signal]:
    full = max(1, int(FULL * count_places(stack, model)))
    return [
        InFlight.model_construct(signal="in-flight", per_replica=full),
        Queue.model_construct(signal="queue", per_replica=WAITING),
    ]
