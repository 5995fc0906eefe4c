"""Alerts about NodeLocal DNSCache: nodes whose pods cannot look up names, or look them up past their cache."""

from ...catalog.node_local_dns import PROGRAM, QUERIES_PORT
from ..recording import count_new
from ..rules import Heading

_POD = f"`kubectl get pods -n kube-system -l k8s-app={PROGRAM} --field-selector spec.nodeName={{{{ $labels.node }}}}`"
_LOG = f"`kubectl logs -n kube-system -l k8s-app={PROGRAM} --prefix --tail=50`"
_JOB = f'job="{PROGRAM}"'
_SETUP_ERRORS = count_new(f"coredns_nodecache_setup_errors_total{{{_JOB}}}", "15m")


def _rate(matcher: str = "") -> str:
    """Return answers a second by node; CoreDNS renamed the counter in 1.7, and releases of the cache have either."""
    names = ("coredns_dns_responses_total", "coredns_dns_response_rcode_count_total")
    return " or ".join(f"sum by (node) (rate({name}{{{_JOB}{matcher}}}[10m]))" for name in names)


_SERVFAIL = ',rcode="SERVFAIL"'
_FEWEST = 1
"""Lookups a second on a node, below which a share says nothing."""

_DNS = Heading("DNS")
DNS_ALERTS = (
    _DNS.critical(
        name="NodeLocalDnsDown",
        expr=f'max by (node) (kube_node_labels) unless on (node) (up{{{_JOB},endpoint="queries"}} == 1)',
        hold_for="10m",
        summary="The DNS cache of node {{ $labels.node }} does not answer",
        impact="If the cache was killed, it left its address on the node: pods there look up no name at all, and their"
        " jobs and downloads fail.",
        steps=(
            f"Find its pod: {_POD}.",
            f"Read its log: {_LOG}. `address already in use` names another program at port 53 of the node.",
            "Delete the pod: a new cache recreates its network interface and its rules.",
            "If no cache can run there: cordon and drain the node, so that its pods move.",
            "If all nodes are named, Prometheus does not reach the caches: look at the targets of its job"
            f" {PROGRAM}, and at port {QUERIES_PORT} in the security group of the nodes.",
        ),
    ),
    _DNS.warning(
        name="NodeLocalDnsSetupFails",
        expr=f"max by (node, errortype) ({_SETUP_ERRORS}) > 3",
        hold_for="15m",
        summary="The DNS cache of node {{ $labels.node }} cannot set up its network ({{ $labels.errortype }})",
        impact="Pods of the node may look up names past the cache, at CoreDNS, with the races of connection tracking.",
        steps=(
            f"Read its log: {_LOG}.",
            "If the type is `iptables_lock`: another program holds the lock of iptables for long; find programs that"
            " write many rules, such as kube-proxy with thousands of Services.",
            "If the type is `iptables` or `interface_add`: the pod lacks NET_ADMIN, or the AMI lacks a module;"
            " compare the AMI with a node that works.",
            "If the type is `configmap`: compare the ConfigMap node-local-dns of kube-system with"
            " `blueprint render STACK --out FOLDER`.",
        ),
    ),
    _DNS.warning(
        name="NodeLocalDnsFailsLookups",
        expr=f"({_rate(_SERVFAIL)}) / (({_rate()}) > {_FEWEST}) > 0.05",
        hold_for="10m",
        summary="{{ $value | humanizePercentage }} of the lookups on node {{ $labels.node }} fail",
        impact="Programs that do not try again fail, and programs that do are slow.",
        steps=(
            "If many nodes are named: look at CoreDNS, `kubectl get pods -n kube-system -l k8s-app=kube-dns`,"
            " and its log.",
            f"Read which names fail: {_LOG}. Errors to the resolver of the VPC concern names outside the cluster.",
            "A node may ask the resolver of the VPC 1024 times a second. Programs that look up the same host again"
            " and again should keep their connections open.",
        ),
    ),
)
