"""The probes of a rehearsal, by subject."""
