"""CrossGuard rules for GPU platforms on EKS."""
