"""Training: the controller of jobs that span nodes."""
