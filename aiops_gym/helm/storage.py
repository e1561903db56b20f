"""Releases as Helm keeps them: each revision is a Secret `sh.helm.release.v1.NAME.vN` beside what it installed."""

from __future__ import annotations

import base64
import binascii
import gzip
from collections.abc import Mapping
from datetime import UTC, datetime

import orjson

from aiops_gym import caches
from aiops_gym.helm.errors import HelmError
from aiops_gym.types import Cluster, Json, Request

Release = dict[str, Json]
"""name, namespace, version, info (status, description, first_deployed, last_deployed), chart, config, manifest."""

TYPE = "helm.sh/release.v1"
DEPLOYED, SUPERSEDED, UNINSTALLED, FAILED = "deployed", "superseded", "uninstalled", "failed"


def pack_release(release: Release) -> str:
    """A release as the text under `release` in its Secret's data; the same release gives the same text."""
    inner = base64.b64encode(gzip.compress(orjson.dumps(release), 9, mtime=0))
    return base64.b64encode(inner).decode()


@caches.function(32, "unpacking a release's Secret")
def _unpacked(text: str) -> bytes:
    return gzip.decompress(base64.b64decode(base64.b64decode(text)))


def unpack_release(secret: Mapping[str, Json]) -> Release | None:
    """The release in a Secret; None where there is none that can be read."""
    try:
        found: Release = orjson.loads(_unpacked(secret["data"]["release"]))
    except (KeyError, TypeError, ValueError, OSError, EOFError, binascii.Error):
        return None
    return found


class Storage:
    """The releases of a namespace, or with "" of all namespaces.

    Args:
        cluster: the Kubernetes API.
        namespace: whose Secrets are read.
    """

    def __init__(self, cluster: Cluster, namespace: str) -> None:
        self.cluster = cluster
        self.namespace = namespace

    def send(self, verb: str, name: str = "", body: Json = None, namespace: str = "", **query: str) -> Json:
        """One request about Secrets. Raises HelmError."""
        place = namespace or self.namespace
        answer = self.cluster.handle(Request(verb, "secrets", place, name, body=body, query=query))
        if answer.code >= 400:
            raise HelmError(str(answer.body["message"]))
        return answer.body

    def all(self, selector: str = "owner=helm") -> list[Release]:
        """Every revision of every release, by namespace, name and revision."""
        items = self.send("list", labelSelector=selector)["items"]
        found = [release for item in items if (release := unpack_release(item)) is not None]
        return sorted(found, key=lambda r: (r["namespace"], r["name"], r["version"]))

    def history(self, name: str) -> list[Release]:
        """All revisions of a release, the oldest first. Raises HelmError where there are none."""
        found = self.all(f"name={name},owner=helm")
        if not found:
            raise HelmError("release: not found")
        return found

    def revision(self, name: str, number: int = 0) -> Release:
        """One revision of a release, or with 0 the last one. Raises HelmError."""
        history = self.history(name)
        found = history[-1] if not number else next((r for r in history if r["version"] == number), None)
        if found is None:
            raise HelmError("release: not found")
        return found

    def put(self, release: Release) -> None:
        """Keep a revision. Raises HelmError."""
        body = make_secret(release, int(self.cluster.now()))
        name, place = body["metadata"]["name"], release["namespace"]
        exists = self.cluster.handle(Request("get", "secrets", place, name)).code < 400
        verb, path = ("update", name) if exists else ("create", "")
        self.send(verb, path, body, place, fieldManager="helm")

    def remove(self, release: Release) -> None:
        """Forget a revision. Raises HelmError."""
        self.send("delete", secret_name(release), namespace=release["namespace"])


def secret_name(release: Release) -> str:
    """The name of the Secret that holds a revision."""
    return f"sh.helm.release.v1.{release['name']}.v{release['version']}"


def make_secret(release: Release, seconds: int) -> Json:
    """The Secret that holds a revision, written at a moment."""
    labels = {
        "modifiedAt": str(seconds),
        "name": release["name"],
        "owner": "helm",
        "status": release["info"]["status"],
        "version": str(release["version"]),
    }
    meta = {"name": secret_name(release), "namespace": release["namespace"], "labels": labels}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": meta,
        "type": TYPE,
        "data": {"release": pack_release(release)},
    }


def format_stamp(seconds: float) -> str:
    """A moment as releases keep it: RFC 3339 with nanoseconds, of which those that no clock here has are made up.

    >>> format_stamp(1772431200.25)
    '2026-03-02T06:00:00.250063595Z'
    """
    whole, ms = divmod(round(seconds * 1000), 1000)
    rest = f".{ms:03d}{((whole * 1000 + ms) * 2_654_435_761 >> 7) % 1_000_000:06d}".rstrip("0").rstrip(".")
    return f"{datetime.fromtimestamp(whole, UTC):%Y-%m-%dT%H:%M:%S}{rest}Z"


def format_ansi(text: str) -> str:
    """A kept moment as people read it.

    >>> format_ansi("2026-03-02T06:00:00.25Z")
    'Mon Mar  2 06:00:00 2026'
    """
    moment = datetime.fromisoformat(text[:19])
    return f"{moment:%a %b} {moment.day:2d} {moment:%H:%M:%S %Y}"


def format_go_time(text: str) -> str:
    """A kept moment as Go prints it.

    >>> format_go_time("2026-03-02T06:00:00.25Z")
    '2026-03-02 06:00:00.25 +0000 UTC'
    """
    return text.removesuffix("Z").replace("T", " ") + " +0000 UTC"
