"""Speed and memory, measured: ``make bench``. Prints medians and ratios; judges nothing."""

import json
import platform
import resource
import subprocess
import sys
import time
from statistics import median
from typing import Any

from gpu_blueprint.loading.stack_file import read

from .support.builders import pool, stack, tenant

_RUNS = 7


def main() -> None:
    """Measure and print."""
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.machine()}, median of {_RUNS}")
    print(f"check prod    whole process {_process('check', 'prod'):6.2f} s")
    print(f"preview prod  whole process {_process('preview', 'prod'):6.2f} s")
    print(f"preview prod  warm          {_child('warm')['seconds']:6.2f} s")
    small, large = _child("synthetic", "10", "100"), _child("synthetic", "100", "1000")
    for run in (small, large):
        print(
            f"synthetic     {run['resources']:5} resources  {run['seconds']:6.2f} s"
            f"  {1000 * run['seconds'] / run['resources']:5.2f} ms each  {run['mebibytes']:4.0f} MiB"
            f"  every rule {run['rules']:5.2f} s"
        )
    ratio = (large["seconds"] / large["resources"]) / (small["seconds"] / small["resources"])
    print(f"time per resource, large against small: {ratio:.2f}")


def _process(*arguments: str) -> float:
    """Median wall time of a whole command, in seconds."""

    def once() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-m", "gpu_blueprint", *arguments], check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - start

    once()
    return median(once() for _ in range(_RUNS))


def _child(*arguments: str) -> dict[str, Any]:
    """Run one measurement in a process of its own, so that memory counts alone."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench", *arguments], check=True, stdout=subprocess.PIPE, text=True
    )
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def synthetic(pools: int, tenants: int) -> dict[str, Any]:
    """A stack object of any size."""
    return stack(
        pools=[
            pool(name=f"pool-{n}", sharing={"mode": "time-slicing", "replicas": 4}, maxGpus=64) for n in range(pools)
        ],
        tenants=[tenant(name=f"team-{n}", gpus={f"pool-{n % pools}": 4}) for n in range(tenants)],
    )


def _measure(kind: str, *sizes: str) -> dict[str, Any]:
    from gpu_blueprint.judging.verdicts import findings
    from gpu_blueprint.plan import record

    if kind == "warm":
        config = read("prod").config
        record("prod", config)
        seconds = []
        for _ in range(_RUNS):
            start = time.perf_counter()
            record("prod", config)
            seconds.append(time.perf_counter() - start)
        return {"seconds": median(seconds)}
    config = {"aws:region": "us-east-1", "gpu-blueprint:stack": synthetic(int(sizes[0]), int(sizes[1]))}
    start = time.perf_counter()
    plan = record("synthetic", config)
    elapsed = time.perf_counter() - start
    start = time.perf_counter()
    findings(plan, {})
    return {
        "rules": time.perf_counter() - start,
        "resources": len(plan),
        "seconds": elapsed,
        "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    if sys.argv[1:]:
        print(json.dumps(_measure(*sys.argv[1:])))
    else:
        main()
