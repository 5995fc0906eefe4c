"""Models that the platform serves."""
