"""Jobs and pods of queues."""
