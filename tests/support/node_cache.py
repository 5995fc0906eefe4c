"""The CoreDNS of the cache of a node, on loopback: it reads a rendered Corefile, and asks servers of a test."""

import re
import socket
import subprocess
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpu_blueprint.catalog.node_local_dns import HEALTH_PORT, LOCAL_ADDRESS, QUERIES_PORT
from gpu_blueprint.live.bounds import call_within
from lab.engines import ENGINES, find_engine
from lab.ports import claim_port, release_ports

from .names import Names, Question, Reply, ask, serve_names
from .processes import PATIENCE_S, running

LOCAL, KUBE_DNS, ELSEWHERE = "127.0.0.20", "127.0.0.10", "127.0.0.30"
"""The places on loopback of the cache's two addresses, and of an address of the node that it does not bind."""
_TARGETS = {"coredns": "__PILLAR__CLUSTER__DNS__", "vpc": "__PILLAR__UPSTREAM__SERVERS__"}
"""Server that the cache asks → the word in the Corefile for which node-cache writes its address."""


@dataclass
class NodeCache:
    """A cache that answers, and what it asks."""

    process: "subprocess.Popen[str]"
    ports: Mapping[int, int]
    """Port on a node → port on loopback."""
    asked: Mapping[str, list[Question]]
    """Server of the cache → the questions that it got."""
    log: list[str]
    places = (LOCAL, KUBE_DNS)

    def ask(self, name: str, protocol: str = "udp", place: str = LOCAL) -> Reply:
        """Return the answer of the cache."""
        return ask((place, self.ports[53]), name, protocol)

    def find_ways(self, name: str) -> set[str]:
        """Return by which server and protocol the cache has asked for a name."""
        return {
            f"{server} {found.protocol}"
            for server, asked in self.asked.items()
            for found in asked
            if found.name == name
        }

    def count(self, name: str) -> int:
        """Return how often the cache has asked for a name, however it was spelled."""
        return sum(found.name.lower() == name for asked in self.asked.values() for found in asked)

    def listens(self, place: str, port: int) -> bool:
        """Tell whether the cache listens at a place over TCP."""
        with socket.socket() as opened:
            opened.settimeout(PATIENCE_S)
            return opened.connect_ex((place, self.ports[port])) == 0

    def is_healthy(self) -> bool:
        """Tell whether the probe of the DaemonSet would pass."""
        return bool(_read(f"http://{LOCAL}:{self.ports[HEALTH_PORT]}/health") == "OK")

    def read_metrics(self) -> str:
        """Return what Prometheus scrapes."""
        return _read(f"http://{LOCAL}:{self.ports[QUERIES_PORT]}/metrics")

    def read_metric(self, name: str) -> float:
        """Return the sum of a metric's series; 0 if there is none."""
        return sum(map(float, re.findall(rf"^{name}{{.*}} (\S+)$", self.read_metrics(), re.MULTILINE)))

    def stop(self) -> str:
        """End the cache, and return its log."""
        self.process.terminate()
        return self._read_log()

    def _read_log(self) -> str:
        """Return all that the cache said until its end; ``communicate`` would lose what ``readline`` has read ahead."""
        assert self.process.stdout and self.process.stderr
        rest = [call_within(PATIENCE_S, pipe.read) for pipe in (self.process.stdout, self.process.stderr)]
        self.process.wait(timeout=PATIENCE_S)
        return "".join([*self.log, *rest])

    def wait_for_start(self) -> None:
        """Wait until CoreDNS has started all its servers; raise AssertionError with its last words if it ends."""
        assert self.process.stdout
        while line := call_within(PATIENCE_S, self.process.stdout.readline):
            self.log.append(line)
            if line.startswith("CoreDNS-"):
                return
        self.wait_for_end()

    def wait_for_end(self) -> None:
        """Wait until the cache ends, and raise AssertionError with its last words."""
        words = self._read_log().strip().splitlines()[-1].strip()
        raise AssertionError(f"cluster.nodeLocalDns: CoreDNS {ENGINES['coredns'].version} ends: {words}")


def place_on_loopback(text: str, kube_dns: str, ports: Mapping[int, int], targets: Mapping[str, str]) -> str:
    """Return a Corefile with this machine's addresses and ports, and with the targets that node-cache writes in."""
    for address, place in {LOCAL_ADDRESS: LOCAL, kube_dns: KUBE_DNS}.items():
        text = re.sub(rf"(?<![\d.]){re.escape(address)}(?![\d.])", place, text)
    text = re.sub(r"(?<=\s):(?=\d)", f"{LOCAL}:", text)
    text = re.sub(r":(\d+)(?=\s)", lambda found: f":{ports[int(found[1])]}", text)
    for server, address in targets.items():
        text = text.replace(_TARGETS[server], address)
    return text


@contextmanager
def run_node_cache(
    folder: Path,
    text: str,
    kube_dns: str,
    cluster_names: Names,
    other_names: Names,
    *,
    is_silent: bool = False,
    leads_back: str = "",
    taken: Mapping[int, int] | None = None,
) -> Iterator[NodeCache]:
    """Run CoreDNS with a rendered Corefile until the block ends; fail with its words if it refuses the file.

    Args:
        folder: An empty folder.
        text: The Corefile, as the component renders it.
        kube_dns: The address of the Service kube-dns of the stack.
        cluster_names: What CoreDNS answers.
        other_names: What the resolver of the VPC answers.
        is_silent: Nobody listens at the servers of the cache.
        leads_back: The server whose address is the cache's own.
        taken: Ports that another program holds: port on a node → port on loopback.
    """
    claimed = {port: claim_port() for port in (53, HEALTH_PORT, QUERIES_PORT)}
    ports = {**claimed, **(taken or {})}
    with ExitStack() as ends:
        ends.callback(release_ports, claimed.values())
        asked, targets = {}, {}
        for server, names in (("coredns", cluster_names), ("vpc", other_names)):
            port, asked[server] = ends.enter_context(serve_names(names))
            targets[server] = f"{ELSEWHERE if is_silent else '127.0.0.1'}:{port}"
            if server == leads_back:
                targets[server] = f"{LOCAL}:{ports[53]}"
        file = folder / "Corefile"
        file.write_text(place_on_loopback(text, kube_dns, ports, targets))
        command: list[str | Path] = [find_engine("coredns"), "-conf", file]
        cache = NodeCache(ends.enter_context(running(command, folder)), ports, asked, [])
        cache.wait_for_start()
        yield cache


def _read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())
