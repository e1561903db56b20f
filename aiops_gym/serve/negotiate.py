"""Which form of an answer a client asks for, in its Accept header."""

from __future__ import annotations

from dataclasses import dataclass

from aiops_gym import caches
from aiops_gym.serve.refusals import JSON, YAML, not_acceptable


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an answer.

    Attributes:
        media: `application/json` or `application/yaml`.
        shape: "", `Table`, `PartialObjectMetadata`, `PartialObjectMetadataList`, `APIGroupDiscoveryList`.
        version: of the shape, `v1`.
    """

    media: str = JSON
    shape: str = ""
    version: str = ""

    @property
    def table(self) -> bool:
        """Whether rows are wanted."""
        return self.shape == "Table"

    @property
    def partial(self) -> bool:
        """Whether only the metadata is wanted."""
        return self.shape.startswith("PartialObjectMetadata")


GROUPS = {
    "Table": "meta.k8s.io",
    "PartialObjectMetadata": "meta.k8s.io",
    "PartialObjectMetadataList": "meta.k8s.io",
    "APIGroupDiscoveryList": "apidiscovery.k8s.io",
}
VERSIONS = {"meta.k8s.io": ("v1", "v1beta1"), "apidiscovery.k8s.io": ("v2", "v2beta1")}
MEDIA = {
    JSON: JSON, "application/*": JSON, "*/*": JSON, YAML: YAML, "application/yaml-stream": YAML, "text/yaml": YAML
}  # fmt: skip


@caches.function(256, "reading an Accept header")
def choose_form(accept: str) -> Form:
    """The first form in an Accept header that can be had; JSON without one. Raises NotAcceptable.

    >>> choose_form("application/json;as=Table;v=v1;g=meta.k8s.io,application/json").shape
    'Table'
    >>> choose_form("application/vnd.kubernetes.protobuf,application/json").media
    'application/json'
    """
    clauses = [clause for clause in accept.split(",") if clause.strip()]
    if not clauses:
        return Form()
    parsed = sorted((_parsed(clause) for clause in clauses), key=lambda each: -each[0])
    for quality, media, options in parsed:
        found = _form(media, options) if quality > 0 else None
        if found is not None:
            return found
    raise not_acceptable()


def _parsed(clause: str) -> tuple[float, str, dict[str, str]]:
    media, *rest = (part.strip() for part in clause.split(";"))
    options = dict(part.split("=", 1) for part in rest if "=" in part)
    try:
        quality = float(options.get("q", "1"))
    except ValueError:
        quality = 1.0
    return quality, media.lower(), options


def _form(media: str, options: dict[str, str]) -> Form | None:
    known, shape = MEDIA.get(media), options.get("as", "")
    if known is None or options.get("stream") not in (None, "watch"):
        return None
    if not shape:
        return Form(known)
    group, version = options.get("g", ""), options.get("v", "")
    if GROUPS.get(shape) != group or version not in VERSIONS[group]:
        return None
    return Form(known, shape, version)
