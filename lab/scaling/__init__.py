"""Services under load: stand-ins for inference servers, a real Prometheus that scrapes them, and a real KEDA."""
