"""Run a stack on real engines: load its rendered objects into the lab, send pods, and compare promise and reality."""
