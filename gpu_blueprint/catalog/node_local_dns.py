"""NodeLocal DNSCache: its address, its ports and its names.

Sources: kubernetes cluster/addons/dns/nodelocaldns/nodelocaldns.yaml; kubernetes/dns cmd/node-cache main.go and
app/{cache_app,configmap,metrics}.go. Read 2026-11-23.
"""

PROGRAM = "node-local-dns"
"""Name of the DaemonSet, of its objects, and of the Prometheus job that reads it."""
LOCAL_ADDRESS = "169.254.20.10"
"""Link-local address of the cache, which no other node and no AWS service has (AWS's lie in 169.254.169.0/24 and
169.254.170.0/24)."""
DNS_PORT = 53
QUERIES_PORT, SETUP_PORT = 9253, 9353
"""Ports of the metrics: of the queries (CoreDNS's plugin), and of the cache's own work on the node's network."""
HEALTH_PORT = 8080
"""Port of the probe, at the link-local address alone."""
UPSTREAM_SERVICE = "kube-dns-upstream"
"""Service through which the cache reaches CoreDNS, because the cache itself answers at the address of ``kube-dns``."""
DNS_HOST = 10
"""The Service ``kube-dns`` has the tenth address of services on EKS (nodeadm and Bottlerocket derive ``clusterDNS``
from the block of services in the same way)."""
