"""The runbook as Markdown shows it."""

import re

import pytest

from gpu_blueprint.docs import describe_alert
from gpu_blueprint.monitoring import ALERTS, Alert


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.name)
def test_markdown_hides_no_word_of_a_runbook(alert: Alert) -> None:
    prose = re.sub(r"`[^`]*`", "", "\n".join(describe_alert(alert)))
    assert not re.search(r"<\w|\$labels|\$value|{{|\*", prose), prose
