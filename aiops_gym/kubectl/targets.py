"""What a command is about: names, types, selectors and files, as kubectl's resource builder reads them.

`select(call, args, ...)` checks the command line and gives a Selection; its `visit()` asks the server (or reads the
files) and gives one Info an object, with the errors met on the way; `infos()` raises those.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from aiops_gym.clients.flags import Flag
from aiops_gym.kubectl import manifests
from aiops_gym.kubectl.client import Client, find_category, find_other_resources, find_resource
from aiops_gym.kubectl.errors import Failure, Failures, KubectlError, gather
from aiops_gym.kubectl.filed import Info, read_objects
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.kernel.objects import get
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.sim.kube_api.selectors import parse_labels
from aiops_gym.types import Json

FILES: Final = (
    Flag("filename", "list", short="f", help="Filename, directory, or URL to files identifying the resource."),
    Flag("kustomize", short="k", help="Process the kustomization directory."),
    Flag("recursive", "bool", short="R", help="Process the directory used in -f, --filename recursively."),
)
SELECTOR: Final = Flag("selector", short="l", help="Selector (label query) to filter on.")
FIELDS: Final = Flag("field-selector", help="Selector (field query) to filter on, supports '=', '==', and '!='.")
EVERYWHERE: Final = Flag(
    "all-namespaces", "bool", short="A", help="List the requested object(s) across all namespaces."
)

MISSING: Final = (
    "You must provide one or more resources by argument or filename.\n"
    "Example resource specifications include:\n"
    "   '-f rsrc.yaml'\n   '--filename=rsrc.json'\n   '<resource> <name>'\n   '<resource>'"
)


UNLOCAL: Final = (
    "you must specify resources by --filename when --local is set.\n"
    "Example resource specifications include:\n   '-f rsrc.yaml'\n   '--filename=rsrc.json'"
)


@dataclass(slots=True)
class Query:
    """A list to ask for."""

    resource: Resource
    namespace: str
    labels: str
    fields: str


@dataclass(slots=True)
class Selection:
    """What the command line selects.

    Attributes:
        named: what it names; of files also what is wrong with them.
        single: it named exactly one, or one file.
        table: ask for server-side Tables.
        subresource: ask for it in place of each named object.
        matches: `-l`, where files are named; None takes any.
    """

    client: Client
    named: list[Info | KubectlError]
    queries: list[Query]
    single: bool
    keep_going: bool = True
    table: bool = False
    subresource: str = ""
    matches: Callable[[Json], bool] | None = None

    def visit(self) -> tuple[list[Info], list[KubectlError]]:
        """Ask for everything; what failed is in the second list."""
        infos: list[Info] = []
        return infos, self.each(infos.append)

    def takes(self, info: Info) -> bool:
        """Whether the labels of what a file led to, an object or a Table (which has none), are those asked for."""
        return self.matches is None or self.matches(get(info.obj, "metadata", "labels", default={}))

    def each(self, work: Callable[[Info], object]) -> list[KubectlError]:
        """Ask for one object after another and do something with each; what failed, in this order."""
        errors: list[KubectlError] = []
        unread: list[KubectlError] = []
        steps: list[Info | Query | KubectlError] = [*self.named, *self.queries]
        for step in steps:
            try:
                if isinstance(step, KubectlError):
                    unread.append(step)
                    if not self.keep_going:
                        break
                    continue
                found = self._search(step) if isinstance(step, Query) else [self._fetch(step)]
            except KubectlError as error:
                filed = isinstance(step, Info) and step.source
                (unread if filed else errors).append(error)
                if not self.keep_going:
                    break
                continue
            for info in found:
                if not self.takes(info):
                    continue
                try:
                    if info.wrong is not None:
                        raise info.wrong
                    work(info)
                except KubectlError as error:
                    errors.append(error)
            if errors and not self.keep_going:
                break
        return gather(unread, errors)

    def told(self, errors: list[KubectlError]) -> list[KubectlError]:
        """Errors as they are told by those who put them into a list once more: a file's only one without "error: "."""
        return [KubectlError(errors[0].inner)] if len(errors) == 1 and errors[0] in self.named else errors

    def infos(self) -> list[Info]:
        """All objects. Raises what failed."""
        infos, errors = self.visit()
        if errors:
            raise errors[0] if len(errors) == 1 else Failures(errors)
        return infos

    def _fetch(self, info: Info) -> Info:
        if info.obj:
            return info
        if self.subresource:
            found = self.client.below(info.resource, info.name, info.namespace, self.subresource, self.table)
            return Info(info.resource, info.namespace, info.name, found)
        ask = self.client.table if self.table else self.client.get
        return replace(info, obj=ask(info.resource, info.name, info.namespace))

    def _search(self, query: Query) -> list[Info]:
        found = self.client.select(query.resource, query.namespace, query.labels, query.fields, self.table)
        if self.table:
            return [Info(query.resource, query.namespace, "", found)]
        return [
            Info(query.resource, item["metadata"].get("namespace", ""), item["metadata"]["name"], item)
            for item in found["items"]
        ]


def select(  # the options of kubectl's resource builder
    call: Invocation,
    args: Sequence[str],
    *,
    labels: str | None = None,
    everything: bool = False,
    empty_selector: bool = False,
    one_type: bool = False,
    keep_going: bool = True,
    table: bool = False,
    latest: bool = False,
    also: Sequence[Failure] = (),
) -> Selection:
    """Read what a command line selects: by names and, where a verb has them, `-l`, `--field-selector`, `-A`, `-f`.

    Args:
        call: the invocation.
        args: types and names.
        labels: in place of those of `-l`.
        everything: `--all`.
        empty_selector: types without names mean all of them (`get`, `describe`), not an error (`delete`).
        one_type: refuse several types.
        keep_going: go on after an object that failed.
        table: ask for server-side Tables.
        latest: fetch from the server what the files name.
        also: what else is wrong with the command line.

    Raises:
        Failure: with the builder's words.
    """
    client, given = call.client, call.flags.values.get
    labels = str(given("selector") or "").strip() if labels is None else labels
    fields, everywhere = str(given("field-selector") or "").strip(), bool(given("all-namespaces"))
    filenames, kustomize, recursive = given("filename") or (), str(given("kustomize") or ""), bool(given("recursive"))
    if filenames and call.path in EARLY and not given("local"):
        client.configure()
    wrong = [Failure("only one of -f or -k can be specified")] if filenames and kustomize else []
    if kustomize and recursive:
        wrong.append(Failure("the -k flag can't be used with -f or -R"))
    wrong = wrong or manifests.check(call.context, filenames)
    words, pairs, types, names = list[str](), list[tuple[str, str]](), list[str](), list[str]()
    try:
        words = _normal(args)
        pairs, types, names = _split(words)
    except Failure as error:
        wrong.append(error)
    if everything and (labels or fields):
        wrong.append(Failure("setting 'all' parameter but found a non empty selector. "))
    if wrong := [*wrong, *also]:
        raise Failures(wrong)
    if filenames or kustomize:
        _refuse_names(pairs, types, names)
        matches = _labelled(labels) if labels and not given("local") else None
        found = read_objects(call, filenames, recursive, kustomize, latest)
        several = len(filenames) > 1 or any(p == "-" or manifests.is_folder(call.context, p) for p in filenames)
        return Selection(client, found, [], not several, keep_going, table, matches=matches)
    searching = bool(labels or fields or everything or (empty_selector and len(words) == 1 and not pairs))
    if searching:
        queries = [
            Query(r, _place(client, r, everywhere), labels, fields) for r in _types(call, pairs, types, names, one_type)
        ]
        return Selection(client, [], queries, single=False, keep_going=keep_going, table=table)
    named: list[Info | KubectlError] = [*_named(call, pairs, types, names, everywhere, one_type)]
    return Selection(client, named, [], len(named) == 1, keep_going or bool(names), table)


def warn_of(call: Invocation, *words: str) -> None:
    """Warn where a short name could mean another resource, too."""
    for word in words:
        for other in find_other_resources(word):
            call.warn(f"Warning: short name {go_quote(word)} could also match lower priority resource {other.name}")


def _labelled(labels: str) -> Callable[[Json], bool]:
    """Whether labels are those of a selector. Raises Failure for one that is none."""
    try:
        return parse_labels(labels)
    except ValueError as error:
        raise Failure(f"the provided selector {go_quote(labels)} is not valid: {error}") from None


def _place(client: Client, resource: Resource, everywhere: bool = False) -> str:
    """The namespace to look in for a resource."""
    return client.namespace if resource.namespaced and not everywhere else ""


def _types(
    call: Invocation, pairs: list[tuple[str, str]], types: list[str], names: list[str], one_type: bool
) -> list[Resource]:
    """The resources to search."""
    if names:
        raise Failure("name cannot be provided when a selector is specified")
    if pairs:
        raise Failure("selectors and the all flag cannot be used when passing resource/name arguments")
    if not types:
        raise Failure("at least one resource must be specified to use a selector")
    call.client.touch()
    warn_of(call, *types)
    if len(types) > 1 and one_type:
        raise Failure("you may only specify a single resource type")
    return list({resource.name: resource for resource in map(find_resource, types)}.values())


def _named(
    call: Invocation,
    pairs: list[tuple[str, str]],
    types: list[str],
    names: list[str],
    everywhere: bool,
    one_type: bool,
) -> list[Info]:
    client = call.client
    if pairs or names or types:
        client.touch()
    warn_of(call, *types, *(word for word, _ in pairs))
    if pairs:
        resources = {word: find_resource(word) for word, _ in pairs}
        if one_type and len({resource.name for resource in resources.values()}) > 1:
            raise Failure("you may only specify a single resource type")
        return [_info(client, resources[word], name, everywhere) for word, name in pairs]
    if names:
        if len(types) > 1:
            raise Failure("you must specify only one resource")
        resource = find_resource(types[0])
        return [_info(client, resource, name, everywhere) for name in names]
    for word in types:
        find_resource(word)
    raise Failure("resource(s) were provided, but no name was specified" if types else MISSING)


def _info(client: Client, resource: Resource, name: str, everywhere: bool) -> Info:
    if resource.namespaced and everywhere:
        raise Failure("a resource cannot be retrieved by name across all namespaces")
    return Info(resource, _place(client, resource), name, None)


def _normal(args: Sequence[str]) -> list[str]:
    """`a,b c d` means `a/c a/d b/c b/d`; categories stand for their types."""
    words = list(args)
    if len(words) >= 2:
        types = list(dict.fromkeys(words[0].split(",")))
        if len(types) > 1:
            return [f"{word}/{name}" for word in types for name in words[1:]]
    if words and "/" not in words[0]:
        words[0] = ",".join(_expanded(word) for word in words[0].split(","))
    return words


def _expanded(word: str) -> str:
    members = find_category(word) if word in ("all", "api-extensions") else []
    return ",".join(resource.name for resource in members) or word


def _split(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str], list[str]]:
    """(type/name pairs, types, names) of a command line."""
    slashed = sum("/" in word for word in words)
    if not slashed:
        types = list(dict.fromkeys(words[0].split(","))) if words else []
        return [], types, list(words[1:])
    if slashed != len(words):
        raise Failure(
            "there is no need to specify a resource type as a separate argument when passing arguments in "
            "resource/name form (e.g. 'kubectl get resource/<resource_name>' instead of 'kubectl get resource "
            "resource/<resource_name>'"
        )
    return [_pair(word) for word in words], [], []


def _pair(word: str) -> tuple[str, str]:
    parts = word.split("/")
    if len(parts) != 2:
        raise Failure("arguments in resource/name form may not have more than one slash")
    if not parts[0] or not parts[1] or "," in parts[0]:
        raise Failure("arguments in resource/name form must have a single resource and name")
    return parts[0], parts[1]


def _refuse_names(pairs: list[tuple[str, str]], types: list[str], names: list[str]) -> None:
    """Refuse what the command line names besides files."""
    if pairs:
        raise Failure("resource/name arguments cannot be provided when a path is specified")
    if names or types:
        raise Failure("when paths, URLs, or stdin is provided as input, you may not specify resource arguments as well")


EARLY: Final = ("kubectl create", "kubectl diff", "kubectl set env")
"""Commands that make their client before they look for files."""
