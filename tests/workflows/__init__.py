"""Tests of .github/workflows."""
