"""The formats of `-o`: json, yaml, name, jsonpath, go-template, custom-columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final

from aiops_gym.clients import as_yaml
from aiops_gym.clients.flags import Flag
from aiops_gym.clients.view import hide_managed_fields
from aiops_gym.kubectl.errors import Failure
from aiops_gym.kubectl.output import as_json, jsonpath
from aiops_gym.kubectl.output.sorting import relax_path
from aiops_gym.kubectl.output.structs import Struct, order_keys
from aiops_gym.kubectl.output.table import lay_out
from aiops_gym.kubectl.verb import Invocation
from aiops_gym.sim.golang import template as gotemplate
from aiops_gym.sim.golang.literals import go_quote
from aiops_gym.sim.golang.text import display, syntax
from aiops_gym.sim.kernel.objects import Obj
from aiops_gym.sim.kube_api.resources import Resource
from aiops_gym.types import Json

FLAGS: Final = (
    Flag("output", short="o", help="Output format."),
    Flag("template", help="Template string or path to template file to use when -o=go-template, -o=go-template-file."),
    Flag("allow-missing-template-keys", "bool", default=True, help="If true, ignore missing fields in templates."),
    Flag("show-managed-fields", "bool", help="If true, keep the managedFields when printing objects."),
)
TEMPLATES: Final = (
    *("go-template", "go-template-file", "jsonpath", "jsonpath-as-json", "jsonpath-file", "template"),
    *("templatefile",),
)
FORMATS: Final = ("json", "name", "yaml", *TEMPLATES)
_COLUMNS: Final = ("custom-columns", "custom-columns-file")


class Printer(ABC):
    """One format. What it prints ends as kubectl ends it."""

    @abstractmethod
    def one(self, obj: Json) -> str:
        """One object."""

    def many(self, items: Sequence[Json]) -> str:
        """Objects as a `List`."""
        return self.one({"apiVersion": "v1", "items": list(items), "kind": "List", "metadata": {"resourceVersion": ""}})

    def print(self, call: Invocation, resource: Resource, obj: Json) -> None:
        """Print one object of a request's answer, with the kind and version that a stored one may lack."""
        if "kind" not in obj:
            obj = {**obj, "kind": resource.kind, "apiVersion": resource.api_version}
        call.write(self.one(obj))

    @staticmethod
    def of(call: Invocation) -> Printer:
        """The printer of a call that has an `-o`; one for all its objects. Raises Failure."""
        kept: Printer | None = call.kept.get("printer")
        if kept is None:
            kept = call.kept["printer"] = choose_printer(call, plain=())
        if kept is None:
            raise Failure("no output format")
        return kept


def _show(obj: Json, managed: bool) -> Json:
    """An object as it is printed: a stored one leaves its managedFields out by itself."""
    if managed:
        return dict(obj)
    return obj if isinstance(obj, Obj) else hide_managed_fields(obj)


class JsonPrinter(Printer):
    """`-o json`"""

    def __init__(self, managed: bool) -> None:
        self.managed = managed

    def one(self, obj: Json) -> str:
        """One object; with its managedFields if asked."""
        if isinstance(obj, Struct):
            return as_json.format_in_order(order_keys(_show(obj, self.managed)))
        return as_json.text(_show(obj, self.managed))

    def many(self, items: Sequence[Json]) -> str:
        """Objects as a `List`."""
        return as_json.format_list([dict(item) for item in items] if self.managed else list(items), self.managed)


class YamlPrinter(Printer):
    """`-o yaml`; several objects are parted by `---`."""

    def __init__(self, managed: bool) -> None:
        self.managed = managed
        self.printed = 0

    def one(self, obj: Json) -> str:
        """One object."""
        self.printed += 1
        text = as_yaml.text(_show(obj, self.managed))
        return "---\n" + text if self.printed > 1 else text

    def many(self, items: Sequence[Json]) -> str:
        """Objects as a `List`."""
        return as_yaml.format_list([dict(item) for item in items] if self.managed else list(items), self.managed)


class NamePrinter(Printer):
    """`-o name`"""

    def one(self, obj: Json) -> str:
        """`pod/x`, `deployment.apps/x`."""
        group = str(obj.get("apiVersion", "")).rpartition("/")[0]
        kind = str(obj.get("kind", "")).lower()
        name = (obj.get("metadata") or {}).get("name") or "<unknown>"
        return f"{kind}.{group}/{name}\n" if group else f"{kind}/{name}\n"

    def many(self, items: Sequence[Json]) -> str:
        """One line each."""
        return "".join(map(self.one, items))


class JsonPathPrinter(Printer):
    """`-o jsonpath=...`"""

    def __init__(self, text: str, strict: bool, as_array: bool) -> None:
        self.text, self.strict, self.as_array = text, strict, as_array
        try:
            self.template = jsonpath.parse(text)
        except jsonpath.JsonPathError as error:
            raise Failure(f"error parsing jsonpath {text}, {error}\n") from None

    def one(self, obj: Json) -> str:
        """The template's text."""
        try:
            if not self.as_array:
                return self.template.render(obj, self.strict)
            return "".join(as_json.text(values) for values in self.template.find(obj, self.strict))
        except jsonpath.JsonPathError as error:
            raise Failure(self._explained(error, obj)) from None

    def _explained(self, error: Exception, obj: Json) -> str:
        return (
            f"error executing jsonpath {go_quote(self.text)}: Error executing template: {error}. "
            "Printing more information for debugging the template:\n"
            f"\ttemplate was:\n\t\t{self.text}\n"
            f"\tobject given to jsonpath engine was:\n\t\t{syntax(obj)}\n\n\n"
        )


class GoTemplatePrinter(Printer):
    """`-o go-template=...`"""

    def __init__(self, text: str, strict: bool) -> None:
        self.text, self.strict = text, strict
        try:
            self.template = gotemplate.parse(text)
        except gotemplate.TemplateError as error:
            raise Failure(f"error parsing template {text}, {error}") from None

    def one(self, obj: Json) -> str:
        """The template's text."""
        try:
            return self.template.render(obj, self.strict)
        except gotemplate.TemplateError as error:
            # kubectl writes the details to the output, the error alone to the error stream.
            failure = Failure(f"error executing template {go_quote(self.text)}: template: output:{error}")
            failure.out = (
                f"{error.printed}Error executing template: template: output:{error}. "
                "Printing more information for debugging the template:\n"
                f"\ttemplate was:\n\t\t{self.text}\n\traw data was:\n\t\t{as_json.format_compact(obj)}\n"
                f"\tobject given to template engine was:\n\t\t{display(obj)}\n\n"
            )
            raise failure from None


class ColumnPrinter(Printer):
    """`-o custom-columns=NAME:.metadata.name,...`"""

    def __init__(self, columns: Sequence[tuple[str, str]], headers: bool) -> None:
        self.headers = [name for name, _ in columns] if headers else None
        try:
            self.templates = [jsonpath.parse(relax_path(path)) for _, path in columns]
        except jsonpath.JsonPathError as error:
            raise Failure(str(error)) from None

    def one(self, obj: Json) -> str:
        """A header and a row."""
        return self.many([obj])

    def many(self, items: Sequence[Json]) -> str:
        """A header and the rows."""
        rows = [[_column(template, item) for template in self.templates] for item in items]
        return lay_out([self.headers, *rows] if self.headers else rows)


def _column(template: jsonpath.Template, obj: Json) -> str:
    try:
        found = template.find(obj)
    except jsonpath.JsonPathError as error:
        raise Failure(str(error)) from None
    if not found or not found[0]:
        return "<none>"
    return ",".join(display(value) for values in found for value in values)


def choose_printer(call: Invocation, columns: bool = False, plain: Sequence[str] = ("",)) -> Printer | None:
    """The printer of `-o`, or None for one of the `plain` formats.

    Args:
        call: the invocation, whose verb has FLAGS.
        columns: whether custom columns are offered too, as in `get`.
        plain: formats that the verb prints itself.

    Raises:
        Failure: an unknown format, or a template that does not parse.
    """
    output, template = call.flags.text("output"), call.flags.text("template")
    if template and not call.flags.given("output"):
        output = "go-template"
    if output in plain:
        return None
    word, equals, inline = (output, "", "") if template else output.partition("=")
    managed = call.flags.on("show-managed-fields")
    if not equals and word in ("json", "yaml", "name"):
        return {"json": JsonPrinter(managed), "yaml": YamlPrinter(managed), "name": NamePrinter()}[word]
    if word in TEMPLATES and (equals or template):
        return _templated(call, word, template or inline)
    if word in TEMPLATES:
        raise Failure("template format specified but no template given")
    if columns and word in _COLUMNS:
        return _columned(call, word, inline)
    extra = [*_COLUMNS, *(name for name in plain if name)] if columns else [name for name in plain if name]
    allowed = ",".join(sorted({*FORMATS, *extra}))
    raise Failure(
        f"unable to match a printer suitable for the output format {go_quote(output)}, allowed formats are: {allowed}"
    )


def _templated(call: Invocation, word: str, text: str) -> Printer:
    if not text:
        raise Failure("template format specified but no template given")
    if word.endswith("file"):
        text = _read(call, text, lambda path, why: f"error reading --template {path}, {why}\n")
    strict = not call.flags.on("allow-missing-template-keys")
    if word.startswith("jsonpath"):
        return JsonPathPrinter(text, strict, word == "jsonpath-as-json")
    return GoTemplatePrinter(text, strict)


def _columned(call: Invocation, word: str, spec: str) -> Printer:
    if not spec:
        raise Failure("custom-columns format specified but no custom columns given")
    headers = not ("no-headers" in call.flags.values and call.flags.on("no-headers"))
    if word == "custom-columns":
        pairs = []
        for part in spec.split(","):
            name, colon, path = part.partition(":")
            if not colon:
                raise Failure(f"unexpected custom-columns spec: {part}, expected <header>:<json-path-expr>")
            pairs.append((name, path))
        return ColumnPrinter(pairs, headers)
    lines = _read(call, spec, lambda path, why: f"error reading template {path}, {why}\n").splitlines()
    wanted = "Expected format is one line of space separated headers, one line of space separated column specs."
    for index, what in enumerate(("header", "spec")):
        if len(lines) <= index:
            raise Failure(f"invalid template, missing {what} line. {wanted}")
    names, paths = lines[0].split(), lines[1].split()
    if len(names) != len(paths):
        raise Failure(f"number of headers ({len(names)}) and field specifications ({len(paths)}) don't match")
    return ColumnPrinter(list(zip(names, paths, strict=True)), headers=True)


def _read(call: Invocation, path: str, message: Callable[[str, str], str]) -> str:
    try:
        return call.context.files.read(path)
    except IsADirectoryError:
        raise Failure(message(path, f"read {path}: is a directory")) from None
    except OSError:
        raise Failure(message(path, f"open {path}: no such file or directory")) from None
