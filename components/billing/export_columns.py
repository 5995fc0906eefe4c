"""The columns of the billing export, which ``export_columns.txt`` lists."""

from pathlib import Path

TABLE = "COST_AND_USAGE_REPORT"
COLUMNS = tuple(Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").split())
"""Every column by name, because the API refuses ``SELECT *``."""
QUERY = " ".join(("SELECT", ", ".join(COLUMNS), "FROM", TABLE))
