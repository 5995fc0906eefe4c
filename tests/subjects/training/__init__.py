"""Tests of gpu_blueprint/subjects/training."""
