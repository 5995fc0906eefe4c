"""Access to the control plane for programs that act as service accounts."""

from pathlib import Path

import yaml

from lab.control_plane import ControlPlane

from ..support.fake_objects import FakeObjects


def test_a_program_keeps_the_token_and_acts_as_its_service_account(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    file.write_text(yaml.safe_dump({"users": [{"name": "admin", "user": {"token": "t"}}]}))
    document = ControlPlane("https://127.0.0.1", "t", file, FakeObjects()).build_kubeconfig("robot")
    assert document["users"] == [
        {"name": "admin", "user": {"token": "t", "as": "robot", "as-groups": ["system:masters"]}}
    ]
    assert "robot" not in file.read_text()
