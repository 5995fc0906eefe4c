"""Promises that probes compare with reality."""

from collections.abc import Callable

from .offers import Offer, is_dearer
from .outcome import Expectation, Fate, Landing, Outcome

_Check = Callable[[Outcome], str]


def expect_nodes(pool: str, purchase: str, *, usd: float, text: str) -> Expectation:
    """Expect that all pods run in a pool, bought in one way, for at most a price."""
    return Expectation(text, _chain(_all_run, _on(pool), _paid_as(purchase), _for_at_most(usd)))


def expect_offer(pool: str, offer: Offer) -> Expectation:
    """Expect that all pods run in a pool, on a node that costs no more than an offer."""
    text = f"runs on {offer}, ${offer.usd:.2f}/h"
    return expect_nodes(pool, offer.purchase, usd=offer.usd, text=text)


def expect_pool(pool: str) -> Expectation:
    """Expect that all pods run in a pool, on any of its nodes."""
    return Expectation(f"runs in {pool}", _chain(_all_run, _on(pool)))


def expect_ceiling(pool: str, running: int) -> Expectation:
    """Expect that some pods run and exactly one waits for the pool's limit."""

    def compare(outcome: Outcome) -> str:
        found = outcome.count(Fate.RUNS), outcome.count(Fate.WAITS)
        if found != (running, 1):
            return f"{found[0]} run and {found[1]} wait; the ceiling holds {running}"
        reasons = " ".join(outcome.list_reasons())
        return "" if "limit" in reasons else f"the pod waits for another reason: {reasons}"

    return Expectation(f"{running} fill {pool}, 1 waits", compare)


def expect_pending() -> Expectation:
    """Expect that every pod waits."""

    def compare(outcome: Outcome) -> str:
        settled = [pod for pod in outcome.pods if pod.fate is not Fate.WAITS]
        return f"the pod {settled[0].fate}" if settled else ""

    return Expectation("waits", compare)


def expect_refusal(by: str) -> Expectation:
    """Expect that the API server refuses all pods, with a word such as ``quota`` in its reason."""

    def compare(outcome: Outcome) -> str:
        if escaped := [pod for pod in outcome.pods if pod.fate is not Fate.REFUSED]:
            return f"the API server admits {'the pod' if len(outcome.pods) == 1 else f'{len(escaped)} pods'}"
        wrong = [reason for reason in outcome.list_reasons() if by not in reason]
        return f"refused for another reason: {wrong[0]}" if wrong else ""

    return Expectation(f"refused by {by}", compare)


def expect_no_gpu_node(text: str) -> Expectation:
    """Expect that no pod gets a node of a GPU pool."""

    def compare(outcome: Outcome) -> str:
        on_gpus = [node for node in outcome.list_nodes() if not node.is_managed]
        return f"a pod without GPU takes a node of {on_gpus[0].pool}" if on_gpus else ""

    return Expectation(text, compare)


def expect_managed_node() -> Expectation:
    """Expect that all pods run on nodes that the platform pays for anyway."""
    elsewhere = _each(lambda node: node.is_managed, "launched for a pod without GPU")
    return Expectation("runs on a node without GPU", _chain(_all_run, elsewhere))


def expect_not_in(pool: str) -> Expectation:
    """Expect that no pod runs in a pool."""

    def compare(outcome: Outcome) -> str:
        return f"the pod gets a node of {pool}" if any(node.pool == pool for node in outcome.list_nodes()) else ""

    return Expectation(f"gets no node of {pool}", compare)


def expect_note(text: str, note: str, pool: str) -> Expectation:
    """Expect that all pods run in a pool, and that the outcome holds a note."""

    def compare(outcome: Outcome) -> str:
        return "" if note in outcome.notes else f"{text}: not seen; {', '.join(outcome.notes) or 'nothing happened'}"

    return Expectation(text, _chain(_all_run, _on(pool), compare))


def _chain(*checks: _Check) -> _Check:
    """Return the first difference that a row of checks finds."""
    return lambda outcome: next(filter(None, (check(outcome) for check in checks)), "")


def _all_run(outcome: Outcome) -> str:
    stuck = [pod for pod in outcome.pods if pod.fate is not Fate.RUNS]
    if not stuck:
        return ""
    count = f"{len(stuck)} of {len(outcome.pods)} pods" if len(outcome.pods) > 1 else "the pod"
    return f"{count} {'are' if len(stuck) > 1 else 'is'} {_PARTICIPLES[stuck[0].fate]}: {stuck[0].reason}"


_PARTICIPLES = {Fate.WAITS: "still waiting", Fate.REFUSED: "refused"}


def _on(pool: str) -> _Check:
    return _each(lambda node: node.pool == pool, f"not in {pool}")


def _paid_as(purchase: str) -> _Check:
    return _each(lambda node: node.is_managed or node.purchase == purchase, f"not bought as {purchase}")


def _each(holds: Callable[[Landing], bool], fault: str) -> _Check:
    """Return a check of every node."""

    def compare(outcome: Outcome) -> str:
        return next((f"{node} is {fault}" for node in outcome.list_nodes() if not holds(node)), "")

    return compare


def _for_at_most(usd: float) -> _Check:
    def compare(outcome: Outcome) -> str:
        if not is_dearer(outcome.usd_per_hour, usd):
            return ""
        ratio = outcome.usd_per_hour / usd
        return f"${outcome.usd_per_hour:.2f}/h where ${usd:.2f}/h would do, {ratio:.1f} times as much"

    return compare
