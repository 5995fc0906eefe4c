"""Egress: the hosts that bypass the company's proxy, and the settings that point programs to proxy and CA."""
