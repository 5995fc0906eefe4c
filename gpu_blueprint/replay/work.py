"""The GPU work that a job wants on the GPUs of a pool, and the part that its units let it do."""

from ..catalog import Gpu, find_gpu
from ..records import Record
from .nodes import Work
from .offers import Offer
from .placing import Placed


class WantedWork(Record):
    """The work of a job in each second."""

    useful: float
    """GPUs of the model on which its use was measured, as if no unit limited it."""
    limited: Work
    """The work as far as its units let it."""


def measure_work(placed: Placed, offer: Offer) -> WantedWork:
    """Return the work of a job in a pool; 0 for a job whose use is not known.

    A MIG instance and an MPS client have a fixed part of the GPU. A pod that takes turns may use the whole GPU.
    """
    job, unit = placed.job, offer.units[placed.request.unit]
    share = unit.share * job.gpus
    useful = (job.used or 0.0) * job.gpus
    wanted = useful * _compare_speed(job.gpu, offer.gpu)
    kept = min(wanted, share if unit.is_hard else float(job.gpus))
    return WantedWork(useful, Work(share, kept, useful * kept / wanted if wanted else 0.0))


def _compare_speed(measured_on: str | None, runs_on: Gpu) -> float:
    """Return how many GPUs of a model do the work of one GPU of another, by the speed of their tensor cores."""
    reference = find_gpu(measured_on).tensor_tflops if measured_on else None
    if reference is None or runs_on.tensor_tflops is None:
        return 1.0
    return reference / runs_on.tensor_tflops
