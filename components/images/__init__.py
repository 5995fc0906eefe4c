"""The sources of the platform's and the tenants' images."""
