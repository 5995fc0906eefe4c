"""Tests of the questions to a cluster."""
