"""Tests of the first stack file."""
