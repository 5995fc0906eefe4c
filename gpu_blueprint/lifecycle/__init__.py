"""The lifecycle of a stack (preview, up, refresh, destroy) in Pulumi's real engine, with stand-ins for the clouds."""
