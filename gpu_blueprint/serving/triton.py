"""Triton's settings of each model, and the command that puts them beside the files of the storage."""

from collections.abc import Sequence

from ..catalog.inference_servers import INFERENCE_SERVERS
from ..config.model_parts import TritonEntry
from ..config.models import TritonModel
from .arguments import REPOSITORY_FOLDER

SETTINGS_FOLDER = "/settings"
"""Folder of the ConfigMap."""
_PLATFORMS = {"onnx": ("onnxruntime", "model.onnx"), "tensorrt": ("tensorrt", "model.plan")}


def name_settings(model: TritonModel) -> str:
    """Return the name of the ConfigMap of a version."""
    return f"{model.deployment}-settings"


def build_settings(model: TritonModel) -> dict[str, str]:
    """Return file name → text of the settings of each model, as Triton reads them (``config.pbtxt``).

    Inputs and outputs are left out: Triton reads them from ONNX graphs and TensorRT plans.
    """
    return {f"{entry.name}.pbtxt": write_settings(entry) for entry in model.models}


def write_settings(entry: TritonEntry) -> str:
    """Write the settings of one model."""
    backend, file = _PLATFORMS[entry.format]
    lines = [
        f'name: "{entry.name}"',
        f'backend: "{backend}"',
        f'default_model_filename: "{file}"',
        f"max_batch_size: {entry.max_batch}",
        f"instance_group [ {{ kind: KIND_GPU, count: {entry.instances} }} ]",
    ]
    if entry.max_batch:
        lines.append(f"dynamic_batching {{ max_queue_delay_microseconds: {entry.window_microseconds} }}")
    return "".join(f"{line}\n" for line in lines)


def build_command(model: TritonModel, weights: str, arguments: Sequence[str]) -> list[str]:
    """Return the arguments of the container: they link files and settings into one folder, and start Triton.

    The storage is read-only and belongs to the team, and a ConfigMap holds no folders, so neither can hold the other. A
    container that starts anew finds its links. The image's entry point stays: it looks for CUDA's compatibility.
    """
    links = [
        f"mkdir -p {REPOSITORY_FOLDER}/{entry.name}"
        f" && ln -sfn {weights}/{entry.name}/1 {REPOSITORY_FOLDER}/{entry.name}/1"
        f" && ln -sf {SETTINGS_FOLDER}/{entry.name}.pbtxt {REPOSITORY_FOLDER}/{entry.name}/config.pbtxt"
        for entry in model.models
    ]
    # The shell becomes the server, which so hears of its own end.
    return ["sh", "-c", " && ".join([*links, 'exec tritonserver "$@"']), INFERENCE_SERVERS["triton"].name, *arguments]
