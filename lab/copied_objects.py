"""Objects that the Go module of an engine holds as YAML, copied beside the engine."""

from dataclasses import dataclass
from pathlib import Path

from .built import find_built_folder, refuse_unfit
from .engines import REMEDIES, Bundle, Effort
from .go_modules import hash_go_modules
from .go_tool import Go, Watch


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedObjects:
    """Files of one module."""

    subject: str
    """The engine, such as ``Kueue``."""
    folder: str
    """Folder of its Go module in lab/."""
    module: str
    definitions: tuple[str, ...]
    """Files with one custom resource definition each."""
    webhooks: str
    """The file with its webhook configurations."""
    bundle: Bundle
    effort: Effort

    @property
    def built(self) -> Path:
        """The place of the copied files."""
        return find_built_folder() / f"{self.subject.lower()}-objects"

    @property
    def stamp(self) -> str:
        """The hash of everything that the files are made from."""
        return hash_go_modules((self.folder,), self.module, *self.definitions, self.webhooks)

    def find(self) -> Path:
        """Return the folder with the copied files, each under its own name.

        Raises:
            LabError: The files are not there, or lab/ has changed since.
        """
        refuse_unfit(self.built, self.stamp, REMEDIES[self.bundle])
        return self.built

    def read(self, file: str) -> str:
        """Return the text of a copied file, by its path in the module."""
        return (self.find() / Path(file).name).read_text(encoding="utf-8")

    def copy(self, go: Go, folder: Path, watch: Watch) -> None:
        """Copy the files into a new folder.

        Raises:
            LabError: Go could not download the module.
        """
        folder.mkdir(parents=True)
        go.run(["mod", "download", self.module], self.folder, watch)
        place = Path(go.run(["list", "-m", "-f", "{{.Dir}}", self.module], self.folder, watch).strip())
        for file in (*self.definitions, self.webhooks):
            (folder / Path(file).name).write_bytes((place / file).read_bytes())
