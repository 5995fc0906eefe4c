"""The probes of a rehearsal, a module for each subject."""
