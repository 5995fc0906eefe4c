"""Traffic of tenants' pods: none in and none out, except the passages that work needs.

The VPC CNI's policy agent enforces the passages. It looks at a packet before kube-proxy turns the address of a Service
into the address of a pod (aws/amazon-vpc-cni-k8s docs/network-policy-faq.md), so a passage to the Kubernetes API names
the address of its Service.
"""

import re
from collections.abc import Iterator
from ipaddress import IPv4Network
from typing import Literal

from ...catalog import namespaces
from ...catalog.inference_servers import INFERENCE_SERVERS
from ...catalog.node_local_dns import DNS_HOST, DNS_PORT, LOCAL_ADDRESS
from ...config import InstallMonitoring, NewVpc, StackConfig, Tenant
from ...config.scalars import PRIVATE_BLOCKS
from ...records import Record, replace
from .holdings import Holding

POD_IDENTITY_AGENT = "169.254.170.23/32"
"""The EKS Pod Identity agent of every node, from which pods get credentials (EKS user guide, pod-id-agent-setup)."""
LINK_LOCAL = "169.254.0.0/16"
"""Addresses of the node itself, such as 169.254.169.254, where EC2 serves the node's credentials."""
ANYWHERE = "0.0.0.0/0"


class Port(Record):
    """One port."""

    protocol: Literal["TCP", "UDP"]
    number: int


class Block(Record, kw_only=True):
    """Addresses, except some."""

    cidr: str
    without: tuple[str, ...] = ()


class Pods(Record, kw_only=True):
    """Pods of namespaces; of the tenant's own namespace if no namespace is named."""

    namespace: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    """Labels that the pods have."""
    outside_tenants: bool = False
    """True for the pods of every namespace that belongs to no tenant."""


class Passage(Record, kw_only=True):
    """Traffic that all pods of a tenant may have."""

    name: str
    """Last part of the NetworkPolicy's name."""
    why: str
    """The work that needs the traffic, as a sentence for docs/isolation.md."""
    directions: tuple[Literal["Ingress", "Egress"], ...]
    peers: tuple[Block | Pods, ...]
    ports: tuple[Port, ...] = ()
    """Ports of the side that is called; empty for all."""
    selects: tuple[tuple[str, str], ...] = ()
    """Labels of the tenant's pods that have the traffic; empty for all pods."""


_HTTPS = (Port("TCP", 443),)
_ALWAYS = (
    Passage(
        name="same-namespace",
        why="Pods of one tenant talk to each other.",
        directions=("Ingress", "Egress"),
        peers=(Pods(),),
    ),
    Passage(
        name="dns",
        why="Pods look up names at CoreDNS.",
        directions=("Egress",),
        peers=(Pods(namespace=namespaces.KUBE_SYSTEM, labels=(("k8s-app", "kube-dns"),)),),
        ports=(Port("UDP", DNS_PORT), Port("TCP", DNS_PORT)),
    ),
    Passage(
        name="pod-identity",
        why="Pods get the credentials of their identity from the EKS Pod Identity agent of their node.",
        directions=("Egress",),
        peers=(Block(cidr=POD_IDENTITY_AGENT),),
        ports=(Port("TCP", 80),),
    ),
)


def list_passages(config: StackConfig, tenant: Tenant) -> Iterator[Passage]:
    """Yield the passages of a tenant; all other traffic is refused."""
    for passage in _ALWAYS:
        yield _add_local_dns(config, passage) if passage.name == "dns" and config.cluster.node_local_dns else passage
    vpc = tuple(Block(cidr=block) for block in list_vpc_blocks(config))
    yield Passage(
        name="vpc-https",
        why="Controllers such as JupyterHub and KubeRay call the Kubernetes API, and programs call VPC endpoints.",
        directions=("Egress",),
        peers=(Block(cidr=find_api_address(config)), *vpc),
        ports=_HTTPS,
    )
    if tenant.https_out:
        yield Passage(
            name="https-out",
            why="Programs download packages, models and data (`httpsOut`).",
            directions=("Egress",),
            # Behind the addresses of Services, port 443 is the port of the platform's webhooks.
            peers=(Block(cidr=ANYWHERE, without=(LINK_LOCAL, config.cluster.service_cidr)),),
            ports=_HTTPS,
        )
        yield from _admit_proxies(config)
    if config.monitoring:
        yield _admit_scrapes(config)
    yield from _list_calls(config, tenant)
    if tenant.load_balancers:
        yield Passage(
            name="load-balancers",
            why="Internal load balancers pass on requests from addresses of the VPC (`loadBalancers`).",
            directions=("Ingress",),
            peers=vpc,
        )


def _admit_proxies(config: StackConfig) -> Iterator[Passage]:
    """Yield the way to the proxy, which is the internet: only tenants with ``httpsOut`` have it.

    A NetworkPolicy names addresses alone. Where the file names the proxy by an address, no other is admitted.
    """
    egress = config.egress
    if egress is None or egress.https_proxy is None:
        return
    anywhere = Block(cidr=ANYWHERE, without=(LINK_LOCAL, config.cluster.service_cidr))
    hosts = egress.proxy_hosts
    named = all(re.fullmatch(r"[0-9.]+", host) for host in hosts)
    yield Passage(
        name="proxy",
        why="Programs download through the company's proxy (`egress.httpsProxy`, `httpsOut`).",
        directions=("Egress",),
        peers=tuple(Block(cidr=f"{host}/32") for host in hosts) if named else (anywhere,),
        ports=tuple(Port("TCP", port) for port in egress.proxy_ports),
    )


def _list_calls(config: StackConfig, tenant: Tenant) -> Iterator[Passage]:
    """Yield the ways from callers in other namespaces to the tenant's models, and from its own pods to models."""
    for model in config.models:
        namespace = config.find_namespace(model)
        called = tuple(model.shared_labels.items())
        ports = tuple(Port("TCP", port) for port in INFERENCE_SERVERS[model.server_name].request_ports.values())
        others = tuple(caller for caller in model.callers if caller != namespace)
        if model.tenant == tenant.name and others:
            yield Passage(
                name=f"model-{model.name}",
                why=f"Pods of {', '.join(others)} call the model {model.name} (`callers`).",
                directions=("Ingress",),
                peers=tuple(Pods(namespace=caller) for caller in others),
                ports=ports,
                selects=called,
            )
        if tenant.namespace_name in others:
            yield Passage(
                name=name_call(namespace, model.name),
                why=f"Pods call the model {model.name} of {model.tenant} (`callers`).",
                directions=("Egress",),
                peers=(Pods(namespace=namespace, labels=called),),
                ports=ports,
            )


def name_call(namespace: str, model: str) -> str:
    """Name the passage from a caller's namespace to a model."""
    return f"call-{namespace}-{model}"


def _admit_scrapes(config: StackConfig) -> Passage:
    return Passage(
        name="scrapes",
        why="Prometheus reads the metrics of services.",
        directions=("Ingress",),
        peers=(find_scrapers(config),),
    )


def find_scrapers(config: StackConfig) -> Pods:
    """Return our Prometheus; the file does not state the namespace of a Prometheus that the team runs itself."""
    ours = isinstance(config.monitoring, InstallMonitoring)
    return Pods(namespace=namespaces.MONITORING) if ours else Pods(outside_tenants=True)


def find_api_address(config: StackConfig) -> str:
    """Return the block of the Kubernetes API's Service, which always has the first address of Services."""
    return f"{next(IPv4Network(config.cluster.service_cidr).hosts())}/32"


def _add_local_dns(config: StackConfig, passage: Passage) -> Passage:
    """Add the two addresses at which the cache of the node answers: it has the node's network, and no pod's address."""
    cache = (Block(cidr=f"{LOCAL_ADDRESS}/32"), Block(cidr=f"{find_dns_address(config)}/32"))
    why = "Pods look up names at the DNS cache of their node, or at CoreDNS while the cache restarts."
    return replace(passage, why=why, peers=(*passage.peers, *cache))


def find_dns_address(config: StackConfig) -> str:
    """Return the address of the Service ``kube-dns``, which pods request names."""
    return str(IPv4Network(config.cluster.service_cidr)[DNS_HOST])


def list_vpc_blocks(config: StackConfig) -> list[str]:
    """Return the addresses of the VPC: all private addresses if the file leaves out the block of an existing subnet."""
    if isinstance(config.network, NewVpc):
        return [config.network.cidr]
    stated = [subnet.cidr for subnet in config.network.subnets if subnet.cidr]
    return stated if len(stated) == len(config.network.subnets) else list(PRIVATE_BLOCKS)


def name_policy(passage: Passage) -> str:
    """Return the name of a passage's NetworkPolicy."""
    return f"gpu-blueprint-{passage.name}"


DENY = "gpu-blueprint-default-deny"
"""Name of the NetworkPolicy that refuses what no passage admits."""


def list_holdings(config: StackConfig) -> Iterator[Holding]:
    """Yield the limits of traffic, and the limit that the nodes themselves set."""
    if not config.tenants:
        return
    yield Holding(
        by="traffic",
        name=f"NetworkPolicy {DENY}",
        keeps="From some seconds after its start on, a pod reaches nothing and nobody reaches it, except by the"
        " passages below. Ports of nodes (kubelet, node exporter, DCGM) stay closed, and EC2's metadata service at all"
        " times.",
    )
    passages = {passage.name: passage for tenant in config.tenants for passage in list_passages(config, tenant)}
    for passage in passages.values():
        yield Holding(by="traffic", name=f"NetworkPolicy {name_policy(passage)}", keeps=passage.why)
    yield Holding(
        by="node",
        name="NVIDIA's container runtime",
        keeps="A pod without GPU sees no GPU, although its image sets `NVIDIA_VISIBLE_DEVICES`: GPU nodes ignore the"
        " variable of unprivileged containers.",
    )
