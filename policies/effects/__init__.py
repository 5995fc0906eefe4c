"""Questions about effects, which rules ask: what a document allows, who can reach an API, what a quota limits."""
