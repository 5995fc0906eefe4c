"""The series that a PromQL expression reads."""

import promql_parser


def list_series(expr: str) -> list[tuple[str, set[str]]]:
    """Return the name and the matched labels of each series in an expression, in order."""
    found: list[tuple[str, set[str]]] = []

    def visit(node: promql_parser.Expr) -> None:
        if isinstance(node, promql_parser.VectorSelector):
            found.append((node.name or "", {matcher.name for matcher in node.matchers.matchers}))

    promql_parser.walk(promql_parser.parse(expr), visit)
    return found
