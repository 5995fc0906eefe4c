"""Admission policies for tenants, by the subject that each guards."""
