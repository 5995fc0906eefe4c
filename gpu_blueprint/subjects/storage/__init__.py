"""The storage of tenants: who mounts it, under which names, and in which objects."""
