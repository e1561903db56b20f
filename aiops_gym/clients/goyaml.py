"""YAML 1.1 as kubectl reads it, and what is wrong with a text in the words of the library that it is built with."""

from __future__ import annotations

import re
from contextlib import suppress
from math import isfinite, isinf, isnan
from typing import Any, Final

import yaml

from aiops_gym.sim.kernel.nesting import is_deep_text
from aiops_gym.sim.kernel.yamltext import Bounded

WORDS: Final = (
    (r"expected ',' or '}', but got .*", "did not find expected ',' or '}'"),
    (r"expected ',' or '\]', but got .*", "did not find expected ',' or ']'"),
    (r"mapping values are not allowed here", "mapping values are not allowed in this context"),
    (r"found character .* that cannot start any token", "found character that cannot start any token"),
    (r"expected the node content, but found .*", "did not find expected node content"),
    (r"expected '<document start>', but found .*", "did not find expected <document start>"),
    (
        r"expected alphabetic or numeric character, but found .*",
        "did not find expected alphabetic or numeric character",
    ),
    (r"found unknown escape character .*", "found unknown escape character"),
    (r"found undefined alias '?(.*?)'?", r"unknown anchor '\1' referenced"),
)


UINT64: Final = 1 << 64
BITS: Final = 64

LARGEST: Final = 100_000
"""Nodes that a text may have when its aliases are written out."""


class _TextKeys:
    """What JSON has: keys that are text, which YAML may have read as a bool or a number."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        """The pairs of a mapping."""
        found: dict[Any, Any] = super().construct_mapping(node, deep)  # type: ignore[misc]
        return {_key(key): value for key, value in found.items()}


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)


class Loader(_TextKeys, Bounded):
    """YAML 1.1 as Kubernetes reads it: times stay text, and a small text cannot become a huge value."""

    size = 0

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """A node of the text, counted: how much its aliases repeat."""
        alias = self.check_event(yaml.AliasEvent)
        node = super().compose_node(parent, index)
        self.size += _size(node) if alias else 1
        if self.size > LARGEST:
            raise yaml.YAMLError("document contains excessive aliasing")
        return node


NOT_HERE: Final = ("tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")
"""What PyYAML would make of plain words, and Kubernetes does not."""

Loader.yaml_implicit_resolvers = {
    letter: [(tag, regexp) for tag, regexp in resolvers if tag not in NOT_HERE]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _number(loader: Loader, node: yaml.ScalarNode) -> int | float | str:
    """A whole number: without a fraction it is a float beyond 64 bits, and text beyond what a float can hold."""
    text = str(node.value)
    bare = text.replace("_", "").lstrip("+-")
    if ":" in text:
        return text
    if len(bare) <= len("0b") + BITS:
        value = int(loader.construct_yaml_int(node))
        if -UINT64 // 2 <= value < UINT64:
            return value if value < UINT64 // 2 else float(value)
    if bare[:1] == "0":
        return text if bare.strip("0") else 0
    large = float(bare)
    return text if isinf(large) else -large if text[0] == "-" else large


def _fraction(loader: Loader, node: yaml.ScalarNode) -> float | str:
    """A number with a fraction. Raises YAMLError for what JSON cannot say."""
    value = float(loader.construct_yaml_float(node))
    if isfinite(value):
        return value
    if any(letter.isdigit() for letter in str(node.value)):
        return str(node.value)
    raise yaml.YAMLError(f"json: unsupported value: {'NaN' if isnan(value) else '+Inf' if value > 0 else '-Inf'}")


def _binary(loader: Loader, node: yaml.ScalarNode) -> str:
    """What is written in base64, as text."""
    return bytes(loader.construct_yaml_binary(node)).decode("utf-8", "replace")


Loader.add_constructor("tag:yaml.org,2002:int", _number)
Loader.add_constructor("tag:yaml.org,2002:float", _fraction)
Loader.add_constructor("tag:yaml.org,2002:binary", _binary)
_PLAIN: Final[dict[str, Any]] = {
    "timestamp": Loader.construct_yaml_str,
    "set": Loader.construct_yaml_map,
    "omap": Loader.construct_yaml_seq,
    "pairs": Loader.construct_yaml_seq,
}
for _tag, _constructor in _PLAIN.items():
    Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _constructor)
Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^[yYnN]$"), list("yYnN"))
Loader.bool_values = {**yaml.SafeLoader.bool_values, "y": True, "n": False}


class _Fast(_TextKeys, getattr(yaml, "CSafeLoader", Bounded)):  # type: ignore[misc]
    """Reads what `Loader` reads, without counting."""

    yaml_implicit_resolvers = Loader.yaml_implicit_resolvers
    yaml_constructors = Loader.yaml_constructors
    bool_values = Loader.bool_values


_MARKS = re.compile(r"(?:^|[\s\[{,])[&*][\w-]|(?:[-?][ \t]+){3}")
"""Anchors, aliases, and what nests without brackets and indentation."""

PLAIN_DEPTH: Final = 40
"""Levels of brackets and indentation up to which a text is plain."""


def load(text: str) -> Any:
    """The value of a document: read fast where the text is plain, with all care where it is not. Raises YAMLError."""
    if _plain(text):
        with suppress(yaml.YAMLError):  # what is wrong is said in the words of the careful one
            return yaml.load(text, _Fast)
    return yaml.load(text, Loader)


def _plain(text: str) -> bool:
    few = text.count("[") + text.count("{") <= PLAIN_DEPTH
    return not _MARKS.search(text) and " " * (2 * PLAIN_DEPTH) not in text and (few or not is_deep_text(text))


def _size(node: yaml.Node | None) -> int:
    """Nodes below a node with all aliases written out, counted up to the limit."""
    count, waiting = 0, [node]
    while waiting and count <= LARGEST:
        value = getattr(waiting.pop(), "value", None)
        count += 1
        if isinstance(value, list):
            waiting += [inner for item in value for inner in (item if isinstance(item, tuple) else (item,))]
    return count


def explain_error(error: yaml.YAMLError) -> str:
    """`yaml: line 3: did not find expected key`.

    >>> try:
    ...     _ = yaml.safe_load("a: b: c")
    ... except yaml.YAMLError as error:
    ...     explain_error(error)
    'yaml: mapping values are not allowed in this context'
    """
    words, context = str(getattr(error, "problem", None) or error), str(getattr(error, "context", None) or "")
    if words.startswith("expected <block end>, but found"):
        words = "did not find expected '-' indicator" if "collection" in context or "sequence" in context else BLOCK
    for pattern, ours in WORDS:
        words = re.sub(f"^{pattern}$", ours, words)
    if words.startswith("json: "):
        return words
    line = _line(error)
    return f"yaml: line {line}: {words}" if line else f"yaml: {words}"


BLOCK: Final = "did not find expected key"


def _line(error: Any) -> int:
    """The line that the library names: the problem's, counted from 1 by its scanner and from 0 by its parser."""
    mark, context = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    if mark is None:
        return 0
    at_end = mark.buffer is not None and mark.buffer[mark.pointer :] in ("", "\0")
    # The end of the text counts as a line of its own, except inside a quoted text.
    line = int(mark.line) + (1 if at_end and mark.column and "unexpected end" not in str(error.problem) else 0)
    if line:
        return line + (1 if isinstance(error, yaml.scanner.ScannerError) else 0)
    return int(context.line) if context is not None else 0
