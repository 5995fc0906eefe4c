"""Measure speed and memory: ``make bench``. Each line shows our number, a floor, and our number divided by the floor.

A floor is the least that the same kind of work takes in a plain program (bench_work.py). The numbers are medians of
processes that run in turns, ours and the floor. The program has no limits and never fails. bench_lab.py measures
rehearsals.
"""

import json
import platform
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from .bench_lab import main as measure_lab
from .support.processes import PATIENCE_S

Command = tuple[str, ...]
"""Arguments of the Python interpreter."""


@dataclass(frozen=True)
class Line:
    """One line of the table: two commands and the number of each that the line shows."""

    name: str
    ours: Command
    floor: Command
    floor_name: str
    number: str = "process"
    """``process`` is the time of a whole process; the work itself measures all other numbers."""
    floor_number: str = ""
    """The number of the floor, if it is not the same."""


def make_command(name: str, *arguments: int | str) -> Command:
    """Return the command that does one piece of work of bench_work.py."""
    return ("-m", "tests.bench_work", name, *map(str, arguments))


CHECK, PREVIEW = ("-m", "gpu_blueprint", "check", "prod"), ("-m", "gpu_blueprint", "preview", "prod")
LARGE, FEW_MAPS, MANY_MAPS = make_command("record_synthetic", 100, 1000), 250, 5701
MAPS = make_command("record_config_maps", MANY_MAPS)
LINES = (
    Line("check prod, whole process", CHECK, make_command("load_one_model"), "one pydantic model"),
    Line(
        "preview prod, whole process", PREVIEW, make_command("record_config_maps", FEW_MAPS), f"{FEW_MAPS} ConfigMaps"
    ),
    Line(
        "plan of prod, warm",
        make_command("record_warm", "prod"),
        make_command("record_config_maps_warm", 148),
        "148 ConfigMaps",
        "seconds",
    ),
    Line("plan of 100 pools, 1,000 tenants", LARGE, MAPS, f"{MANY_MAPS:,} ConfigMaps", "seconds"),
    Line("the same, MiB", LARGE, MAPS, f"{MANY_MAPS:,} ConfigMaps", "mebibytes"),
    Line("every policy over it", LARGE, MAPS, f"{MANY_MAPS:,} ConfigMaps", "rules", "seconds"),
    Line(
        "the same plan, by resource", LARGE, make_command("record_synthetic", 10, 100), "10 pools, 100 tenants", "each"
    ),
    Line(
        "cost of 500 pools, 1,000 tenants",
        make_command("estimate_cost", 500, 1000),
        make_command("estimate_cost", 50, 100),
        "50 pools, 100 tenants",
        "seconds",
    ),
)
RUNS, RUNS_OF_LARGE = 7, 3


def main() -> None:
    """Measure and print."""
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}; seconds, medians")
    print(f"{'':34}{'ours':>10}{'floor':>10}{'ratio':>8}  floor")
    measured: dict[Command, dict[str, float]] = {}
    for line in LINES:
        if line.ours not in measured or line.floor not in measured:
            measured |= _measure_in_turns([line.ours, line.floor])
        ours, floor = measured[line.ours][line.number], measured[line.floor][line.floor_number or line.number]
        print(f"{line.name:34}{ours:10.4g}{floor:10.4g}{ours / floor:7.2f}x  {line.floor_name}", flush=True)
    measure_lab()


def _measure_in_turns(commands: list[Command]) -> dict[Command, dict[str, float]]:
    """Run the commands in turns, several times, and return the medians of their numbers."""
    found: dict[Command, list[Mapping[str, float]]] = {command: [_run(command)] for command in commands}
    is_slow = any(runs[0]["process"] > 3 for runs in found.values())
    for _ in range(RUNS_OF_LARGE if is_slow else RUNS):
        for command in commands:
            found[command].append(_run(command))
    return {
        command: {number: median(run[number] for run in runs[1:]) for number in runs[0]}
        for command, runs in found.items()
    }


def _run(command: Command) -> dict[str, float]:
    """Run a process and return its numbers."""
    start = time.perf_counter()
    finished = subprocess.run(
        [sys.executable, *command], check=True, stdout=subprocess.PIPE, text=True, timeout=PATIENCE_S
    )
    numbers = {"process": time.perf_counter() - start}
    return numbers | json.loads(finished.stdout) if "tests.bench_work" in command else numbers


if __name__ == "__main__":
    main()
