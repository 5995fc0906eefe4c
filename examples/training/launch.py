"""torchrun, with the exit code of its ranks and with SIGTERM for as long as the pod has: `python launch.py train.py …`.

torchrun itself ends with 1 whatever code its ranks end with, so Kubernetes could not tell a stop from a crash. It also
kills ranks 30 seconds after SIGTERM, unless TORCH_ELASTIC_SHUTDOWN_TIMEOUT says more. Flags and PET_* variables are
torchrun's.
"""

import os
import signal
import sys
from pathlib import Path

from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
from torch.distributed.run import parse_args, run

from stopping import STOPPED, StopRequest, choose_exit_code


def list_children() -> list[int]:
    """Return the processes that torchrun started in this process."""
    return [int(child) for child in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def main() -> int:
    """Run the ranks of this node, and return the exit code of the node."""
    stop = StopRequest()

    def forward(*_: object) -> None:
        stop.note()
        children = list_children()
        for child in children:
            os.kill(child, signal.SIGTERM)
        if not children:
            os._exit(STOPPED)  # the other nodes are not there yet, so no rank has begun

    signal.signal(signal.SIGTERM, forward)
    try:
        # torchrun would take SIGTERM itself, kill the ranks after its own time, and forget their exit codes.
        run(parse_args(["--signals-to-handle", "SIGINT,SIGHUP,SIGQUIT", *sys.argv[1:]]))
    except ChildFailedError as failed:
        print(failed, file=sys.stderr)
        return choose_exit_code((failure.exitcode for failure in failed.failures.values()), bool(stop))
    return 0


if __name__ == "__main__":
    sys.exit(main())
