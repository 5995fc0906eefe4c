"""Storage that tenants share."""
