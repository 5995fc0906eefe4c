"""Write an upgrade into a stack file."""

from ..loading import Source, StackFile
from ..loading.stack_file import check_source
from ..loading.text_edits import set_fields
from .upgrade import Upgrade


def apply_upgrade(stack: StackFile, source: Source, upgrade: Upgrade) -> StackFile:
    """Return the stack with the new version in its file; ``source`` has the line ends of the file.

    Raises:
        StackError: The text cannot be edited, or `check` refuses the new file.
    """
    edited = set_fields(source, dict.fromkeys(upgrade.fields, upgrade.after))
    return check_source(stack.name, edited, bounded=False)
