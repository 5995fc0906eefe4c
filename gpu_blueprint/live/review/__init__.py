"""The review of a stack over past days: what was bought, used and wasted, from metrics, the bill and git."""
