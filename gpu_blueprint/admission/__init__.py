"""Admission policies for tenants: one folder for each subject of the stack file."""
