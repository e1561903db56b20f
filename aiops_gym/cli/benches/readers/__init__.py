"""Ways to answer one question about a day of spans, one a file: `prepare(path)`, and two answers from what it returns.

`call(state, start, end, component) -> text`: of a window, optionally of one component, how many spans each component
has, their mean, median and 95th percentile, and the first and last 30 rows. `frame(...)`: all rows of the window as a
DataFrame in the order of time, with the same types by every reader: int64, and what this pandas makes of text.
"""

ENDS = 30
"""Rows printed of each end of the window."""

PARQUET_ROWS = 16_384
"""Of a row group: with more, a short window costs more; with fewer, the file grows."""
