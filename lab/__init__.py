"""The lab: real engines on loopback, and stand-ins for AWS, nodes and inference servers."""
