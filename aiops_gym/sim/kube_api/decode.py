"""From what a client sent to an object of a known type: unknown fields, wrong types, and values that mean nothing.

As a Go program does that reads JSON into a struct and writes it back: nulls, empty lists and maps and zeroes of plain
fields vanish, quantities take their canonical form, a wrong type is refused with the words of the decoder.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from aiops_gym.sim.kernel import quantity, times
from aiops_gym.sim.kube_api.schema import Field, fields, split_words
from aiops_gym.types import Json

POINTERS = split_words(
    "automountServiceAccountToken enableServiceLinks optional runAsNonRoot privileged allowPrivilegeEscalation "
    "readOnlyRootFilesystem immutable suspend shareProcessNamespace controller blockOwnerDeletion hostUsers "
    "setHostnameAsFQDN allowVolumeExpansion allocateLoadBalancerNodePorts storageClassName ingressClassName "
    "replicas revisionHistoryLimit progressDeadlineSeconds terminationGracePeriodSeconds activeDeadlineSeconds "
    "parallelism completions backoffLimit ttlSecondsAfterFinished runAsUser runAsGroup fsGroup priority "
    "tolerationSeconds defaultMode mode successfulJobsHistoryLimit failedJobsHistoryLimit startingDeadlineSeconds "
    "expirationSeconds deletionGracePeriodSeconds gracePeriodSeconds orphanDependents minReplicas partition ready "
    "serving terminating leaseDurationSeconds leaseTransitions stabilizationWindowSeconds averageUtilization "
    "backoffLimitPerIndex maxFailedIndexes started recursiveReadOnly attachRequired podInfoOnMount "
    "requiresRepublish fsGroupChangePolicy appProtocol volumeMode attributesClassName volumeAttributesClassName "
    "preemptionPolicy timeZone service scope"
)
"""Fields that keep a zero or an empty string, because the server tells it from nothing."""

PLAIN_BOOLS = split_words(
    "readOnly hostNetwork hostPID hostIPC stdin stdinOnce tty paused unschedulable publishNotReadyAddresses "
    "globalDefault allowed denied namespaced"
)
PLAIN_INTS = split_words(
    "minReadySeconds initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold hostPort "
    "nodePort count observedGeneration readyReplicas availableReplicas unavailableReplicas updatedReplicas "
    "fullyLabeledReplicas healthCheckNodePort active succeeded failed generation"
)

TIME = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-][01]\d:[0-5]\d)"
)

MICRO_TIMES = split_words("eventTime renewTime acquireTime lastObservedTime")
"""Fields of the type MicroTime; all others have whole seconds."""

NO_TIME = "0001-01-01T00:00:00"
"""Go's zero time, which is written as no time at all."""

GO_KINDS = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}
UNSTRUCTURED_KINDS = {dict: "map", list: "slice", str: "string", bool: "bool", int: "int64", float: "float64"}


class DecodeError(ValueError):
    """A value of the wrong type, in the words of the decoder."""


@dataclass(slots=True)
class Decoder:
    """Reads one object.

    Attributes:
        patched: whether the value comes from a patch in memory rather than from JSON text: other words for errors.
        unknown: what was sent but is not a field, as `unknown field "spec.foo"`.
    """

    patched: bool = False
    unknown: list[str] = field(default_factory=list)

    def object(self, value: Json, type_name: str, path: str = "", names: tuple[str, ...] = ()) -> dict[str, Json]:
        """A fresh object of a type; `path` is for unknown fields (with indexes), `names` for type errors."""
        known, found = fields(type_name), {}
        for name, inner in value.items():
            declared = known.get(name)
            if declared is None:
                if inner is not None or name not in known:
                    self.unknown.append(f'unknown field "{path}{name}"')
            elif inner is not None:
                decoded = self.many(inner, declared, type_name, f"{path}{name}", (*names, name))
                if _meaningful(name, declared, decoded):
                    found[name] = decoded
        for name, declared in _needed(type_name):
            if name not in found:
                found[name] = self.object({}, declared.type) if fields(declared.type) else _zero(declared)
        return found

    def many(self, value: Json, declared: Field, owner: str, path: str, names: tuple[str, ...]) -> Json:
        """The value of a field: one, a list or a map."""
        if declared.shape == "list":
            if not isinstance(value, list):
                raise self.wrong(value, "[]" + _go(declared.type), owner, names, "slice")
            return [
                self.one({} if v is None and fields(declared.type) else v, declared, owner, f"{path}[{i}]", names)
                for i, v in enumerate(value)
                if v is not None or fields(declared.type)
            ]
        if declared.shape == "map":
            if not isinstance(value, Mapping):
                raise self.wrong(value, "map[string]" + _go(declared.type), owner, names, "map")
            return {
                str(k): self.one(_zero(declared) if v is None else v, declared, owner, f"{path}.{k}", names)
                for k, v in value.items()
            }
        return self.one(value, declared, owner, path, names)

    def one(self, value: Json, declared: Field, owner: str, path: str, names: tuple[str, ...]) -> Json:
        """One value of a field's type."""
        kind = declared.type
        if kind == "str":
            if isinstance(value, str):
                return value
        elif kind == "bool":
            if isinstance(value, bool):
                return value
        elif kind in ("int32", "int64"):
            return self.integer(value, kind, owner, names)
        elif kind == "intstr":
            if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
                return value
        elif kind == "quantity":
            return self.amount(value)
        elif kind == "bytes":
            return self.data(value, owner, names)
        elif kind == "time":
            return self.time(value, owner, names)
        elif kind == "num":
            if isinstance(value, int | float) and not isinstance(value, bool):
                return value
        elif isinstance(value, Mapping):
            return self.object(value, kind, path + ".", names) if fields(kind) else copy_json(value)
        elif not fields(kind):
            return copy_json(value)
        raise self.wrong(value, _go(kind), owner, names, "struct" if fields(kind) else "")

    def integer(self, value: Json, kind: str, owner: str, names: tuple[str, ...]) -> int:
        """A whole number that fits."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        limit = 1 << (31 if kind == "int32" else 63)
        if isinstance(value, int) and not isinstance(value, bool) and -limit <= value < limit:
            return value
        raise self.wrong(value, kind, owner, names, "")

    def amount(self, value: Json) -> str:
        """A quantity in its canonical form."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise DecodeError(quantity.WRONG)
        try:
            return quantity.canonical(value if isinstance(value, str) else f"{value:.15g}".replace("e+", "e"))
        except ValueError as error:
            raise DecodeError(str(error)) from None

    def time(self, value: Json, owner: str, names: tuple[str, ...]) -> str:
        """A time in RFC 3339."""
        if not isinstance(value, str):
            raise self.wrong(value, "v1.Time" if self.patched else "string", owner, names, "struct")
        found = times.canonical(value, names[-1] in MICRO_TIMES) if TIME.fullmatch(value) else None
        if found is None:
            if TIME.fullmatch(value):
                raise DecodeError(f'parsing time "{value}": day out of range')
            shape = "2006-01-02T15:04:05Z07:00"
            raise DecodeError(f'parsing time "{value}" as "{shape}": cannot parse "{value}" as "2006"')
        return "" if found.startswith(NO_TIME) else found

    def data(self, value: Json, owner: str, names: tuple[str, ...]) -> str:
        """Base64."""
        if not isinstance(value, str):
            raise self.wrong(value, "[]uint8", owner, names, "slice")
        try:
            b64decode("".join(value.split()), validate=True)
        except (binascii.Error, ValueError):
            raise DecodeError(f"illegal base64 data at input byte {_first_illegal(value)}") from None
        return "".join(value.split())

    def wrong(self, value: Json, wanted: str, owner: str, names: tuple[str, ...], shape: str) -> DecodeError:
        """The refusal of a value of the wrong type."""
        if self.patched:
            kind = UNSTRUCTURED_KINDS.get(type(value), "map")
            text = f"cannot restore {shape} from{':' if shape == 'struct' else ''} {kind}"
            return DecodeError(text if shape else f"unrecognized type: {wanted}")
        kind = GO_KINDS.get(type(value), "object")
        if kind == "number" and wanted in ("int32", "int64"):
            kind = f"number {value}"
        where = f"{owner.rsplit('.', 1)[-1]}.{'.'.join(names)}"
        return DecodeError(f"json: cannot unmarshal {kind} into Go struct field {where} of type {wanted}")


def copy_json(value: Json) -> Json:
    """A copy of JSON data that shares nothing which could be changed."""
    if isinstance(value, str):  # as most are
        return value
    if isinstance(value, dict | Mapping):
        return {k: copy_json(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [copy_json(v) for v in value]
    return value


def _zero(declared: Field) -> Json:
    return {"str": "", "bool": False, "int32": 0, "int64": 0, "quantity": "0", "bytes": ""}.get(declared.type, {})


@cache
def _needed(type_name: str) -> tuple[tuple[str, Field], ...]:
    """Fields that are written even when nobody gave them; selectors are not, their absence means something."""
    found = fields(type_name).items()
    kinds = ("str", "bool", "int32", "int64")
    return tuple(
        (name, declared)
        for name, declared in found
        if declared.required
        and not declared.shape
        and (declared.type in kinds or (fields(declared.type) and declared.type != "LabelSelector"))
    )


def _meaningful(name: str, declared: Field, value: Json) -> bool:
    """Whether a decoded value would be written again."""
    if value or declared.required:
        return True
    if declared.shape:
        return False
    if isinstance(value, bool):
        return name not in PLAIN_BOOLS
    if isinstance(value, int) and declared.type != "intstr":
        return name not in PLAIN_INTS
    if isinstance(value, str):
        return name in POINTERS
    return True


def _first_illegal(text: str) -> int:
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
    return next((i for i, c in enumerate(text) if c not in alphabet), len(text))


def _go(kind: str) -> str:
    """A type as Go prints it."""
    named = {"str": "string", "bool": "bool", "int32": "int32", "int64": "int64", "num": "float64", "bytes": "[]uint8"}
    if kind in named:
        return named[kind]
    other = {"time": "v1.Time", "quantity": "resource.Quantity", "intstr": "intstr.IntOrString"}
    return other.get(kind) or "v1." + kind.rsplit(".", 1)[-1]
