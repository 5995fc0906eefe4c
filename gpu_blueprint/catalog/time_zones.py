"""The time zones there are: the IANA database of the ``tzdata`` package that requirements.txt pins.

Not the machine's own, so that every machine accepts the same names. Kubernetes looks them up in the copy that is
compiled into it (``time/tzdata`` of Go).
"""

from difflib import get_close_matches
from functools import cache
from importlib.resources import files

from ..errors import CatalogError, near


@cache
def time_zones() -> frozenset[str]:
    """Every name, without that of a clock that nobody has set."""
    return frozenset(files("tzdata").joinpath("zones").read_text(encoding="utf-8").split()) - {"Factory"}


def time_zone(name: str) -> str:
    """Return a name that is known.

    Raises:
        CatalogError: There is no such zone; names those of the same city, else the near misses.
    """
    if name in time_zones():
        return name
    city = name.rsplit("/", 1)[-1].replace(" ", "_").lower()
    meant = [zone for zone in time_zones() if zone.rsplit("/", 1)[-1].lower() == city]
    meant = meant or get_close_matches(name, sorted(time_zones()), n=2, cutoff=0.7)
    hint = near(name, meant, "there is") if meant else "; write an IANA name such as Europe/Berlin or UTC"
    raise CatalogError(f"unknown time zone {name!r}{' ' * bool(meant)}{hint}")
