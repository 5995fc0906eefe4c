"""Tests of components/training."""
