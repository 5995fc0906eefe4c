"""Checks of PromQL without a Prometheus: is the expression valid, and does it give one number?

KEDA reads one sample of an instant vector. No sample, several samples, a scalar or a range are errors, and the replicas
then stay as they are.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import promql_parser
from promql_parser import (
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

_STAYS = "and replicas then stay as they are"
_COMPARISONS = ("==", "!=", "<", ">", "<=", ">=")
_SEVERAL_SERIES = ("topk", "bottomk", "limitk", "limit_ratio", "count_values")
"""Aggregations that give several series without grouping."""
_ONE_SERIES = ("absent", "absent_over_time", "scalar", "time", "vector")
"""Functions that give one series, whatever their argument."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The reason why KEDA cannot use an expression; ``reason`` continues a sentence that starts with the expression."""

    kind: str
    reason: str
    hint: str = ""


def find_fault(promql: str) -> Fault | None:
    """Return why KEDA cannot use an expression, or nothing if it can."""
    if error := _parse_error(promql):
        return Fault("not-promql", f"is not PromQL: {error}", "correct the expression")
    if _is_argument_of("abs", promql):
        return None
    if _is_argument_of("count_over_time", promql):
        hint = "aggregate the range, as max_over_time(…) does"
        return Fault("query-of-a-range", "gives the numbers of a whole range", hint)
    if _is_argument_of("vector", promql):
        hint = "write vector(…), or leave scalar(…) out"
        return Fault("query-of-a-scalar", "gives a scalar, and KEDA reads only vectors", hint)
    return Fault("query-of-a-text", "gives a text", "leave out the quotes around it")


def find_doubt(promql: str) -> str:
    """Return why a valid expression may give several numbers or none, or an empty text if it gives one."""
    parsed = promql_parser.parse(promql)
    if _may_be_empty(parsed):
        return f"it gives no number where the comparison fails, {_STAYS}; leave the comparison out"
    if _has_many(parsed):
        hint = "aggregate it to one number, such as with sum(…) or max(…), and buckets with sum by (le) (…)"
        return f"it gives a number for each series or group that fits, {_STAYS} if there are several; {hint}"
    return ""


def _may_be_empty(expr: Expr) -> bool:
    match expr:
        case ParenExpr() | UnaryExpr():
            return _may_be_empty(expr.expr)
        case BinaryExpr() if str(expr.op) == "or":
            return _may_be_empty(expr.lhs) and _may_be_empty(expr.rhs)
        case BinaryExpr():
            compares = str(expr.op) in _COMPARISONS and not (expr.modifier and expr.modifier.return_bool)
            return compares or _may_be_empty(expr.lhs) or _may_be_empty(expr.rhs)
    return False


def _has_many(expr: Expr) -> bool:
    match expr:
        case VectorSelector() | MatrixSelector():
            return True
        case AggregateExpr():
            return (str(expr.op) in _SEVERAL_SERIES and str(expr.param) != "1") or _is_grouped(expr)
        case Call() if expr.func.name == "histogram_quantile":
            return _has_many_histograms(expr.args[-1])
        case Call():
            return expr.func.name not in _ONE_SERIES and any(map(_has_many, expr.args))
        case BinaryExpr():
            return any(_has_many_on_sides(expr)) if str(expr.op) == "or" else all(_has_many_on_sides(expr))
        case ParenExpr() | UnaryExpr() | SubqueryExpr():
            return _has_many(expr.expr)
    return False


def _has_many_histograms(expr: Expr) -> bool:
    """Return whether there are several histograms; a histogram that is not native has a series for each bucket."""
    match expr:
        case ParenExpr():
            return _has_many_histograms(expr.expr)
        case AggregateExpr():
            by = expr.modifier
            return _is_grouped(expr) and not (by and by.type == AggModifierType.By and by.labels == ["le"])
    return _has_many(expr)


def _is_grouped(expr: AggregateExpr) -> bool:
    by = expr.modifier
    return bool(by and (by.labels or by.type == AggModifierType.Without))


def _has_many_on_sides(expr: BinaryExpr) -> Iterator[bool]:
    """Yield, for each side that is a vector, whether it has many series; a scalar beside a vector changes nothing."""
    yield from (_has_many(side) for side in (expr.lhs, expr.rhs) if not _is_argument_of("vector", str(side)))


def _is_argument_of(function: str, promql: str) -> bool:
    """Return whether a function accepts the expression; the line break ends a comment in the expression."""
    return not _parse_error(f"{function}({promql}\n)")


def _parse_error(promql: str) -> str:
    """Return the error of the PromQL parser, or an empty text if the parser accepts the expression."""
    try:
        promql_parser.parse(promql)
    except ValueError as error:
        return str(error)
    return ""
