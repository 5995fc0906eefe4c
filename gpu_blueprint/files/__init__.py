"""All that reads and writes stack files."""
