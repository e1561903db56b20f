"""Objects in files and on the standard input, as `-f` takes them: YAML 1.1 or JSON, several documents, lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import yaml

from aiops_gym.clients import gojson, goyaml
from aiops_gym.clients.context import Context
from aiops_gym.kubectl import kustomization
from aiops_gym.kubectl.errors import Failure, KubectlError
from aiops_gym.kubectl.output import as_json
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kube_api.decode import DecodeError, Decoder
from aiops_gym.sim.kube_api.schema import Field
from aiops_gym.types import Json

METADATA = Field("ObjectMeta")
EXTENSIONS = (".json", ".yaml", ".yml")


class Manifest(NamedTuple):
    """An object of a file, and the file's name (`STDIN` for the standard input)."""

    obj: dict[str, Json]
    source: str


def read(
    context: Context, paths: Sequence[str], recursive: bool = False, validated: bool = True, kustomize: str = ""
) -> list[Manifest | KubectlError]:
    """All objects of files, folders and `-`; the items of a List are given one by one.

    Args:
        context: of the shell.
        paths: files, folders, URLs, or `-`.
        recursive: whether folders within folders count.
        validated: whether a schema is asked before, which changes the words for an object without a kind.
        kustomize: a folder with a kustomization, instead of the paths.

    Returns:
        The objects, and between them what is wrong with those that are none: text that is not YAML, an object without
        kind or apiVersion.

    Raises:
        Failure: a kustomization that cannot be built.
    """
    if kustomize:
        texts = [(kustomize, kustomization.build(context, kustomize))]
    else:
        texts = [found for path in paths for found in _texts(context, path, recursive)]
    return [found for source, text in texts for found in _objects(text, source, validated)]


def check(context: Context, paths: Sequence[str]) -> list[Failure]:
    """What is wrong with paths: some are not there, the input is to be read twice."""
    wrong = ["standard input cannot be used for multiple arguments"] * (paths.count("-") - 1)
    gone = [path for path in paths if path != "-" and not path.startswith(WEB) and not context.files.exists(path)]
    wrong += [f"the path {go_quote(path)} does not exist" for path in gone]
    return list(map(Failure, wrong))


def is_folder(context: Context, path: str) -> bool:
    """Whether a path is one of a folder."""
    try:
        context.files.list(path)
    except OSError:
        return False
    return True


WEB: Final = ("http://", "https://")


def _objects(text: str, source: str, validated: bool) -> Iterator[Manifest | KubectlError]:
    """The objects of a text: one that cannot be decoded is passed over, one that is not valid is the last."""
    try:
        for document in documents(text, source):
            try:
                yield from _flat(document, source, validated)
            except Undecodable as error:
                yield error
    except Failure as error:
        yield error


class Undecodable(Failure):
    """An object that cannot be read as one; those behind it can."""


def documents(text: str, source: str) -> Iterator[Json]:
    """The documents of a text, empty ones left out: YAML, or JSON objects one after another, as jq writes them."""
    objects = gojson.stream(text)
    try:
        if objects is not None:
            yield from objects
            return
    except gojson.OutOfRange as error:
        raise Failure(f"unable to decode {go_quote(source)}: {error}") from None
    except ValueError as error:
        raise Failure(f"error parsing {source}: {error}") from None
    try:
        for document in yaml.load_all(text, Loader=goyaml.Loader):
            if document is not None:
                yield document
    except yaml.YAMLError as error:
        raise Failure(f"error parsing {source}: error converting YAML to JSON: {goyaml.explain_error(error)}") from None


def _texts(context: Context, path: str, recursive: bool) -> Iterator[tuple[str, str]]:
    if path == "-":
        yield "STDIN", context.stdin
        return
    if path.startswith(WEB):
        host = path.split("/")[2]
        raise Failure(f"unable to read URL {go_quote(path)}: dial tcp: lookup {host}: no such host")
    try:
        yield path, context.files.read(path)
    except IsADirectoryError:
        names = context.files.list(path)
        inner = [f"{path.rstrip('/')}/{name}" for name in names if name.endswith(EXTENSIONS)]
        folders = [f"{path.rstrip('/')}/{name}" for name in names if not name.endswith(EXTENSIONS)] if recursive else []
        if not inner and not folders:
            raise Failure(f"error reading [{path}]: recognized file extensions are [{' '.join(EXTENSIONS)}]") from None
        for name in inner:
            yield name, context.files.read(name)
        for name in folders:
            if is_folder(context, name):
                yield from _texts(context, name, recursive)


def _flat(document: Json, source: str, validated: bool, listed: bool = False) -> Iterator[Manifest]:
    if not isinstance(document, dict):
        raise Failure(
            f"error validating {go_quote(source)}: error validating data: invalid object to validate; "
            "if you choose to ignore these errors, turn validation off with --validate=false"
        )
    kind, version = document.get("kind"), document.get("apiVersion")
    if kind and str(kind).endswith("List") and isinstance(document.get("items"), list):
        for item in document["items"]:
            yield from _flat(item, source, validated, listed=True)
        return
    unset = [name for name, value in (("apiVersion not set", version), ("kind not set", kind)) if not value]
    if unset and not validated and not kind:
        raise Undecodable(
            f"unable to decode {go_quote(source)}: Object 'Kind' is missing in '{as_json.format_compact(document)}'"
        )
    if unset:
        shown = unset[0] if len(unset) == 1 else f"[{', '.join(unset)}]"
        raise Failure(
            f"error validating {go_quote(source)}: error validating data: {shown}; "
            "if you choose to ignore these errors, turn validation off with --validate=false"
        )
    if not isinstance(document.get("metadata") or {}, dict) or not listed:
        _check_metadata(document, source)
    yield Manifest(document, source)


def _check_metadata(document: Json, source: str) -> None:
    """Read the metadata into its type, as the client does for whatever kind a file holds. Raises Failure."""
    try:
        if document.get("metadata") is not None:
            Decoder().many(document["metadata"], METADATA, "metadataOnlyObject", "metadata", ("metadata",))
    except DecodeError as error:
        raise Undecodable(f"unable to decode {go_quote(source)}: {error}") from None
