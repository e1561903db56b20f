"""Templates in labels and annotations: Go's, with Prometheus' functions.

Reference: https://prometheus.io/docs/prometheus/2.47/configuration/template_reference/
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from aiops_gym.sim.golang import functions
from aiops_gym.sim.golang.functions import TemplateError
from aiops_gym.sim.golang.template import Room, render_nodes
from aiops_gym.sim.golang.template_parser import parse_nodes
from aiops_gym.sim.kernel.patterns import compile_pattern

DEFINED = {"labels": "Labels", "externalLabels": "ExternalLabels", "externalURL": "ExternalURL", "value": "Value"}
HEAD = "".join(f"{{{{${name} := .{field}}}}}" for name, field in DEFINED.items())
"""What Prometheus puts before each template."""

LARGE, SMALL = ("k", "M", "G", "T", "P", "E", "Z", "Y"), ("m", "u", "n", "p", "f", "a", "z", "y")
BINARY = ("ki", "Mi", "Gi", "Ti", "Pi", "Ei", "Zi", "Yi")


def expand(text: str, labels: Mapping[str, str], value: float, url: str = "") -> str:
    """The text of a label or an annotation; where a template fails, what Prometheus writes in its place.

    >>> expand("{{ $labels.pod }} is at {{ $value | humanizePercentage }}", {"pod": "geo-1"}, 0.256)
    'geo-1 is at 25.6%'
    """
    if "{{" not in text:
        return text
    data = {"Labels": dict(labels), "ExternalLabels": {}, "ExternalURL": url, "Value": value}
    try:
        nodes = parse_nodes(HEAD + text, functions=NAMES)
        return render_nodes(nodes, data, _call, Room()).replace("<no value>", "")
    except TemplateError as error:
        return f"<error expanding template: error executing template __alert: {error}>"


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TemplateError(f"can't convert {value!r} to float")
    try:
        return float(value)
    except ValueError:
        raise TemplateError(f'strconv.ParseFloat: parsing "{value}": invalid syntax') from None


def _scaled(value: float, base: float, larger: tuple[str, ...], smaller: tuple[str, ...]) -> str:
    if value == 0 or not math.isfinite(value):
        return _short(value)
    unit = ""
    if abs(value) >= 1:
        for each in larger:
            if abs(value) < base:
                break
            unit, value = each, value / base
    else:
        for each in smaller:
            if abs(value) >= 1:
                break
            unit, value = each, value * base
    return _short(value) + unit


def _short(value: float) -> str:
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
    return f"{value:.4g}"


def humanize(given: Any) -> str:
    """With a unit of a thousand."""
    return _scaled(_number(given), 1000.0, LARGE, SMALL)


def humanize_binary(given: Any) -> str:
    """With a unit of 1,024."""
    value = _number(given)
    return _short(value) if abs(value) <= 1 else _scaled(value, 1024.0, BINARY, ())


def humanize_duration(given: Any) -> str:
    """Seconds in days, hours, minutes.

    >>> humanize_duration(93784), humanize_duration(0.25)
    ('1d 2h 3m 4s', '250ms')
    """
    value = _number(given)
    if not math.isfinite(value):
        return _short(value)
    if abs(value) < 1:
        return f"{_scaled(value, 1000.0, (), SMALL)}s"
    sign, whole = "-" if value < 0 else "", int(abs(value))
    days, hours, minutes, seconds = whole // 86400, whole // 3600 % 24, whole // 60 % 60, whole % 60
    if days:
        return f"{sign}{days}d {hours}h {minutes}m {seconds}s"
    if hours:
        return f"{sign}{hours}h {minutes}m {seconds}s"
    return f"{sign}{minutes}m {seconds}s" if minutes else f"{_short(value)}s"


def humanize_percentage(given: Any) -> str:
    """A ratio in percent."""
    return f"{_short(_number(given) * 100)}%"


def _replaced(pattern: Any, new: Any, text: Any) -> str:
    used = re.sub(r"\$(\w+|\{\w+\})", lambda found: rf"\g<{found[1].strip('{}')}>", str(new))
    return compile_pattern(str(pattern)).sub(used, str(text))


def _is_match(pattern: Any, text: Any) -> bool:
    return compile_pattern(str(pattern)).search(str(text)) is not None


OWN: Final[Mapping[str, Callable[..., Any]]] = {
    "humanize": humanize,
    "humanize1024": humanize_binary,
    "humanizeDuration": humanize_duration,
    "humanizePercentage": humanize_percentage,
    "title": lambda text: re.sub(r"(?<!\w)\w", lambda found: found[0].upper(), str(text)),
    "toUpper": lambda text: str(text).upper(),
    "toLower": lambda text: str(text).lower(),
    "stripPort": lambda text: re.sub(r":\d+$", "", str(text)),
    "stripDomain": lambda text: re.sub(r"^([^.:]+)\.[^:]*", r"\1", str(text)),
    "match": _is_match,
    "reReplaceAll": _replaced,
}

NAMES: Final = frozenset((*functions.FUNCTIONS, *OWN, "and", "or"))


def _call(name: str, arguments: list[Any]) -> Any:
    if name not in OWN:
        return functions.call(name, arguments)
    try:
        return OWN[name](*arguments)
    except (TemplateError, re.error) as error:
        raise TemplateError(f"error calling {name}: {error}") from None
    except TypeError:
        raise TemplateError(f"wrong number of args for {name}: got {len(arguments)}") from None
