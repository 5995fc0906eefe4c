"""Functions that derive effects from resources: what a document allows, who reaches an API, what a quota limits."""
