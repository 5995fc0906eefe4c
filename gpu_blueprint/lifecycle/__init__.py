"""Run the program under Pulumi's real engine: preview, up, refresh and destroy, with stand-ins for the clouds."""
