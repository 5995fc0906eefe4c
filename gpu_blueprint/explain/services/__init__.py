"""Services, explained."""
