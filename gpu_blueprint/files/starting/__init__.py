"""The first stack file of a team: a few answers become a commented file whose ceiling fits a monthly budget."""

from .first_file import FirstFile, make_first_file
from .wish import Wish

__all__ = ["FirstFile", "Wish", "make_first_file"]
