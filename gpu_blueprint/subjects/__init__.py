"""Conclusions from a stack file, by subject, which components, checks and commands use."""
