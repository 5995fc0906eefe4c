"""Values as YAML text: all readers of a stack file get back the text that was typed."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from gpu_blueprint.files.loading.scalar_readings import refuse_ambiguous_scalars
from gpu_blueprint.yaml_text.flow import write_flow, write_scalar


@given(st.text(max_size=200))
def test_a_text_stays_the_same_text_in_every_place(text: str) -> None:
    if any(char in text for char in "\ud800\ufffe\uffff"):
        return
    place = f"config:\n  flow: {{a: [{write_scalar(text)}, x]}}\n  block: {write_scalar(text)} # comment\n"
    assert yaml.safe_load(place)["config"] == {"flow": {"a": [text, "x"]}, "block": text}
    assert list(refuse_ambiguous_scalars(yaml.compose(place))) == []


def test_plain_words_and_addresses_need_no_quotes() -> None:
    assert write_flow(["us-east-1a", "10.40.0.0/16", "1g.10gb", "yes", "012", "1e3"]) == (
        '[us-east-1a, 10.40.0.0/16, 1g.10gb, "yes", "012", "1e3"]'
    )
    assert write_flow({"mode": "mps", "replicas": 4.0}) == "{mode: mps, replicas: 4}"
