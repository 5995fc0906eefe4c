"""Tests of gpu_blueprint/training."""
