"""CEL, the language of admission policies: literals, users, the variables of pods, and policies."""
