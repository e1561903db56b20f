"""What an API server says of requests that never reach an object: `v1.Status` bodies in its own words."""

from __future__ import annotations

from aiops_gym.sim.kube_api.status import ApiError

JSON = "application/json"
YAML = "application/yaml"
PROTOBUF = "application/vnd.kubernetes.protobuf"
ACCEPTED = (JSON, YAML, PROTOBUF)
PATCHES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)

LARGEST_BODY = 3 * 1024 * 1024
"""Bytes of a request's body, as on a real server."""


def too_large() -> ApiError:
    """More body than a request may have."""
    return ApiError(413, "RequestEntityTooLarge", f"Request entity too large: limit is {LARGEST_BODY}", {})


def not_acceptable() -> ApiError:
    """The client wants an answer in a form that nobody here can give."""
    return ApiError(
        406, "NotAcceptable", f"only the following media types are accepted: {JSON}, {YAML}", {}
    )  # fmt: skip


def unknown_format(patch: bool) -> ApiError:
    """A body of a type that nobody here can read."""
    known = ", ".join(PATCHES if patch else ACCEPTED)
    text = f"the body of the request was in an unknown format - accepted media types include: {known}"
    return ApiError(415, "UnsupportedMediaType", text, {})


def too_slow() -> ApiError:
    """The body did not come."""
    return ApiError(408, "Timeout", "the request's body was not received in time", {})


def wrong_host() -> ApiError:
    """A request for another host: a page in somebody's browser, say."""
    return ApiError(403, "Forbidden", "this server answers to its own address only", {})


def too_new(wanted: int, current: int) -> ApiError:
    """A version that has not been yet."""
    cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    details = {"causes": [cause], "retryAfterSeconds": 1}
    return ApiError(504, "Timeout", f"Timeout: Too large resource version: {wanted}, current: {current}", details)


def not_supported(what: str) -> ApiError:
    """What a simulated cluster cannot do."""
    return ApiError(501, "NotImplemented", f"{what} is not supported by this cluster", {})


def upgrade_required() -> ApiError:
    """A command in a container needs a connection that goes both ways."""
    return ApiError(400, "BadRequest", "Upgrade request required")


def broken() -> ApiError:
    """A mistake of ours."""
    return ApiError(500, "InternalError", "Internal error occurred: the server's log says more", {})
