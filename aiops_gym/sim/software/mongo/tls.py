"""TLS of a server: who may talk to it in which mode, and what its certificates must be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from aiops_gym.types import Json

PLAIN, SECURE = ("disabled", "allowTLS", "preferTLS"), ("allowTLS", "preferTLS", "requireTLS")
"""Modes in which a server takes connections without and with TLS."""

MODES = tuple(dict.fromkeys((*PLAIN, *SECURE)))
OLD_MODES = {mode.replace("TLS", "SSL"): mode for mode in MODES}
"""Names of the modes under `net.ssl`."""

ONLY = "The server is configured to only allow SSL connections"
NONE = "SSL handshake received but server is started without SSL support"


def understands(mode: str | None, secure: bool) -> bool:
    """Whether a server in a mode (None: disabled) goes on with a connection that begins with TLS, or without.

    >>> understands(None, False), understands("requireTLS", False), understands("requireTLS", True)
    (True, False, True)
    """
    return (mode or "disabled") in (SECURE if secure else PLAIN)


class Refused(NamedTuple):
    """Why a server does not start: lines of its log as (severity, component, id, message, attributes), exit code.

    `usage` instead of lines is what it says of its options.
    """

    lines: tuple[tuple[str, str, int, str, Json], ...]
    code: int
    usage: str = ""


def mode_of(net: Mapping[str, Json]) -> tuple[str, Mapping[str, Json]]:
    """Mode and options of `net.tls`, or of `net.ssl` as it was called before."""
    for section in ("tls", "ssl"):
        found = net.get(section)
        if isinstance(found, Mapping):
            mode = str(found.get("mode", "disabled"))
            return OLD_MODES.get(mode, mode), found
    return "disabled", {}


def check(net: Mapping[str, Json], files: Mapping[str, str]) -> Refused | None:
    """Why a server with such options does not start; None when it does."""
    mode, options = mode_of(net)
    if mode not in MODES:
        return _options(f"unsupported value for tlsMode {mode}")
    path = str(options.get("certificateKeyFile") or options.get("PEMKeyFile") or "")
    if mode == "disabled":
        return None
    if not path:
        return _options("need tlsCertificateKeyFile or certificateSelector when TLS is enabled")
    text, authority = files.get(path), str(options.get("CAFile") or "")
    if text is None:
        return _key(
            path, 23248, "Cannot read certificate file", "error:02001002:system library:fopen:No such file or directory"
        )
    if "BEGIN CERTIFICATE" not in text:
        return _key(path, 23248, "Cannot read certificate file", "error:0909006C:PEM routines:get_name:no start line")
    if "PRIVATE KEY" not in text:
        return _key(path, 23250, "Cannot read PEM key file", "error:0909006C:PEM routines:get_name:no start line")
    if authority and "BEGIN CERTIFICATE" not in files.get(authority, ""):
        return _failed((), "cannot read certificate authority file: " + authority)
    return None


def _options(problem: str) -> Refused:
    return Refused((), 2, f"BadValue: {problem}\ntry 'mongod --help' for more information")


def _key(path: str, number: int, message: str, error: str) -> Refused:
    told = ("E", "NETWORK", number, message, {"keyFile": path, "error": error})
    return _failed((told,), "Can not set up PEM key file.")


def _failed(told: tuple[Any, ...], problem: str) -> Refused:
    error = {"code": 140, "codeName": "InvalidSSLConfiguration", "errmsg": problem}
    last = ("F", "CONTROL", 20574, "Error during global initialization", {"error": error})
    return Refused((*told, last), 1)
