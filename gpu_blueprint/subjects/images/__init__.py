"""Images: from where nodes pull them, and every image that a stack needs."""
