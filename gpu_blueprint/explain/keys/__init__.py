"""KMS keys, explained."""
