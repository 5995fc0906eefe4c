"""The load that is replayed: jobs with their times, their requests and their use of GPUs."""

from ..records import Record

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S


class Job(Record, kw_only=True):
    """One pod that requests GPUs. It runs for ``duration_s`` on every GPU, even on one that is slower or crowded."""

    name: str
    purpose: str | None = None
    """Purpose of the pools that may run it; None if only the pool that it names may."""
    pool: str | None = None
    submit_s: float
    """Seconds after the beginning of its stretch."""
    duration_s: float
    gpus: int = 1
    """Whole GPUs. A pool that shares its GPUs runs only jobs with 1, and gives each one share or one MIG instance."""
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
    """Line of the job in its file, for messages; 0 without a file."""


class Stretch(Record):
    """The jobs that are submitted in some days in a row. At the beginning only static nodes run."""

    jobs: tuple[Job, ...]
    begins_s: float
    """Seconds from Monday 00:00 to its beginning, in the time zone of the stack."""
    length_s: float
    """Length in seconds, a multiple of a day."""

    @property
    def days(self) -> int:
        """The number of days."""
        return round(self.length_s / DAY_S)


class Load(Record, kw_only=True):
    """The jobs to replay, in one stretch or in several; each stretch is simulated by itself."""

    name: str
    stretches: tuple[Stretch, ...]
    method: str
    """Where the jobs come from, in words."""
    file: str = ""

    @property
    def days(self) -> int:
        """The number of days of all stretches."""
        return sum(stretch.days for stretch in self.stretches)
