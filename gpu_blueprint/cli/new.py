"""``new``: fork a stack file, comments and all."""

import argparse
from ipaddress import IPv4Network

import yaml

from ..config import NewVpc, StackConfig
from ..config.scalars import is_inside
from ..errors import BlueprintError, StackError, UsageError
from ..judging.verdicts import levels_file
from ..loading import Source, StackFile, existing_stacks, open_stack, parse, stack_path
from ..loading.source import IN_FILE
from .files import write_whole


def run(arguments: argparse.Namespace) -> int:
    """Write the new file, and say what was changed and what to look at."""
    name, origin = arguments.environment, open_stack(arguments.origin)
    path = stack_path(name)
    if path.exists():
        raise UsageError(f"{path}: exists already; edit it, or choose another name")
    changes = _changes(origin, name)
    text = _replaced(origin.source, changes)
    fork = Source(text, path.as_posix())
    try:
        parse(fork.stack, fork.region)
    except StackError as error:
        raise UsageError(f"{name!r} cannot be an environment: {error}") from None
    write_whole(path, text)
    print(f"{path}: made from {origin.source.file}")
    for field, value in changes.items():
        print(f"  {'.'.join(field)}: now {value}")
    for advice in (*_advice(origin.config), *_levels(origin.config.environment, name)):
        print(f"  look at {advice}")
    return 0


def _changes(origin: StackFile, name: str) -> dict[tuple[str, ...], str]:
    """Field → new value, for the fields that two environments cannot share."""
    changes: dict[tuple[str, ...], str] = {("environment",): name}
    if origin.config.cluster.name:
        changes["cluster", "name"] = f"gpu-{name}"
    if isinstance(origin.config.network, NewVpc):
        changes["network", "cidr"] = str(_free_block(IPv4Network(origin.config.network.cidr)))
    return changes


def _free_block(block: IPv4Network) -> IPv4Network:
    """The next block of the same size that no stack uses, so that the VPCs can be peered."""
    taken = [IPv4Network(network.cidr) for network in _networks() if isinstance(network, NewVpc)]
    while any(block.overlaps(other) for other in taken):
        block = IPv4Network((int(block.network_address) + block.num_addresses, block.prefixlen))
        if not is_inside(str(block)):
            raise UsageError("no free address block is left behind the origin's; write the file by hand")
    return block


def _networks() -> list[object]:
    networks: list[object] = []
    for stack in existing_stacks():
        try:
            networks.append(open_stack(stack).config.network)
        except BlueprintError:
            continue  # a broken neighbour does not keep anybody from a new file
    return networks


def _replaced(source: Source, changes: dict[tuple[str, ...], str]) -> str:
    """Replace scalars where they stand, so that comments and order stay."""
    text = source.text
    nodes = [(source.node(IN_FILE + field), value) for field, value in changes.items()]
    for node, value in sorted(nodes, key=lambda pair: -pair[0].start_mark.index):
        quoted = yaml.safe_dump(value).splitlines()[0]
        text = text[: node.start_mark.index] + quoted + text[node.end_mark.index :]
    return text


def _advice(config: StackConfig) -> list[str]:
    advice = [f"accountId: still {config.account_id}", "cluster.admins, cluster.api and tenants: still the origin's"]
    if config.hourly_ceiling or config.monthly_budget or config.billing:
        advice.append("hourlyCeiling, monthlyBudget and billing: still the origin's")
    if any(pool.reservations for pool in config.pools):
        advice.append("reservations: two environments cannot both use them")
    return advice


def _levels(origin: str, environment: str) -> list[str]:
    """Whose policy levels count, where the new environment has none of its own."""
    own, others = levels_file(environment), levels_file(origin)
    if own.stem == environment or own == others:
        return []
    return [
        f"policies: {own.name} judges it; for the origin's levels copy policies/{others.name} to policies/{environment}.json"
    ]
