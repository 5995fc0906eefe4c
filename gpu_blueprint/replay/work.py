"""The GPU work that a job wants on a pool's GPUs, and the part of it that its units allow."""

from ..catalog import Gpu, find_gpu
from ..records import Record
from .nodes import Work
from .offers import Offer
from .placing import Placed


class WantedWork(Record):
    """The GPU work of a job while it runs."""

    useful: float
    """Busy GPUs of the model on which the job was measured, if no unit limited them."""
    limited: Work
    """The work that its units allow."""


def measure_work(placed: Placed, offer: Offer) -> WantedWork:
    """Return the work of a job in a pool; 0 for a job whose use is not known.

    MIG instances, MPS clients and vGPU fractions limit a job to their part of the GPU; time-slicing does not.
    """
    job, unit = placed.job, offer.units[placed.request.unit]
    share = unit.share * job.gpus
    useful = (job.used or 0.0) * job.gpus
    wanted = useful * _compare_speed(job.gpu, offer.gpu)
    kept = min(wanted, share if unit.is_hard else float(job.gpus))
    return WantedWork(useful, Work(share, kept, useful * kept / wanted if wanted else 0.0))


def _compare_speed(measured_on: str | None, runs_on: Gpu) -> float:
    """Return how many GPUs ``runs_on`` do the work of one ``measured_on``, by tensor speed; 1 if a speed is unknown."""
    reference = find_gpu(measured_on).tensor_tflops if measured_on else None
    if reference is None or runs_on.tensor_tflops is None:
        return 1.0
    return reference / runs_on.tensor_tflops
