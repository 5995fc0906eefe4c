"""Read, write, start and upgrade stack files."""
