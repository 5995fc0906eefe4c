"""The place of a launch template's settings, which two providers nest differently."""

from ..resources import Resource


def locate_in_template(template: Resource) -> tuple[str, ...]:
    """Return the path to the settings of a launch template: Cloud Control has them one level deeper."""
    return ("launchTemplateData",) if template.type.startswith("aws-native:") else ()
