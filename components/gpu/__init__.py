"""Programs that make GPUs usable: the GPU Operator and the EFA device plugin."""
