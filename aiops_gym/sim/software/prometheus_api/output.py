"""Answers as Prometheus writes them."""

from __future__ import annotations

from collections.abc import Sequence

from aiops_gym.sim.promql.evaluate import Answer
from aiops_gym.sim.promql.golang import print_float, to_json
from aiops_gym.sim.promql.series import Labels, Series


def write_good(data: str) -> str:
    """The body around what was asked for."""
    return f'{{"status":"success","data":{data}}}'


def write_bad(kind: str, text: str) -> str:
    """The body of an error."""
    return f'{{"status":"error","errorType":{to_json(kind)},"error":{to_json(text)}}}'


def write_labels(labels: Labels) -> str:
    """A label set."""
    return "{" + ",".join(f"{to_json(name)}:{to_json(value)}" for name, value in labels) + "}"


def write_time(ms: int) -> str:
    """Seconds, with three decimals where they are not whole.

    >>> write_time(1500), write_time(2000), write_time(-1)
    ('1.500', '2', '-0.001')
    """
    seconds, rest = divmod(abs(ms), 1000)
    return f"{'-' if ms < 0 else ''}{seconds}" + (f".{rest:03d}" if rest else "")


def write_answer(answer: Answer, time: int = 0) -> str:
    """What a query came to; `time` is when an instant query looked, ms."""
    if answer.kind in ("scalar", "string"):
        value = print_float(answer.scalar) if answer.kind == "scalar" else answer.text
        result = f"[{print_float(time / 1000)},{to_json(value)}]"
    else:
        write = _write_sample if answer.kind == "vector" else _write_series
        result = "[" + ",".join(write(series) for series in answer.series) + "]"
    return f'{{"resultType":"{answer.kind}","result":{result}}}'


def _points(series: Series) -> Sequence[str]:
    pairs = zip(series.times.tolist(), series.values.tolist(), strict=True)
    return [f'[{write_time(ms)},"{print_float(value, exponents=True)}"]' for ms, value in pairs]


def _write_sample(series: Series) -> str:
    return f'{{"metric":{write_labels(series.labels)},"value":{_points(series)[0]}}}'


def _write_series(series: Series) -> str:
    return f'{{"metric":{write_labels(series.labels)},"values":[{",".join(_points(series))}]}}'
