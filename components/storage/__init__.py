"""Storage: the default StorageClass, and the buckets and file systems that tenants share."""
