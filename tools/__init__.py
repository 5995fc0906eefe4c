"""Programs for maintainers: refresh the catalogue from AWS's own APIs, and compare two plans."""
