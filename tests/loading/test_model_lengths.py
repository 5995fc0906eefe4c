"""The longest sequence follows from config.json as vLLM reads it."""

from typing import Any

import pytest

from gpu_blueprint.loading.model_lengths import find_longest_sequence

YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}


@pytest.mark.parametrize(
    ("content", "longest"),
    [
        ({"max_position_embeddings": 40960}, 40960),
        ({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 131072),
        ({"max_position_embeddings": 131072, "rope_scaling": {"type": "longrope"}}, 131072),
        ({"max_position_embeddings": 32768, "rope_scaling": YARN}, 131072),
        ({"max_position_embeddings": 131072, "rope_scaling": YARN}, 131072),
        ({"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 2}}, 8192),
        ({"max_position_embeddings": 40960, "rope_parameters": {"rope_type": "default", "rope_theta": 1e6}}, 40960),
        ({"text_config": {"max_position_embeddings": 8192}}, 8192),
        (
            {
                "max_position_embeddings": 131072,
                "model_type": "gemma3_text",
                "rope_scaling": {"rope_type": "linear", "factor": 8.0},
            },
            131072,
        ),
    ],
)
def test_scaling_makes_sequences_longer_where_the_file_has_not_counted_it(
    content: dict[str, Any], longest: int
) -> None:
    assert find_longest_sequence(content) == longest


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"max_position_embeddings": True},
        {"max_position_embeddings": "8192"},
        {"max_position_embeddings": 0},
        {"max_position_embeddings": 8192, "rope_scaling": "yarn"},
        {"max_position_embeddings": 8192, "rope_scaling": {"type": "linear", "factor": "2"}},
        {"max_position_embeddings": 8192, "rope_scaling": {"type": "linear", "factor": float("inf")}},
        {"max_position_embeddings": 8192, "rope_parameters": {"full_attention": {"rope_type": "default"}}},
    ],
)
def test_a_length_that_does_not_follow_is_not_judged(content: dict[str, Any]) -> None:
    assert find_longest_sequence(content) is None
