"""Pulumi components: the only code that creates cloud resources. platform.py is the table of contents."""
