"""The Kubernetes objects of a model, from the model and its pool: memory, flags, pods, scaling, shutdown."""
