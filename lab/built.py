"""The folder of the built engines, and the stamps that tell whether they fit the sources of lab/.

.lab/bin/NAME      a program
.lab/crds/         the custom resource definitions
.lab/kueue-objects/, .lab/jobset-objects/, .lab/keda-objects/  their definitions and webhooks
.lab/stamps/NAME   hash of everything that NAME was built from; written last
"""

import os
from pathlib import Path

from gpu_blueprint.errors import LabError

from .go_modules import SOURCES

FOLDER_VARIABLE = "GPU_BLUEPRINT_LAB"
"""Environment variable with another folder of built engines, for example the folder of lab/Dockerfile's image."""


def find_built_folder() -> Path:
    """Return ``.lab`` beside lab/, or the folder that the environment names."""
    return Path(os.environ.get(FOLDER_VARIABLE) or SOURCES.parent / ".lab").absolute()


def is_fit(built: Path, stamp: str) -> bool:
    """Return True if a program or a folder is there and carries the stamp."""
    return built.exists() and _read_stamp(built) == stamp


def refuse_unfit(built: Path, stamp: str, remedy: str) -> None:
    """Raise LabError, with the remedy, if a program or a folder is missing or carries another stamp."""
    if not built.exists():
        raise LabError(f"the lab has no {built.name} ({built}); run: {remedy}")
    if _read_stamp(built) != stamp:
        raise LabError(f"{built} was not built from what {SOURCES} holds now; run: {remedy}")


def put_in_place(fresh: Path, built: Path, stamp: str) -> None:
    """Move a fresh program or folder to its place, then stamp it; a build that dies in between leaves no stamp."""
    mark = _find_stamp_file(built)
    mark.parent.mkdir(parents=True, exist_ok=True)
    mark.unlink(missing_ok=True)
    if built.is_dir():
        built.rename(fresh.with_name(f"{fresh.name}.old"))  # a folder cannot replace a folder that has files
    fresh.rename(built)
    written = fresh.with_name(f"{fresh.name}.stamp")
    written.write_text(stamp, encoding="utf-8")
    written.rename(mark)


def _read_stamp(built: Path) -> str:
    try:
        return _find_stamp_file(built).read_text(encoding="utf-8")
    except OSError:
        return ""


def _find_stamp_file(built: Path) -> Path:
    return find_built_folder() / "stamps" / built.name
