"""Ways to answer one question about a day of spans, one a file: `prepare(csv) -> state` and `call(state, ...) -> text`.

The question: of a window, optionally of one component, how many spans each component has, their mean, median and 95th
percentile, and the first and last 30 rows.
"""

ENDS = 30
"""Rows printed of each end of the window."""
