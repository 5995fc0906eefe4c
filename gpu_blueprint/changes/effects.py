"""The effects of a change: on resources, on nodes, on tenants, and the verdict on all of them."""

from typing import Literal

from ..records import Record

Effect = Literal["create", "update", "replace", "delete", "update-or-replace"]
"""The engine's operation on a resource; ``update-or-replace`` where the catalogue does not know the type."""

Verdict = Literal["nothing", "safe", "drains-nodes", "replaces-resources", "loses-data-or-access"]
VERDICTS: tuple[Verdict, ...] = ("nothing", "safe", "drains-nodes", "replaces-resources", "loses-data-or-access")
"""From harmless to grave; ``--fail-on`` takes one of them."""

ALL_TENANTS = "all tenants: "
"""The beginning of a sentence on a gain or a loss that all tenants share."""


class ResourceChange(Record, kw_only=True):
    """The change of one resource."""

    urn: str
    """URN after the change; before the change for a resource that is deleted."""
    type: str
    name: str
    effect: Effect
    paths: tuple[str, ...] = ()
    """Dotted paths of the inputs that differ."""
    causes: tuple[str, ...] = ()
    """The paths among them that replace the resource."""
    sources: tuple[str, ...] = ()
    """URNs of replaced or changed resources whose outputs the inputs hold, if the file itself changed none of them."""
    inside: str = ""
    """URN of the replaced cluster in which the object is lost, whatever the engine calls the change."""


class NodeDrain(Record, kw_only=True):
    """The nodes of one pool or node group that a change replaces."""

    pool: str
    """Name of the pool, or of the managed node group."""
    nodes: str
    """The nodes that drain, such as ``all nodes`` or ``nodes in us-east-1b``."""
    reasons: tuple[str, ...]
    """The fields for which they drain, in words: ``the label gpu-blueprint/sharing``."""
    most_nodes: int | None
    """The most nodes that may run at the pool's ceiling; None if nothing limits them."""
    budgets: tuple[str, ...]
    """The pool's disruption budgets in words, such as ``1 node at a time``."""
    grace: str
    """Time that pods get before their node ends by force, such as ``1h``; empty without limit."""
    twice_usd_hour: float | None
    """Dollars an hour for new nodes while old nodes still run, at on-demand prices; None if a price is not known."""
    purpose: str = ""
    """Purpose of the pool, such as ``training``."""
    is_checkpointed: bool = False
    """True if the pool says that its work resumes on another node."""
    is_blocked: bool = False
    """True if the budgets let no node drain: they terminate when they are empty, or when a budget allows it."""

    is_at_once: bool = False
    """True if no budget paces the drain: all nodes terminate together."""

    room: str = ""
    """Where successors come from, and what becomes of nodes without one, a sentence without a full stop."""
    waits_for_reservation: bool = False
    """True if the pool buys reserved capacity alone: a node is replaced only while a reservation has room."""
    pinned: str = ""
    """The fate of pods that may not be evicted, a sentence without a full stop; empty if no node drains for now."""

    @property
    def is_interrupting_training(self) -> bool:
        """True if training that nobody says is checkpointed ends before its time."""
        return self.purpose == "training" and not self.is_checkpointed and not self.is_blocked


class TenantChange(Record, kw_only=True):
    """Things that a tenant gains or loses."""

    tenant: str
    gained: tuple[str, ...] = ()
    """Sentences without a full stop, such as ``quota of infer-l4: 6 instead of 4 gpu.shared``."""
    lost: tuple[str, ...] = ()
    is_grave: bool = False
    """True if running work ends or data or access is lost: the namespace goes, a member has no access."""
