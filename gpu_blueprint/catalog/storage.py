"""The StorageClasses of the platform."""

DEFAULT_CLASS = "gp3"
"""Encrypted EBS volumes, for claims that name no class."""
STORAGE_CLASSES = (DEFAULT_CLASS,)
"""All classes that tenants may use."""
