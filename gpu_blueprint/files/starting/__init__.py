"""Write the first stack file of a team from a few answers: commented, with a pool that fits a monthly budget."""

from .answers import Answers
from .first_file import FirstFile, make_first_file

__all__ = ["Answers", "FirstFile", "make_first_file"]
