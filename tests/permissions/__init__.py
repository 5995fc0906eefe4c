"""Tests of the permissions of a plan."""
