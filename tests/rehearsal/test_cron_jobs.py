"""CronJobs as the rehearsal runs them, with a stand-in for kubectl."""

from pathlib import Path

import pytest

from gpu_blueprint.errors import LabError
from gpu_blueprint.rehearsal.cron_jobs import run_cron_job
from gpu_blueprint.rehearsal.stage import Stage

from ..support.fake_lab import NODE_POOL, FakeLab

CRON_JOB = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "hours-close-main", "namespace": "kube-system"},
    "spec": {
        "jobTemplate": {
            "spec": {
                "template": {
                    "spec": {
                        "serviceAccountName": "hours-main",
                        "initContainers": [{"name": "first", "args": ["patch", "nodepools", "main"]}],
                        "containers": [{"name": "last", "args": ["delete", "nodeclaims"]}],
                    }
                }
            }
        }
    },
}


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """A stage whose kubectl writes its arguments to a file, and fails if the file ``error`` is there."""
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(f"""#!/bin/sh
echo "$KUBECONFIG $HOME $*" >> {tmp_path}/said
test ! -e {tmp_path}/error || {{ cat {tmp_path}/error >&2; exit 1; }}
""")
    kubectl.chmod(0o755)
    monkeypatch.setattr("gpu_blueprint.rehearsal.cron_jobs.find_engine", lambda _: kubectl)
    return Stage(FakeLab(manifests=(NODE_POOL, CRON_JOB)).as_lab())


def test_the_containers_run_in_order_with_the_rights_of_their_account(stage: Stage, tmp_path: Path) -> None:
    run_cron_job(stage, "hours-close-main")
    account = "--as=system:serviceaccount:kube-system:hours-main"
    assert (tmp_path / "said").read_text().splitlines() == [
        f"kubeconfig folder {account} patch nodepools main",
        f"kubeconfig folder {account} delete nodeclaims",
    ]


def test_a_step_that_fails_says_why_and_ends_the_job(stage: Stage, tmp_path: Path) -> None:
    (tmp_path / "error").write_text("nodepools is forbidden\n")
    with pytest.raises(LabError, match="hours-close-main, first: nodepools is forbidden"):
        run_cron_job(stage, "hours-close-main")
    assert len((tmp_path / "said").read_text().splitlines()) == 1


def test_a_step_that_hangs_is_ended(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kubectl").write_text("#!/bin/sh\nexec sleep 100\n")
    monkeypatch.setattr("gpu_blueprint.rehearsal.cron_jobs._SECONDS", 0.1)
    with pytest.raises(LabError, match="first: kubectl does not end within"):
        run_cron_job(stage, "hours-close-main")
