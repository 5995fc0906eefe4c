"""Programs for maintainers: most refresh the catalogue; others compare plans, measure commands or move modules."""
