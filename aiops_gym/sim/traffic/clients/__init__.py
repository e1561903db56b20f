"""Client libraries with which programs talk to one another, a language to a file: what they say when a call fails."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from aiops_gym.errors import BackendError
from aiops_gym.scan import scan
from aiops_gym.sim.traffic.clients.client import Client


@cache
def load_clients() -> Mapping[str, Mapping[str, Client]]:
    """By language and kind of call: the library that programs of that language use."""
    return scan(__name__, "CLIENTS")


@cache
def _all() -> Mapping[str, Client]:
    return {client.name: client for kinds in load_clients().values() for client in kinds.values()}


def find(language: str, kind: str) -> Client:
    """The library for a kind of call in a language. Raises BackendError where there is none."""
    known = load_clients()
    client = known.get(language, {}).get(kind) or known["anything"].get(kind)
    if client is None:
        raise BackendError(f"programs in {language!r} make no calls of kind {kind!r}")
    return client


def find_by_name(name: str) -> Client:
    """A library by its name, as compiled calls have it in `kind`."""
    return _all()[name]
