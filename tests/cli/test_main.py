"""The command line, as a person or a pipeline uses it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from gpu_blueprint.cli import main

from ..support.plans import ROOT, SHIPPED


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the shipped stacks, to work in."""
    """A project with the shipped stacks; a fork may have more."""
    (tmp_path / "stacks").mkdir()
    for stack in SHIPPED:
        shutil.copy(ROOT / "stacks" / f"Pulumi.{stack}.yaml", tmp_path / "stacks")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_check_says_fine_and_counts(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "dev", "prod"]) == 0
    out = capsys.readouterr().out
    assert "stacks/Pulumi.dev.yaml: fine: 1 pool, 1 tenant\n" in out
    assert "stacks/Pulumi.prod.yaml: fine: 4 pools, 2 tenants\n" in out


def test_check_shows_every_problem_on_its_line_and_ends_with_1(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = project / "stacks" / "Pulumi.dev.yaml"
    text = file.read_text().replace("gpu: l4", "gpu: l4s").replace("{shared-l4: 16}", "{shared-l9: 16}")
    file.write_text(text)
    assert main(["check", "dev", "prod"]) == 1
    captured = capsys.readouterr()
    line = next(number for number, row in enumerate(text.splitlines(), 1) if "gpu: l4s" in row)
    assert f"stacks/Pulumi.dev.yaml:{line}: pools.0.gpu: unknown GPU model 'l4s' (did you mean l4" in captured.err
    assert "Pulumi.prod.yaml: fine" in captured.out


@pytest.mark.parametrize("stack", ["../etc/passwd", "stacks/dev", "", "a b"])
def test_what_is_no_stack_name_ends_with_2(project: Path, stack: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", stack]) == 2
    assert "is not the name of a stack" in capsys.readouterr().err


def test_the_name_of_a_file_is_answered_with_the_name_of_the_stack(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "stacks/Pulumi.dev.yaml"]) == 2
    assert "is a file, the stack is called dev" in capsys.readouterr().err


def test_no_arguments_show_the_commands(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    assert main([]) == 2
    assert "show the whole platform" in capsys.readouterr().err


def test_a_missing_stack_ends_with_2_and_names_the_near_miss(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", "prd"]) == 2
    assert "no such stack file (did you mean prod?)" in capsys.readouterr().err


def test_check_loads_no_pulumi() -> None:
    code = "import sys; from gpu_blueprint.cli import main; main(['check', 'prod']); sys.exit('pulumi' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()


def test_preview_shows_pools_tenants_and_resources_in_100_columns(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["preview", "prod"]) == 0
    out = capsys.readouterr().out
    assert max(len(line) for line in out.splitlines()) <= 100
    assert "\x1b[" not in out
    for expected in ("infer-l4", "spot → on-demand", "reserved → on-demand", "4 to 32 gpu.shared", "= 64 gpu.shared"):
        assert expected in out
    assert "infer-l4: 64 of 64 gpu.shared" in out
    assert "NodeOverlay overlay-1, overlay-4, overlay-8" in out
    assert "nothing was created" in out
    assert "watched by Prometheus (30 days) and Grafana; alerts go to #gpu-alerts" in out
    assert "`pulumi config set --secret`: grafanaPassword, slackWebhook" in out


def test_preview_as_json_is_one_document(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["preview", "research", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert list(document) == ["stack", "resources", "cost", "pools", "tenants", "services", "warnings", "policies"]
    fields = ["urn", "type", "name", "parent", "provider", "dependencies", "inputs", "options"]
    assert all(list(resource) == fields for resource in document["resources"])
    slices = document["pools"][0]
    assert slices["perNode"]["p5.48xlarge"] == {"nvidia.com/mig-1g.10gb": 56}
    assert slices["ceiling"] == {"nvidia.com/mig-1g.10gb": 112}
    assert document["tenants"][0]["quota"] == {"nvidia.com/mig-1g.10gb": 42, "nvidia.com/gpu": 8}


def test_render_writes_manifests_that_read_back(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "prod", "--out", "out/prod"]) == 0
    out = project / "out" / "prod"
    pool = yaml.safe_load((out / "manifests" / "nodepool-train-h100.yaml").read_text())
    assert pool["kind"] == "NodePool"
    assert pool["spec"]["limits"] == {"nvidia.com/gpu": "32"}
    fleet = json.loads((out / "dashboards" / "gpu-fleet.json").read_text())
    assert fleet["title"] == "GPU fleet" and len([*(out / "dashboards").iterdir()]) == 5
    values = yaml.safe_load((out / "values" / "karpenter.yaml").read_text())
    assert values["settings"]["interruptionQueue"] == "gpu-prod"
    assert {file.name for file in (out / "values").iterdir()} == {
        "gpu-operator.yaml",
        "karpenter-crd.yaml",
        "karpenter.yaml",
        "keda.yaml",
        "kube-prometheus-stack.yaml",
        "prometheus-operator-crds.yaml",
    }
    document = json.loads((out / "plan.json").read_text())
    assert list(document) == ["stack", "cost", "resources"]
    kinds = [resource["type"] for resource in document["resources"]]
    manifests = [kind for kind in kinds if kind.startswith("kubernetes:") and "helm.sh" not in kind]
    assert len(list((out / "manifests").iterdir())) == len(manifests)


def test_render_replaces_its_own_folder_and_nothing_else(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mine = project / "mine"
    mine.mkdir()
    (mine / "thesis.txt").write_text("years of work")
    assert main(["render", "dev", "--out", "mine"]) == 2
    assert (mine / "thesis.txt").read_text() == "years of work"
    assert main(["render", "prod", "--out", "out"]) == 0
    assert main(["render", "dev", "--out", "out"]) == 0
    assert not (project / "out" / "manifests" / "nodepool-train-h100.yaml").exists()
    assert sorted(path.name for path in project.iterdir()) == ["mine", "out", "stacks"]


def test_a_stack_without_a_pool_is_answered_with_its_pools(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "prod"]) == 2
    assert "which pool of prod? it has infer-l4, infer-a10g, infer-l40s, train-h100" in capsys.readouterr().err


def test_diff_shows_only_what_differs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["diff", "dev", "prod"]) == 0
    out = capsys.readouterr().out
    assert "cluster.deletionProtection" in out
    assert "cluster.serviceCidr" not in out
    assert main(["diff", "dev", "dev"]) == 0
    assert capsys.readouterr().out.startswith("0 fields differ")


def test_new_keeps_comments_and_finds_free_addresses(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "staging", "--from", "research"]) == 0
    text = (project / "stacks" / "Pulumi.staging.yaml").read_text()
    origin = (project / "stacks" / "Pulumi.research.yaml").read_text()
    changed = [(a, b) for a, b in zip(origin.splitlines(), text.splitlines(), strict=True) if a != b]
    assert changed == [
        ("    environment: research", "    environment: staging"),
        ("      cidr: 10.60.0.0/16", "      cidr: 10.61.0.0/16"),
    ]
    assert "copy policies/research.json to policies/staging.json" in capsys.readouterr().out
    assert main(["check", "staging"]) == 0
    assert main(["new", "qa", "--from", "research"]) == 0
    assert "cidr: 10.62.0.0/16" in (project / "stacks" / "Pulumi.qa.yaml").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["new", "prod", "--from", "dev"], "exists already"),
        (["new", "Prod", "--from", "dev"], "cannot be an environment"),
        (["new", "qa", "--from", "nowhere"], "no such stack file"),
    ],
)
def test_new_refuses_and_writes_nothing(
    project: Path, arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted((project / "stacks").iterdir())
    assert main(arguments) == 2
    assert words in capsys.readouterr().err
    assert sorted((project / "stacks").iterdir()) == before


def test_mig_lists_profiles_and_every_full_layout(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mig", "h100-80gb"]) == 0
    out = capsys.readouterr().out
    assert "nvidia.com/mig-1g.10gb.me" in out
    assert sum(line.startswith("  ") and "×" in line for line in out.splitlines()) == 28


@pytest.mark.parametrize(
    ("layout", "code", "words"),
    [
        ("3g.71gb=1,1g.18gb=4", 0, "legal: h200-141gb holds 1 × 3g.71gb + 4 × 1g.18gb; left over: nothing"),
        ("3g.71gb=1", 0, "left over: 1 × 4g.71gb or 1 × 3g.71gb or "),
        ("3g.71gb=2,1g.18gb=1", 1, "9 of 8 memory slices"),
        ("1g.10gb=1", 1, "no MIG profile '1g.10gb' (did you mean 1g.18gb"),
        ("1g.18gb", 2, "is not a profile and its count"),
        ("1g.18gb=0", 2, "is not a profile and its count"),
    ],
)
def test_mig_judges_a_layout(layout: str, code: int, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mig", "h200-141gb", layout]) == code
    captured = capsys.readouterr()
    assert words in captured.out + captured.err


def test_mig_refuses_a_gpu_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mig", "l4"]) == 1
    assert "l4 has no MIG" in capsys.readouterr().err


def test_explain_ends_with_a_pod_that_names_the_resource_the_quota_names(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "research", "h100-slices"]) == 0
    out = capsys.readouterr().out
    assert "nvidia.com/mig.config=h100-80gb-1g.10gb" in out
    assert "requests.nvidia.com/mig-1g.10gb: vision 42, language 42, robotics 28" in out
    assert "nvidia.com/mig-1g.10gb: 1" in out


def test_explain_names_the_pools_there_are(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "dev", "shared-l5"]) == 2
    assert "dev has no pool 'shared-l5' (did you mean shared-l4?)" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("GpuPodPending", "is an alert: blueprint explain GpuPodPending"),
        ("chat", "is a service in pool infer-l40s: blueprint explain prod infer-l40s"),
    ],
)
def test_explain_knows_what_else_a_name_may_mean(
    project: Path, name: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "prod", name]) == 2
    assert words in capsys.readouterr().err


def test_a_closed_pipe_is_no_error() -> None:
    command = f"set -o pipefail; {sys.executable} -m gpu_blueprint preview prod | head -1"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
