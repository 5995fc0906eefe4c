"""Conclusions from one section of a stack file, before anybody asks."""
