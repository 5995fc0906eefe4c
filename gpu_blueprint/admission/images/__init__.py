"""Images of pods."""
