"""What an API server answers when it refuses: `v1.Status` bodies, in its own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.types import Json


class ApiError(Exception):
    """A refusal.

    Attributes:
        code: HTTP status code.
        status: the `v1.Status` body.
    """

    def __init__(self, code: int, reason: str, message: str, details: Mapping[str, Json] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.status: dict[str, Json] = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
        }
        if reason:
            self.status["reason"] = reason
        if details is not None:
            self.status["details"] = dict(details)
        self.status["code"] = code

    @property
    def reason(self) -> str:
        """Machine-readable cause, `NotFound`."""
        return str(self.status.get("reason", ""))

    @property
    def message(self) -> str:
        """The text that kubectl prints."""
        return str(self.status["message"])


class Fault(NamedTuple):
    """One thing wrong with one field of an object."""

    reason: str
    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}"


def quote(value: str) -> str:
    """A string as Go's `%q` prints it.

    >>> print(quote('say "hi"'))
    "say \\"hi\\""
    """
    short = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
    return '"' + "".join(short.get(c) or (c if c.isprintable() else f"\\x{ord(c):02x}") for c in str(value)) + '"'


def format_value(value: Json) -> str:
    """A rejected value as error texts show it."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inner = ", ".join(f"{quote(str(k))}:{format_value(v)}" for k, v in sorted(value.items()))
        return f"map[string]string{{{inner}}}"
    if isinstance(value, list):
        return f"[]string{{{', '.join(format_value(v) for v in value)}}}"
    return "null" if value is None else str(value)


def invalid_value(field: str, value: Json, message: str) -> Fault:
    """A value that is not allowed."""
    return Fault("FieldValueInvalid", field, f"Invalid value: {format_value(value)}: {message}")


def required(field: str, message: str = "") -> Fault:
    """A value that is missing."""
    return Fault("FieldValueRequired", field, f"Required value: {message}" if message else "Required value")


def unsupported(field: str, value: Json, allowed: Sequence[str]) -> Fault:
    """A value outside a closed list."""
    names = ", ".join(quote(a) for a in sorted(allowed))
    return Fault(
        "FieldValueNotSupported", field, f"Unsupported value: {format_value(value)}: supported values: {names}"
    )


def duplicate(field: str, value: Json) -> Fault:
    """A value that occurs twice where it must be unique."""
    return Fault("FieldValueDuplicate", field, f"Duplicate value: {format_value(value)}")


def field_forbidden(field: str, message: str) -> Fault:
    """A field that may not be set, or not be changed."""
    return Fault("FieldValueForbidden", field, f"Forbidden: {message}")


def field_not_found(field: str, value: Json) -> Fault:
    """A reference to something that the object does not have."""
    return Fault("FieldValueNotFound", field, f"Not found: {format_value(value)}")


def too_long(field: str, limit: int) -> Fault:
    """A value longer than allowed; the value itself is not repeated."""
    return Fault("FieldValueTooLong", field, f"Too long: may not be more than {limit} bytes")


def _details(resource: Resource, name: str, kind: str) -> dict[str, Json]:
    found = {"name": name} if name else {}
    if resource.group:
        found["group"] = resource.group
    return {**found, "kind": kind}


def not_found(resource: Resource, name: str) -> ApiError:
    """No object of that name."""
    message = f"{resource.name} {quote(name)} not found"
    return ApiError(404, "NotFound", message, _details(resource, name, resource.plural))


def no_such_path() -> ApiError:
    """No such resource on this server."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(resource: Resource, name: str) -> ApiError:
    """The name is taken."""
    message = f"{resource.name} {quote(name)} already exists"
    return ApiError(409, "AlreadyExists", message, _details(resource, name, resource.plural))


MODIFIED = "the object has been modified; please apply your changes to the latest version and try again"


def conflict(resource: Resource, name: str, why: str = MODIFIED) -> ApiError:
    """Somebody else changed the object in between."""
    message = f"Operation cannot be fulfilled on {resource.name} {quote(name)}: {why}"
    return ApiError(409, "Conflict", message, _details(resource, name, resource.plural))


def invalid(resource: Resource, name: str, faults: Sequence[Fault]) -> ApiError:
    """The object breaks a rule; all broken rules are named."""
    texts = list(dict.fromkeys(str(f) for f in faults))
    what = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    details = _details(resource, name, resource.kind)
    details["causes"] = [{"reason": f.reason, "message": f.message, "field": f.field} for f in faults]
    return ApiError(422, "Invalid", f"{resource.group_kind} {quote(name)} is invalid: {what}", details)


def bad_request(message: str) -> ApiError:
    """The request itself makes no sense."""
    return ApiError(400, "BadRequest", message)


def forbidden(resource: Resource, name: str, why: str, causes: Sequence[Mapping[str, str]] = ()) -> ApiError:
    """Refused by policy: quotas, limits, a namespace that goes away."""
    subject = f"{resource.name} {quote(name)}" if name else resource.name
    details = _details(resource, name, resource.plural)
    if causes:
        details["causes"] = [dict(c) for c in causes]
    return ApiError(403, "Forbidden", f"{subject} is forbidden: {why}", details)


def method_not_allowed() -> ApiError:
    """The resource exists, but cannot do that."""
    return ApiError(405, "MethodNotAllowed", "the server does not allow this method on the requested resource", {})


def unsupported_media_type() -> ApiError:
    """A patch of a type that nobody knows."""
    return ApiError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})


def success(resource: Resource, name: str, uid: str) -> dict[str, Json]:
    """The body of a deletion that is done."""
    details = {**_details(resource, name, resource.plural), "uid": uid}
    return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": details}
