"""Policies and waivers, judged on a plan."""
