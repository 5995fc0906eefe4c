"""Summaries of a stack for people and programs, and an explanation of each of its parts."""
