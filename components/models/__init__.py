"""Models that the platform serves: everything from the service account to the Deployment."""
