"""The environment of a training process: how ranks meet, how NCCL talks, and what is kept of a collective that hangs.

torchrun reads each of its flags from a variable ``PET_…`` first (torch.distributed.argparse_util), so the command needs
none of them, and a flag in the command wins. The rendezvous is static: the rank of a node is the index of its pod, the
same after each restart, so that a node finds the part of a sharded checkpoint that it wrote.

Some variables are left out on purpose. ``NCCL_SHM_USE_CUDA_MEMCPY`` makes g5 and g6 faster by AWS's word, and hangs
PyTorch by NVIDIA's (nccl issues 803, 922 and 1298). ``TORCH_NCCL_ASYNC_ERROR_HANDLING=1`` aborts collectives before
they are recorded (torchtitan, ``distributed/utils.py``); PyTorch's default of 3 suits. ``FI_PROVIDER``, ``NCCL_PROTO``
and ``RDMAV_FORK_SAFE`` harm on software of today (awsome-distributed-training, efa-cheatsheet). Read 2026-11-23.
``expandable_segments`` of PyTorch's allocator makes memory that processes share by file descriptors;
seccomp's RuntimeDefault refuses ``pidfd_getfd``, which fetches them (pytorch issue 165685, openucx issue 11548).
"""

from collections.abc import Iterator
from typing import Any

from ...config import StackConfig
from ...config.scalars import count_seconds
from .run import TrainingRun
from .volumes import SCRATCH_FOLDER, has_scratch

_CLEAN_UP_S = 5
"""Seconds that torchrun itself needs after its workers."""
_PORT = 29500
_ALONE = "127.0.0.1"
_RANK = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
_FIRST_NODE = "metadata.annotations['jobset.sigs.k8s.io/coordinator']"
_JOB_ID = "metadata.labels['batch.kubernetes.io/controller-uid']"
_JOBSET_ID = "metadata.labels['jobset.sigs.k8s.io/jobset-uid']"
_ATTEMPT = "metadata.labels['jobset.sigs.k8s.io/restart-attempt']"
_RECORDED = 2000
"""Collectives of which each rank keeps time, size and stack (PyTorch tutorial, "Flight Recorder")."""


def list_variables(config: StackConfig, run: TrainingRun) -> list[dict[str, Any]]:
    """Return the environment of the container, with the variables of the run's owner.

    A variable that the template has keeps its place, others come last. So a value may name the template's folders, as
    in ``$(CHECKPOINT_DIR)``: the kubelet knows the variables above.
    """
    given = {name: _set(name, value.replace("$$", "$$$$")) for name, value in run.env}
    ours = [*_meet(run), *_talk(run), *_end_and_explain(config, run), *_keep(config, run)]
    replaced = [given.pop(variable["name"], variable) for variable in ours]
    return [*replaced, *given.values()]


def _set(name: str, value: object) -> dict[str, Any]:
    return {"name": name, "value": str(value)}


def _read(name: str, path: str) -> dict[str, Any]:
    """Take a variable from the pod's annotations, which the controllers of Job and JobSet write."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": path}}}


def _meet(run: TrainingRun) -> Iterator[dict[str, Any]]:
    """Yield the variables by which the processes of all nodes find each other."""
    yield _set("PET_NNODES", run.nodes)
    yield _set("PET_NPROC_PER_NODE", run.gpus)
    yield _read("PET_NODE_RANK", _RANK) if run.spans_nodes else _set("PET_NODE_RANK", 0)
    yield _read("PET_MASTER_ADDR", _FIRST_NODE) if run.spans_nodes else _set("PET_MASTER_ADDR", _ALONE)
    yield _set("PET_MASTER_PORT", _PORT)
    if run.spans_nodes:
        # Seconds; torchrun gives up after 900 by itself (LaunchConfig; static_tcp_rendezvous reads ``timeout``).
        yield _set("PET_RDZV_CONF", f"timeout={count_seconds(run.wait)}")


def _talk(run: TrainingRun) -> Iterator[dict[str, Any]]:
    """Yield the variables of NCCL and EFA."""
    yield _set("NCCL_DEBUG", "WARN")
    if not run.spans_nodes:
        return
    # A pod has eth0 of the VPC CNI; the names that AWS's cheat sheet gives are those of the node.
    yield _set("NCCL_SOCKET_IFNAME", "^docker,lo,veth")
    if run.pool.multi_node and not run.pool.multi_node.hugepages:
        # libfabric would take hugepages that the pod does not have, and a data loader's fork would fail without them.
        yield _set("FI_EFA_USE_HUGE_PAGE", 0)


def _end_and_explain(config: StackConfig, run: TrainingRun) -> Iterator[dict[str, Any]]:
    """Yield the variables of the end: time for the last checkpoint, and a record of a collective that hangs."""
    # torchrun kills its workers 30 s after SIGTERM; PyTorch 2.12 and later read another time (pull request 172596).
    yield _set("TORCH_ELASTIC_SHUTDOWN_TIMEOUT", max(run.grace - _CLEAN_UP_S, 0))
    # The names of PyTorch before 2.9, which later versions read too; there TORCH_FR_… wins beside them, with a warning.
    yield _set("TORCH_NCCL_TRACE_BUFFER_SIZE", _RECORDED)
    yield _set("TORCH_NCCL_DUMP_ON_TIMEOUT", 1)
    # Scratch goes with the pod, and such a collective ends the pod.
    passing = SCRATCH_FOLDER if has_scratch(config, run.pool) else "/tmp"  # noqa: S108
    folder = name_checkpoint_folder(run) or passing
    yield _set("TORCH_NCCL_DEBUG_INFO_TEMP_FILE", f"{folder}/nccl_trace_rank_")


def _keep(config: StackConfig, run: TrainingRun) -> Iterator[dict[str, Any]]:
    """Yield the variables of cores and folders."""
    # The node's cores are all that a process sees by itself, and data loaders count them.
    yield {"name": "CPU_REQUEST", "valueFrom": {"resourceFieldRef": {"resource": "requests.cpu"}}}
    if has_scratch(config, run.pool):
        yield _set("SCRATCH_DIR", SCRATCH_FOLDER)
    if run.checkpoints:
        yield _set("CHECKPOINT_DIR", name_checkpoint_folder(run))
        yield _read("RUN_ID", _JOBSET_ID if run.spans_nodes else _JOB_ID)
        if run.spans_nodes:
            yield _read("RUN_ATTEMPT", _ATTEMPT)
        # Each `kubectl apply` of a run that was deleted begins with a folder of its own.
        yield _set("FAILURES_DIR", f"{name_checkpoint_folder(run)}/failures/$(RUN_ID)")


def name_checkpoint_folder(run: TrainingRun) -> str:
    """Return the folder of a run's checkpoints; empty if the command keeps them by itself.

    Teams may share a bucket or a file system, so the folder begins with the team's name.
    """
    return f"{run.checkpoints.path}/{run.tenant.name}/{run.name}" if run.checkpoints else ""
