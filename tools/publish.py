"""From what AWS answered to the files: say what changes, doubt what cannot be, write all or nothing."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from gpu_blueprint.errors import RefreshError

from .catalogue_file import CatalogueFile, write

MOST = Decimal(3)
"""A number that grows or shrinks by more is taken for a misreading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebuilt:
    """A catalogue file as it is to be, and the facts in it that were asked for: before, after, and in doubt."""

    file: CatalogueFile
    old: Mapping[str, str]
    new: Mapping[str, str]
    unknown: Mapping[str, str]
    """What has no fact, with the reason."""
    doubts: tuple[str, ...]

    @property
    def changed(self) -> bool:
        """Whether a fact differs; the day on which it was read is none."""
        return dict(self.old) != dict(self.new)


def doubts(old: Mapping[str, str], new: Mapping[str, str], where: str) -> Iterator[str]:
    """Say what in the facts of one place is likelier a misreading than news."""
    gone = [name for name in old if name not in new]
    if 2 * len(gone) > len(old):
        yield f"{where}: {len(gone)} of {len(old)} vanished ({', '.join(gone[:5])} …)"
    for name in old:
        before, after = _number(old[name]), _number(new.get(name, ""))
        if before and after is not None and not before / MOST <= after <= before * MOST:
            yield f"{name}: {'fell to zero' if not after else f'{before} → {after}, more than ×{MOST}'}"


def publish(rebuilt: Iterable[Rebuilt], *, check: bool, force: bool) -> int:
    """Print what changes and write it, unless it is doubtful or only to be checked; return the exit code."""
    files = list(rebuilt)
    for one in files:
        print("\n".join(_summary(one)))
    found = [doubt for one in files for doubt in one.doubts]
    if found and not force:
        raise RefreshError(
            "\n".join(["nothing was written, for these look like misreadings (--force takes them over):", *found])
        )
    changed = any(one.changed for one in files)
    if check:
        print("would change" if changed else "up to date")
        return int(changed)
    write(one.file for one in files)
    return 0


def _summary(one: Rebuilt) -> Iterator[str]:
    same = sum(one.old.get(name) == fact for name, fact in one.new.items())
    yield f"{one.file.path.name}: {same} unchanged"
    for name in dict.fromkeys([*one.old, *one.new]):
        before, after = one.old.get(name, "unknown"), one.new.get(name, "unknown")
        if before != after:
            yield f"  {name}: {before} → {after}"
    reasons: dict[str, list[str]] = {}
    for name, reason in one.unknown.items():
        reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        yield f"  no fact ({reason}): {', '.join(names)}"


def _number(text: str) -> Decimal | None:
    try:
        return Decimal(text)
    except InvalidOperation:
        return None
