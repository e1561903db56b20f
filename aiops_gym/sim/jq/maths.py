"""Functions of C's mathematics library."""

from __future__ import annotations

import math
from collections.abc import Callable

from aiops_gym.sim.jq.errors import JqError
from aiops_gym.sim.jq.machine import Run
from aiops_gym.sim.jq.paths import is_number
from aiops_gym.sim.jq.values import number, told
from aiops_gym.types import Json


def _safe(function: Callable[..., float], *numbers: float) -> Json:
    try:
        return number(function(*numbers))
    except OverflowError:
        return number(math.inf)
    except (ValueError, ZeroDivisionError):
        return number(math.nan)


def _of_numbers(function: Callable[..., float]) -> Callable[..., Json]:
    def work(run: Run, value: Json, *arguments: Json) -> Json:
        numbers = arguments or (value,)
        for each in numbers:
            if not is_number(each):
                raise JqError(f"{told(each)} number required")
        return _safe(function, *numbers)

    return work


def _logarithm(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: -math.inf if x == 0 else function(x)


def _round(x: float) -> float:
    return math.copysign(math.floor(abs(x) + 0.5), x) if math.isfinite(x) else x


def _whole(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: float(function(x)) if math.isfinite(x) else x


def _exponent(x: float) -> float:
    return -math.inf if x == 0 else math.inf if math.isinf(x) else math.frexp(x)[1] - 1


def _significand(x: float) -> float:
    return math.frexp(x)[0] * 2 if x and math.isfinite(x) else x


def _scale(x: float, power: float) -> float:
    return math.ldexp(x, int(max(-5000, min(5000, power)))) if power == power else math.nan  # noqa: PLR0124


def _gamma(x: float) -> float:
    return math.inf if x <= 0 and x == math.floor(x) else math.lgamma(x)


def _pair(of: Callable[[float], list[float]]) -> Callable[..., Json]:
    def work(run: Run, value: Json) -> Json:
        if not is_number(value):
            raise JqError(f"{told(value)} number required")
        return [number(each) for each in of(float(value))]

    return work


def _kind(test: Callable[[float], bool]) -> Callable[..., Json]:
    def work(run: Run, value: Json) -> Json:
        if not is_number(value):
            raise JqError(f"{told(value)} number required")
        return test(float(value))

    return work


def _is_finite(run: Run, value: Json) -> Json:
    return is_number(value) and not math.isinf(value)


_ONE: dict[str, Callable[[float], float]] = {
    **{
        name: getattr(math, name)
        for name in ["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "erfc", "exp", "expm1"]
    },
    **{name: getattr(math, name) for name in ["fabs", "sin", "sinh", "sqrt", "tan", "tanh", "cbrt", "exp2"]},
    **{name: _logarithm(getattr(math, name)) for name in ("log", "log10", "log2", "log1p")},
    "log1p": math.log1p,
    "floor": _whole(math.floor),
    "ceil": _whole(math.ceil),
    "trunc": _whole(math.trunc),
    "rint": _whole(round),
    "nearbyint": _whole(round),
    "round": _round,
    "exp10": lambda x: math.pow(10.0, x),
    "gamma": _gamma,
    "lgamma": _gamma,
    "lgamma_r": _gamma,
    "tgamma": math.gamma,
    "logb": _exponent,
    "significand": _significand,
}
_SEVERAL: dict[tuple[str, int], Callable[..., float]] = {
    ("pow", 2): math.pow,
    ("atan2", 2): math.atan2,
    ("fmod", 2): math.fmod,
    ("copysign", 2): math.copysign,
    ("hypot", 2): math.hypot,
    ("fmax", 2): max,
    ("fmin", 2): min,
    ("fdim", 2): lambda x, y: max(x - y, 0.0),
    ("fma", 3): lambda x, y, z: x * y + z,
    ("ldexp", 2): _scale,
    ("scalb", 2): _scale,
    ("scalbln", 2): _scale,
    ("drem", 2): math.remainder,
    ("remainder", 2): math.remainder,
    ("nextafter", 2): math.nextafter,
    ("nexttoward", 2): math.nextafter,
}

FUNCTIONS: dict[tuple[str, int], Callable[..., Json]] = {
    **{(name, 0): _of_numbers(function) for name, function in _ONE.items()},
    **{key: _of_numbers(function) for key, function in _SEVERAL.items()},
    ("frexp", 0): _pair(lambda x: list(math.frexp(x))),
    ("modf", 0): _pair(lambda x: list(math.modf(x))),
    ("infinite", 0): lambda run, value: number(math.inf),
    ("nan", 0): lambda run, value: number(math.nan),
    ("isinfinite", 0): _kind(math.isinf),
    ("isnan", 0): _kind(math.isnan),
    ("isnormal", 0): _kind(lambda x: math.isfinite(x) and abs(x) >= 2.0**-1022),
    ("isfinite", 0): _is_finite,
}
