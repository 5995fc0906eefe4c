"""Reading, writing, starting and upgrading stack files."""
