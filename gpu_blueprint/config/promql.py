"""What can be said of PromQL before any Prometheus sees it: whether it is any, and whether it gives one number.

KEDA reads the one sample of an instant vector: none, several, a scalar and a range are errors, at which replicas stay.
"""

from collections.abc import Iterator

import promql_parser
from promql_parser import (  # fmt: skip
    AggModifierType,
    AggregateExpr,
    BinaryExpr,
    Call,
    Expr,
    MatrixSelector,
    ParenExpr,
    SubqueryExpr,
    UnaryExpr,
    VectorSelector,
)

_NO_VECTOR = {
    "count_over_time": "the numbers of a whole range: aggregate them, as max_over_time(…) does",
    "vector": "a scalar, and KEDA reads vectors only: write vector(…), or leave scalar(…) out",
}
"""Function → what an expression is that it takes, and that scales nothing."""
_STAYS = "and replicas then stay as they are"
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_OF_SEVERAL = ("topk", "bottomk", "limitk", "limit_ratio", "count_values")
"""Aggregations that give several series without grouping."""
_OF_ONE = ("absent", "absent_over_time", "scalar", "time", "vector")


def fault(promql: str) -> str:
    """Why an expression scales nothing; empty if it may."""
    if error := _against(promql):
        return f"is no PromQL: {error}"
    if not _against(f"abs({promql}\n)"):
        return ""
    kinds = [kind for takes, kind in _NO_VECTOR.items() if not _against(f"{takes}({promql}\n)")]
    return f"gives {', '.join(kinds) or 'a text: leave the quotes around it out'}"


def doubt(promql: str) -> str:
    """Why an expression without fault may still give several numbers, or none; empty if nothing speaks for it."""
    found = promql_parser.parse(promql)
    if _may_fail(found):
        return f"it gives no number where the comparison fails, {_STAYS}; leave the comparison out"
    if _many(found):
        one = "make it one, such as with sum(…) or max(…), buckets with sum by (le) (…)"
        return f"it gives a number for each series or group that fits, {_STAYS} if there are several; {one}"
    return ""


def _may_fail(found: Expr) -> bool:
    match found:
        case ParenExpr() | UnaryExpr():
            return _may_fail(found.expr)
        case BinaryExpr() if str(found.op) == "or":
            return _may_fail(found.lhs) and _may_fail(found.rhs)
        case BinaryExpr():
            compares = str(found.op) in _COMPARISONS and not (found.modifier and found.modifier.return_bool)
            return compares or _may_fail(found.lhs) or _may_fail(found.rhs)
    return False


def _many(found: Expr) -> bool:
    match found:
        case VectorSelector() | MatrixSelector():
            return True
        case AggregateExpr():
            return (str(found.op) in _OF_SEVERAL and str(found.param) != "1") or _grouped(found)
        case Call() if found.func.name == "histogram_quantile":
            return _many_histograms(found.args[-1])
        case Call():
            return found.func.name not in _OF_ONE and any(_many(one) for one in found.args)
        case BinaryExpr():
            return any(_sides(found)) if str(found.op) == "or" else all(_sides(found))
        case ParenExpr() | UnaryExpr() | SubqueryExpr():
            return _many(found.expr)
    return False


def _many_histograms(found: Expr) -> bool:
    """Whether there are several; one has a series for each bucket, unless it is native."""
    match found:
        case ParenExpr():
            return _many_histograms(found.expr)
        case AggregateExpr():
            by = found.modifier
            return _grouped(found) and not (by and by.type == AggModifierType.By and by.labels == ["le"])
    return _many(found)


def _grouped(found: AggregateExpr) -> bool:
    by = found.modifier
    return bool(by and (by.labels or by.type == AggModifierType.Without))


def _sides(found: BinaryExpr) -> Iterator[bool]:
    """Whether there are many on each side; a scalar beside them changes nothing."""
    yield from (_many(side) for side in (found.lhs, found.rhs) if _against(f"vector({side}\n)"))


def _against(promql: str) -> str:
    """What the parser of PromQL has against an expression; nothing if it is one."""
    try:
        promql_parser.parse(promql)
    except ValueError as error:
        return str(error)
    return ""
