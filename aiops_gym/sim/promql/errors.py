"""How a query fails: in Prometheus' words, with Prometheus' kind of error."""

from __future__ import annotations

TOO_MANY_SAMPLES = "query processing would load too many samples into memory in query execution"
SAME_LABELS = "vector cannot contain metrics with the same labelset"


class QueryError(Exception):
    """A query that has no answer.

    Attributes:
        kind: the HTTP API's errorType: `bad_data` where it cannot be read, `execution` where it cannot be worked out.
    """

    def __init__(self, text: str, kind: str = "execution") -> None:
        super().__init__(text)
        self.kind = kind


def make_parse_error(query: str, at: int, text: str) -> QueryError:
    """What is wrong at a place of the query: line and column, which counts bytes."""
    before = query[:at]
    line = before.count("\n") + 1
    column = len(before[before.rfind("\n") + 1 :].encode()) + 1
    return QueryError(f"{line}:{column}: parse error: {text}", "bad_data")
