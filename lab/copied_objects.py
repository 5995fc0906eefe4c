"""Objects that the Go module of an engine holds as YAML, copied beside the engine."""

from dataclasses import dataclass
from pathlib import Path

from .built import find_place, refuse_unfit
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
    def name(self) -> str:
        """The name of the folder with the copied files."""
        return f"{self.subject.lower()}-objects"

    @property
    def place(self) -> Path:
        """The folder that holds the folder of the copied files."""
        return find_place(self.name, hash_go_modules((self.folder,), self.module, *self.definitions, self.webhooks))

    def find(self) -> Path:
        """Return the folder with the copied files, each under its own name.

        Raises:
            LabError: The files are not there, or lab/ has changed since.
        """
        place = self.place
        refuse_unfit(place / self.name, place, REMEDIES[self.bundle])
        return place / self.name

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
