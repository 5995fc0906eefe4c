"""Which series a PromQL expression speaks of."""

import promql_parser


def series_in(expr: str) -> list[tuple[str, set[str]]]:
    """Name and the labels that are matched of every series in an expression, in order."""
    found: list[tuple[str, set[str]]] = []

    def visit(node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.VectorSelector):
            found.append((node.name or "", {matcher.name for matcher in node.matchers.matchers}))

    promql_parser.walk(promql_parser.parse(expr), visit)
    return found
