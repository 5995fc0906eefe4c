"""The part of gpu-blueprint that thinks: it never talks to a cloud."""
