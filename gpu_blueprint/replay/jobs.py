"""The load that is replayed: jobs with their times, their requests and their use of GPUs."""

from ..records import Record

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


class Job(Record, kw_only=True):
    """One pod with GPUs. It takes its duration on every GPU, also on one that is slower or crowded."""

    name: str
    purpose: str | None = None
    """Purpose of the pools that suit it; None for a job that only its named pool takes."""
    pool: str | None = None
    submit_s: float
    """Seconds after the beginning of its stretch."""
    duration_s: float
    gpus: int = 1
    """Whole GPUs where no GPU is shared; where GPUs are shared, the job takes one share or one MIG instance."""
    used: float | None = None
    """Mean activity of each of its GPUs from 0 to 1, on the model ``gpu``; None if it is not known."""
    gpu: str | None = None
    """GPU model of the catalogue on which ``used`` was measured."""
    gpu_memory_gib: float | None = None
    """GPU memory that it needs on each of its GPUs; None if it is not known."""
    cpu: float | None = None
    """CPUs that its pod requests; None for the ``podSize`` of its pool."""
    memory_gib: float | None = None
    line: int = 0
    """Line of the file that holds the job, for messages; 0 without a file."""


class Stretch(Record):
    """Jobs of one stretch of time, which begins without nodes."""

    jobs: tuple[Job, ...]
    begins_s: float
    """Seconds from Monday 00:00 to its beginning, in the time zone of the stack."""
    length_s: float
    """Whole days."""

    @property
    def days(self) -> int:
        """Days of the stretch."""
        return round(self.length_s / DAY_S)


class Load(Record, kw_only=True):
    """A load with one stretch, or with several that are simulated apart."""

    name: str
    stretches: tuple[Stretch, ...]
    method: str
    """The origin of the jobs in words."""
    file: str = ""

    @property
    def days(self) -> int:
        """Days of all stretches."""
        return sum(stretch.days for stretch in self.stretches)
