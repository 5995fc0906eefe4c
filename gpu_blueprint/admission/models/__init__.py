"""Objects of models."""
