"""The lab: real engines on loopback, and the stand-ins for what a laptop cannot have."""
