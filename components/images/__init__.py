"""The images of the platform and of tenants: from where nodes pull them."""
