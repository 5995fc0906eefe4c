"""Triton's settings of each model, and the command that puts them beside the files of the storage."""

import shlex
from collections.abc import Sequence

from ...catalog.inference_servers import INFERENCE_SERVERS
from ...config.model_parts import TritonEntry
from ...config.models import TritonModel
from .arguments import REPOSITORY_FOLDER

SETTINGS_FOLDER = "/settings"
"""Folder of the ConfigMap."""
VERSION = "1"
"""Folder of the only version of each model: versions of the blueprint have Deployments of their own."""
_BACKENDS = {"onnx": "onnxruntime", "tensorrt": "tensorrt"}


def build_settings(model: TritonModel) -> dict[str, str]:
    """Return file name → text of the settings of each model, as Triton reads them (``config.pbtxt``).

    Inputs and outputs are left out: Triton reads them from ONNX graphs and TensorRT plans.
    """
    return {f"{entry.name}.pbtxt": write_settings(entry) for entry in model.models}


def write_settings(entry: TritonEntry) -> str:
    """Write the settings of one model.

    Without ``max_batch_size``, Triton takes the largest batch of a TensorRT plan.
    """
    lines = [
        f'name: "{entry.name}"',
        f'backend: "{_BACKENDS[entry.format]}"',
        f'default_model_filename: "{entry.file}"',
        f"max_batch_size: {entry.max_batch}",
        f"instance_group [ {{ kind: KIND_GPU, count: {entry.instances} }} ]",
    ]
    if entry.max_batch:
        lines.append(f"dynamic_batching {{ max_queue_delay_microseconds: {entry.window_microseconds} }}")
    return "".join(f"{line}\n" for line in lines)


def build_command(model: TritonModel, weights: str, arguments: Sequence[str]) -> list[str]:
    """Return the arguments of the container: they link files and settings into one folder, and start Triton.

    The storage is read-only and belongs to the team, and a ConfigMap holds no folders, so neither can hold the other. A
    container that restarts finds its links. The image's entry point stays: it looks for CUDA's compatibility.
    """
    commands = [words for entry in model.models for words in _list_links(entry, weights)]
    # The shell becomes the server, which so hears of its own end.
    script = " && ".join([*map(shlex.join, commands), 'exec tritonserver "$@"'])
    return ["sh", "-c", script, INFERENCE_SERVERS["triton"].name, *arguments]


def _list_links(entry: TritonEntry, weights: str) -> list[list[str]]:
    """Return the commands that put one model together."""
    folder = f"{REPOSITORY_FOLDER}/{entry.name}"
    return [
        ["mkdir", "-p", folder],
        ["ln", "-sfn", locate_version(entry, weights), f"{folder}/{VERSION}"],
        ["ln", "-sf", f"{SETTINGS_FOLDER}/{entry.name}.pbtxt", f"{folder}/config.pbtxt"],
    ]


def locate_version(entry: TritonEntry, weights: str) -> str:
    """Return the folder with the files of one model, below the place of the weights."""
    return f"{weights}/{entry.name}/{VERSION}"
