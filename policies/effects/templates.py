"""The place of a launch template's settings, which differs between the providers aws and aws-native."""

from ..resources import Resource


def locate_in_template(template: Resource) -> tuple[str, ...]:
    """Return the path to the settings of a launch template; in aws-native they are one level deeper."""
    return ("launchTemplateData",) if template.type.startswith("aws-native:") else ()
