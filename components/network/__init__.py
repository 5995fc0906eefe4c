"""The VPC that the cluster runs in."""
