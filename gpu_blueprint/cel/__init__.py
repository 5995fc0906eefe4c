"""Building blocks of admission policies in CEL: literals, users, variables about pods, rules and policies."""
