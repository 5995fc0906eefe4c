"""The words above the YAML of a run: warnings, and how to apply, follow and delete it."""

from collections.abc import Iterator

from ..config import S3Storage, StackConfig
from ..images.sources import split_name
from .environment import name_checkpoint_folder
from .jobs import NO_RETRY_CODE, STOPPED_CODE
from .requests import find_efa_support
from .run import TrainingRun


def list_warnings(config: StackConfig, run: TrainingRun) -> Iterator[str]:
    """Yield what makes a run slower or less safe than it could be, each with its remedy."""
    if run.spans_nodes and not run.pool.multi_node:
        types = config.list_instances(run.pool)
        hint = "multiNode: {} with one instance type and one zone turns EFA on"
        if not any(row.efa_interfaces for row in types):
            hint = f"no type of its nodes has EFA ({', '.join(row.instance_type for row in types)})"
        yield f"pool {run.pool.name} has no EFA, so the nodes talk over TCP: {hint}"
    elif run.spans_nodes and find_efa_support(config, run.image) == "by-release":
        yield (
            f"some releases of {split_name(run.image)[0]} lack aws-ofi-nccl, and NCCL takes TCP without it: "
            "NCCL_DEBUG=INFO must print NET/OFI"
        )


def list_notes(run: TrainingRun) -> Iterator[str]:
    """Yield how people start, follow and end a run."""
    kind, place = "jobset" if run.spans_nodes else "job", f"--namespace {run.tenant.namespace_name}"
    pods = f"job/{run.name}"
    if run.spans_nodes:
        pods = f"--selector jobset.sigs.k8s.io/jobset-name={run.name} --prefix --tail=-1 --max-log-requests={run.nodes}"
    yield "apply:  put this text into a file, then kubectl apply --filename FILE"
    yield f"follow: kubectl logs --follow {place} {pods}"
    yield f"delete: kubectl delete {kind} {run.name} {place}"
    yield f"exit code {NO_RETRY_CODE} ends the run at once; {STOPPED_CODE} means saved and stopped, and is not counted"
    if run.checkpoints and isinstance(run.checkpoints.storage, S3Storage):
        yield (
            f"{name_checkpoint_folder(run)} is a bucket: nothing there can be renamed or appended to; write new files, "
            "and last a file that marks the checkpoint as complete"
        )
