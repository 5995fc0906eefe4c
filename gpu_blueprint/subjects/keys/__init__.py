"""The company's own KMS keys: the rights of the stack's roles, and the statements of key policies."""
