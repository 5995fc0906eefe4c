"""The questions of a rehearsal, by what they ask about."""
