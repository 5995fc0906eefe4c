"""Images, explained."""
