"""The company's own KMS keys: permissions of the stack's roles, and statements of key policies."""
