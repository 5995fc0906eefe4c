"""Training: runs that go on after their nodes went, and what they cost."""
