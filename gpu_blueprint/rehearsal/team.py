"""A team's own manifests on a rehearsed platform: will my chart run here, and where, and for how much?"""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from lab.lab import Lab, Refusal
from lab.scene import Manifest

from ..errors import UsageError
from .outcome import Outcome
from .runner import Report, load_platform
from .stage import Snapshot, Stage

_SECONDS_TO_APPEAR = 5.0
"""Controllers make the pods of a Deployment within a second; an operator that is not there makes none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamRehearsal:
    """The fates of a team's objects and pods."""

    refusals: tuple[Refusal, ...]
    outcome: Outcome

    @property
    def runs(self) -> bool:
        """True if every object was accepted and every pod runs."""
        return not self.refusals and bool(self.outcome.pods) and all(pod.landing for pod in self.outcome.pods)


def read_manifests(path: Path) -> list[Manifest]:
    """Read the Kubernetes objects of a file, such as the output of `helm template`.

    Raises:
        UsageError: It names every document of the file that is no object of Kubernetes.
    """
    try:
        documents = list(yaml.safe_load_all(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not text in UTF-8") from None
    except yaml.YAMLError as error:
        place = getattr(error, "problem_mark", None)
        line = f":{place.line + 1}" if place else ""
        raise UsageError(f"{path}{line}: is not YAML: {getattr(error, 'problem', error)}") from None
    objects = [found for document in documents if document is not None for found in _open_list(document)]
    faults = [
        f"{path}: object {index}: {fault}" for index, found in enumerate(objects, 1) if (fault := _find_fault(found))
    ]
    if faults or not objects:
        raise UsageError("\n".join(faults) or f"{path}: holds no object of Kubernetes")
    return objects


def _open_list(document: Any) -> list[Any]:
    """Return the items of a List, or the document itself."""
    if isinstance(document, dict) and document.get("kind") == "List" and isinstance(document.get("items"), list):
        return list(document["items"])
    return [document]


def _find_fault(found: Any) -> str:
    """Return the reason why a value is no object of Kubernetes, or nothing."""
    if not isinstance(found, dict):
        return f"is {found!r:.60}, not an object of Kubernetes; write apiVersion, kind and metadata"
    missing = [key for key in ("apiVersion", "kind") if not isinstance(found.get(key), str)]
    metadata = found.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name") or metadata.get("generateName"), str):
        missing.append("metadata.name")
    return f"lacks {', '.join(missing)}" if missing else ""


def rehearse_team(lab: Lab, manifests: Sequence[Manifest], report: Report) -> TeamRehearsal:
    """Load the platform, apply the team's objects, and follow every pod that comes of them."""
    load_platform(lab, report)
    stage = Stage(lab)
    before = _list_names(stage.look())
    report("applying your objects …")
    start = time.monotonic()
    refusals = lab.load(_start_cron_jobs(manifests))
    report("waiting for your pods …")
    stage.wait_until(lambda snapshot: bool(_list_names(snapshot) - before), _SECONDS_TO_APPEAR)
    stage.wait_until(lambda snapshot: _is_steady(snapshot, start), _SECONDS_TO_APPEAR)
    pods = [pod for pod in stage.look().pods if _name(pod) not in before]
    return TeamRehearsal(refusals=tuple(refusals), outcome=stage.follow(pods, start))


def _start_cron_jobs(manifests: Sequence[Manifest]) -> Iterator[Manifest]:
    """Yield the objects, and for each CronJob also a Job, as its schedule would make it."""
    for manifest in manifests:
        yield manifest
        if manifest["kind"] == "CronJob":
            place = {key: manifest["metadata"][key] for key in ("name", "namespace") if key in manifest["metadata"]}
            yield {"apiVersion": "batch/v1", "kind": "Job", "metadata": place, **manifest["spec"]["jobTemplate"]}


def _is_steady(snapshot: Snapshot, start: float) -> bool:
    """Return whether controllers have had two seconds to make all pods."""
    return snapshot.taken - start > 2


def _list_names(snapshot: Snapshot) -> set[tuple[str, str]]:
    return {_name(pod) for pod in snapshot.pods}


def _name(pod: Mapping[str, Any]) -> tuple[str, str]:
    return pod["metadata"]["namespace"], pod["metadata"]["name"]
