"""The first stack file of a team: a few answers become a commented file whose pool fits a monthly budget."""

from .answers import Answers
from .first_file import FirstFile, make_first_file

__all__ = ["Answers", "FirstFile", "make_first_file"]
