"""Readers of public traces of GPU jobs. No trace is part of this project: their licences differ.

openb: alibaba/clusterdata, cluster-trace-gpu-v2023/README.md @0c9677b, csv/openb_pod_list_default.csv; for research and
study. helios: S-Lab-System-Group/HeliosData, README.md @106713b, cluster_log.csv; for academic purposes.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from ..errors import UsageError
from ..records import Record
from .cells import CellError, read_amount, read_moment, read_number
from .jobs import DAY_S, Job, Load
from .load_file import MOST_JOBS, LoadProblems, Row, build_load, read_rows

_MIB, _MILLI = 1024, 1000
_WHOLE = 1000
"""Thousandths of a GPU that are a whole GPU in openb; fewer are a part."""
_LEAST_S = 30.0
"""Shortest duration of a job in seconds: some jobs of a trace end when they begin."""


class Trace(Record):
    """The columns of a trace, and the reader of its rows."""

    columns: tuple[str, ...]
    read: Callable[[Mapping[str, str]], Job | None]
    """Returns the job of a row, with its submission in seconds from a Monday; None for a row without a GPU job."""


def _read_openb(cells: Mapping[str, str]) -> Job | None:
    """Read a pod. Whole GPUs are training of unknown use; a part of a GPU is a service for the QoS ``LS``, else batch.

    The trace does not say on which GPU a part was measured; it counts as a part of an L4.
    """
    gpus, part = int(read_number(cells["num_gpu"])), read_number(cells["gpu_milli"])
    if not gpus or not cells["deletion_time"]:
        return None
    is_whole = gpus > 1 or part >= _WHOLE
    submitted = read_number(cells["creation_time"])
    began = read_number(cells["scheduled_time"] or cells["creation_time"])
    return Job(
        name=cells["name"],
        purpose="training" if is_whole else "inference" if cells["qos"] == "LS" else "batch",
        submit_s=submitted,
        duration_s=max(read_number(cells["deletion_time"]) - began, _LEAST_S),
        gpus=gpus,
        used=None if is_whole else part / _WHOLE,
        gpu=None if is_whole else "l4",
        cpu=read_number(cells["cpu_milli"]) / _MILLI,
        memory_gib=read_number(cells["memory_mib"]) / _MIB,
    )


def _read_helios(cells: Mapping[str, str]) -> Job | None:
    """Read a job of Slurm; its use is not known. A job that spans nodes is left out, because a job is one pod here."""
    gpus = int(read_number(cells["gpu_num"]))
    if not gpus or int(read_number(cells["node_num"])) > 1:
        return None
    return Job(
        name=cells["job_id"],
        purpose="training",
        submit_s=read_moment(cells["submit_time"]),
        duration_s=max(read_number(cells["duration"]), _LEAST_S),
        gpus=gpus,
        cpu=read_amount(cells["cpu_num"], 1024.0),
    )


TRACES: Mapping[str, Trace] = {
    "openb": Trace(
        (
            "name",
            "cpu_milli",
            "memory_mib",
            "num_gpu",
            "gpu_milli",
            "qos",
            "creation_time",
            "deletion_time",
            "scheduled_time",
        ),
        _read_openb,
    ),
    "helios": Trace(("job_id", "gpu_num", "cpu_num", "node_num", "submit_time", "duration"), _read_helios),
}
"""Name of a trace → its columns, and the reader of its rows."""


def read_trace(name: str, path: Path, day: str) -> Load:
    """Read one day of a trace.

    Args:
        name: Name of the trace.
        path: Its file.
        day: A day such as 2020-06-09 if the trace has dates, else whole days since the trace begins, such as 120.

    Raises:
        UsageError: The file cannot be read, has problems, or has no jobs on this day.
    """
    trace, problems = TRACES[name], LoadProblems(str(path))
    begin = _read_day(name, day)
    columns = dict.fromkeys(trace.columns, "")
    rows = read_rows(path, problems, columns, trace.columns, others=True)
    jobs = list(_read_jobs(trace, rows, begin, problems))
    problems.raise_any()
    if not jobs:
        raise UsageError(f"{path}: has no GPU jobs on day {day}")
    return build_load(f"{name} {day}", jobs, problems, f"a trace of others ({name})")


def _read_jobs(trace: Trace, rows: Iterator[Row], begin: float, problems: LoadProblems) -> Iterator[Job]:
    found = 0
    for line, cells in rows:
        try:
            job = trace.read(cells)
        except CellError as error:
            problems.add(line, f"holds a cell that {error}")
            continue
        if job is None or not begin <= job.submit_s < begin + DAY_S:
            continue
        found += 1
        if found > MOST_JOBS:
            problems.add(line, f"is job {found:,}, and a load has at most {MOST_JOBS:,}")
            return
        yield job


def _read_day(name: str, day: str) -> float:
    """Return the seconds from a Monday 00:00 to the beginning of a day."""
    if day.isdecimal() and len(day) <= 5:
        return int(day) * DAY_S
    try:
        return read_moment(f"{day}T00:00:00")
    except CellError:
        example = "120" if name == "openb" else "2020-06-09"
        raise UsageError(f"--load {name}:FILE@{day}: is no day of the trace; write one such as @{example}") from None
