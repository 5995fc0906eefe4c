"""vLLM's own functions, out of the wheels of some releases, beside transformers: both stand in the user's cache.

pip fetches each wheel once, about 340 MB; its Python files stay, about 40 MB, and the wheel goes.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from lab.built import find_built_folder

RELEASES = ("0.25.1", "0.29.0", "0.33.0")
"""The last release with one batch in flight, the last that multiplies by YaRN's factor, and the newest of the table."""
TRANSFORMERS = "5.17.0"
"""A release that all of RELEASES take."""
_ANSWERS = Path(__file__).with_name("vllm_answers.py")
_PIP = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")
_PLATFORMS = ("manylinux_2_35_x86_64", "manylinux_2_31_x86_64", "manylinux_2_28_x86_64", "manylinux1_x86_64")
_LIMIT_S = 1200
FOLDER = find_built_folder().parent / "wheels"


def ask(release: str, questions: Sequence[dict[str, Any]]) -> list[Any]:
    """Return the answers of a release's functions; ``vllm_answers.py`` says what may be asked."""
    environment = {"PYTHONPATH": str(_find_transformers()), "HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(
        [sys.executable, str(_ANSWERS), str(_find_vllm(release))],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        env=environment,
        timeout=_LIMIT_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    found: list[Any] = json.loads(ran.stdout.splitlines()[-1])
    return found


def _find_transformers() -> Path:
    place = FOLDER / f"transformers-{TRANSFORMERS}"
    if not place.exists():
        with _open_folder() as made:
            _run_pip("install", "--target", str(made / "whole"), f"transformers=={TRANSFORMERS}")
            _keep(made / "whole", place)
    return place


def _find_vllm(release: str) -> Path:
    place = FOLDER / f"vllm-{release}"
    if not place.exists():
        with _open_folder() as made:
            target = [part for name in _PLATFORMS for part in ("--platform", name)]
            only = ("--no-deps", "--only-binary=:all:", "--python-version=3.12")
            _run_pip("download", *only, *target, "--dest", str(made / "wheel"), f"vllm=={release}")
            (wheel,) = (made / "wheel").iterdir()
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(made / "whole", [name for name in archive.namelist() if name.endswith(".py")])
            _keep(made / "whole", place)
    return place


@contextmanager
def _open_folder() -> Iterator[Path]:
    """Yield a folder on the disk of the cache, which goes at the end."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as made:
        yield Path(made)


def _keep(made: Path, place: Path) -> None:
    """Move a whole folder into its place, unless another test was earlier."""
    with suppress(OSError):
        made.rename(place)
    assert place.exists()


def _run_pip(*arguments: str) -> None:
    ran = subprocess.run([*_PIP, *arguments], capture_output=True, text=True, timeout=_LIMIT_S, check=False)
    assert ran.returncode == 0, ran.stderr
