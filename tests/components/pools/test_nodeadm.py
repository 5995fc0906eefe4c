"""User data of GPU nodes: the container runtime gives no GPUs to pods that only name them in their environment."""

import base64
import os
import subprocess
import tomllib
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Any

import pytest
import yaml

from components.pools.nodeadm import CLOSE_GPU_ENVIRONMENT
from lab.aws.user_data import read_user_data

from ...support import builders
from ...support.lab_scenes import CLUSTER, node_config
from ...support.plans import find_resource, plan_of
from ...support.processes import PATIENCE_S

ENVVAR = "accept-nvidia-visible-devices-envvar-when-unprivileged"


def read_user_data_of(**fields: Any) -> str:
    """The user data of a pool's nodes, in clear."""
    planned = plan_of(builders.stack(pools=[builders.pool(**fields)]))
    if "staticNodes" in fields:
        return base64.b64decode(find_resource(planned, "LaunchTemplate", "main-template").inputs["userData"]).decode()
    text: str = find_resource(planned, "EC2NodeClass").inputs["spec"]["userData"]
    return text


def read_parts(text: str) -> list[Message]:
    return [part for part in message_from_string(text).walk() if not part.is_multipart()]


STATIC = {"instanceTypes": ["g6.xlarge"], "zones": ["us-east-1a"], "maxGpus": 2, "staticNodes": 2}


@pytest.mark.parametrize("fields", [{}, STATIC], ids=["Karpenter", "static"])
def test_a_script_closes_the_runtime_before_nodeadm_reads_its_config(fields: dict[str, Any]) -> None:
    script, config = read_parts(read_user_data_of(**fields))
    assert (script.get_content_type(), config.get_content_type()) == (
        "text/x-shellscript",
        "application/node.eks.aws",
    )
    assert script.get_payload() == CLOSE_GPU_ENVIRONMENT
    assert yaml.safe_load(str(config.get_payload()))["kind"] == "NodeConfig"


def run_script(folder: Path, *, fails: bool) -> str:
    """The calls that the script makes on a node."""
    for name in ("nvidia-ctk", "shutdown"):
        program = folder / name
        program.write_text(f'#!/bin/bash\necho {name} "$@" >> {folder}/calls\nexit {int(fails)}\n')
        program.chmod(0o755)
    script = folder / "script"
    script.write_text(CLOSE_GPU_ENVIRONMENT)
    subprocess.run(
        ["bash", script], env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}, check=False, timeout=PATIENCE_S
    )
    return (folder / "calls").read_text()


def test_the_script_sets_the_option_of_nvidias_runtime(tmp_path: Path) -> None:
    (call,) = run_script(tmp_path, fails=False).splitlines()
    assert call.startswith("nvidia-ctk config --in-place ") and f"--set {ENVVAR}=false" in call


def test_a_node_whose_runtime_stays_open_goes_down(tmp_path: Path) -> None:
    assert run_script(tmp_path, fails=True).splitlines()[-1] == "shutdown -h now"


def test_the_labs_nodes_read_the_config_beside_the_script() -> None:
    ours = read_user_data_of()
    theirs = node_config({"team": "a"}).partition("--")[2]
    boundary = theirs.partition("\n")[0]
    joined = ours.replace("--BOUNDARY--", "").replace("BOUNDARY", boundary) + "--" + theirs
    settings = read_user_data(joined, CLUSTER)
    assert settings.labels["team"] == "a" and settings.family == "al2023"


@pytest.mark.parametrize("sharing", [{"mode": "exclusive"}, {"mode": "mps", "replicas": 4}])
def test_bottlerocket_ignores_the_environment_too(sharing: dict[str, Any]) -> None:
    settings = tomllib.loads(read_user_data_of(ami={"family": "bottlerocket"}, sharing=sharing))["settings"]
    assert settings["nvidia-container-runtime"] == {"visible-devices-envvar-when-unprivileged": False}
    assert "device-list-strategy" not in settings.get("kubelet-device-plugins", {}).get("nvidia", {})
