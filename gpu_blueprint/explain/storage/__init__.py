"""Storage, explained."""
