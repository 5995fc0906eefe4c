"""Models, explained."""
