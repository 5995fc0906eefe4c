"""A team's own file is read as kubectl reads it, and a wrong file is refused with the object."""

from pathlib import Path

import pytest

from gpu_blueprint.errors import UsageError
from gpu_blueprint.rehearsal.manifests import read_manifests


def write(folder: Path, text: str) -> Path:
    file = folder / "chart.yaml"
    file.write_text(text)
    return file


def test_dates_and_a_lone_equals_sign_are_text(tmp_path: Path) -> None:
    text = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {date: 2026-01-01, sign: =}}"
    (found,) = read_manifests(write(tmp_path, text))
    assert found["data"] == {"date": "2026-01-01", "sign": "="}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "holds no object of Kubernetes"),
        ("<html>404</html>", "object 1: is '<html>404</html>', not an object"),
        ("a: [1", "is not YAML"),
        ("[" * 10_000, "is not YAML"),
        ("{apiVersion: v1, kind: Pod, metadata: {name: 3}}", "object 1: lacks metadata.name"),
        ("{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: 7}}", "metadata.namespace is 7, which is no text"),
    ],
)
def test_a_file_without_objects_of_kubernetes_is_refused(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_manifests(write(tmp_path, text))
    assert str(refused.value).startswith(f"{tmp_path / 'chart.yaml'}") and words in str(refused.value)


def test_the_job_of_a_cron_job_keeps_the_name_where_its_template_has_labels(tmp_path: Path) -> None:
    text = (
        "{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, namespace: ml},"
        " spec: {jobTemplate: {metadata: {labels: {team: x}}, spec: {}}}}"
    )
    _, job = read_manifests(write(tmp_path, text))
    assert job["metadata"] == {"name": "a-now", "namespace": "ml", "labels": {"team": "x"}}
