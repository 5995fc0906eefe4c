"""Places of settings in launch templates."""

from policies.effects.templates import locate_in_template

from ..cases.stacks import resource


def test_cloud_control_nests_the_settings_of_a_launch_template() -> None:
    assert locate_in_template(resource("aws:ec2/launchTemplate:LaunchTemplate", "t")) == ()
    assert locate_in_template(resource("aws-native:ec2:LaunchTemplate", "t")) == ("launchTemplateData",)
