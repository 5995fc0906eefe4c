"""The page about secrets: a shell runs its commands, and they make exactly the keys that the manifests lack."""

import re
import subprocess
from base64 import b64decode
from pathlib import Path

import pytest
import yaml

from ..support.processes import PATIENCE_S
from ..support.rendered import build_stack_with_every_secret, list_team_objects, render, render_program


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return render(build_stack_with_every_secret())


def list_commands(page: str, heading: str) -> list[str]:
    """Return the indented lines below a heading."""
    section = page.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return [line.removeprefix("    ") for line in section.splitlines() if line.startswith("    ")]


def test_the_page_names_every_missing_value_with_its_origin(files: dict[str, str]) -> None:
    listed = [line for line in files["secrets.md"].splitlines() if line.startswith("- ")]
    assert (
        "- `manifests/secret-monitoring-grafana-admin.yaml`: `stringData.admin-password`, "
        + ("the config secret `grafanaPassword`")
        in listed
    )
    assert len(listed) == 6 == sum("config secret" in line for line in listed)


def test_a_user_of_pulumi_sets_each_config_secret_once(files: dict[str, str]) -> None:
    keys = ["grafanaPassword", "pagerdutyKey", "remoteWritePassword", "slackWebhook", "smtpPassword", "watchdogUrl"]
    assert list_commands(files["secrets.md"], "With Pulumi") == [
        f"pulumi config set --secret {key} --stack test" for key in keys
    ]


def run_commands(page: str, folder: Path) -> list[list[str]]:
    """Run the commands for kubectl in a shell with a kubectl that notes its arguments; each value is its own name."""
    (folder / "kubectl").write_text('#!/bin/sh\nprintf "%s\\n" "$@" --- >> "$(dirname "$0")/calls"\n')
    (folder / "kubectl").chmod(0o755)
    commands = "\n".join(list_commands(page, "Without Pulumi"))
    script = re.sub(r"read -rs (\w+)", r"\1='value of \1'", commands)
    subprocess.run(["bash", "-euc", f'PATH="{folder}:$PATH"\n{script}'], check=True, timeout=PATIENCE_S)
    calls = (folder / "calls").read_text().split("---\n")
    return [call.splitlines() for call in calls if call]


@pytest.mark.reads("secrets-page")
def test_the_commands_make_the_namespace_and_then_every_key(files: dict[str, str], tmp_path: Path) -> None:
    namespace, *secrets = run_commands(files["secrets.md"], tmp_path)
    assert namespace == ["apply", "--filename", "manifests/namespace-monitoring.yaml"]
    assert namespace[-1] in files
    made = {call[3]: call[4:] for call in secrets}
    assert [call[:3] for call in secrets] == [["create", "secret", "generic"]] * 3
    assert made["grafana-admin"] == [
        "--namespace",
        "monitoring",
        "--from-literal=admin-user=admin",
        "--from-literal=admin-password=value of GRAFANA_PASSWORD",
    ]
    assert "--from-literal=slackWebhook=value of SLACK_WEBHOOK" in made["alert-routes"]
    for name in made:
        manifest = yaml.safe_load(files[f"manifests/secret-monitoring-{name}.yaml"])
        plain = {f"--from-literal={key}={b64decode(text).decode()}" for key, text in manifest.get("data", {}).items()}
        assert plain <= set(made[name])


@pytest.mark.reads("secrets-page", refused=True)
def test_a_name_that_a_shell_reads_otherwise_is_noticed(files: dict[str, str], tmp_path: Path) -> None:
    page = files["secrets.md"]
    assert page.count("kubectl create secret generic ") == 3
    with pytest.raises(subprocess.CalledProcessError):
        run_commands(page.replace("generic ", "generic (", 1), tmp_path)


def test_a_secret_of_the_team_gets_a_command_and_another_object_is_only_named(tmp_path: Path) -> None:
    page = render_program(list_team_objects)["secrets.md"]
    assert "\n- `incomplete/configmap-mixed.yaml`: `data.password`\n" in page
    assert "## With Pulumi" not in page
    assert sorted(run_commands(page, tmp_path)) == [
        ["create", "secret", "generic", name, "--namespace", "default", "--from-literal=token=value of TOKEN"]
        for name in ("encoded", "token")
    ]
