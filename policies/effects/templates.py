"""Find the settings of launch templates, which two providers nest in two ways."""

from ..resources import Resource


def locate_in_template(template: Resource) -> tuple[str, ...]:
    """Return the path to the settings of a launch template: Cloud Control has them one level deeper."""
    return ("launchTemplateData",) if template.type.startswith("aws-native:") else ()
