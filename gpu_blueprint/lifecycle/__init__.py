"""The lifecycle of a stack in Pulumi's real engine, with stand-ins for the clouds: preview, up, refresh, destroy."""
