"""Runs a stack on real engines: loads its rendered objects into the lab, sends pods, and compares what happens with
what the stack file promises."""
