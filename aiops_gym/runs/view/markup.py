"""HTML that cannot be broken by what stands in it: a text is escaped when it enters, and only once.

What is shown comes from agents and from tools, so it may be anything. Characters that a page would lose, or that would
turn its text around, are written out.
"""

from __future__ import annotations

import json
import re
from typing import Any

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]"
)

_SPECIAL = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"})

_IN_SCRIPT = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


class Html(str):
    """A text that is HTML already."""

    __slots__ = ()


Content = Html | str | int | float | None


def make_visible(text: str) -> str:
    r"""The text with those characters written out that no page would show.

    >>> make_visible("a\x1b[2Jb\r\n\u202ec")
    'a\\x1b[2Jb\n\\u202ec'
    """
    return _UNSEEN.sub(_written, text.replace("\r\n", "\n"))


def _written(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def escape(content: Content) -> Html:
    """HTML that shows the content.

    >>> escape("</script> & 'x'")
    '&lt;/script&gt; &amp; &#39;x&#39;'
    """
    if isinstance(content, Html):
        return content
    return Html("" if content is None else make_visible(str(content)).translate(_SPECIAL))


def tag(name: str, /, *content: Content, **attributes: str | int | float | bool | None) -> Html:
    """An element; attributes that are None or False are left out, `class_` is `class`, and `_` in names is `-`.

    >>> tag("a", "x < y", href="#1", class_="far", hidden=None)
    '<a href="#1" class="far">x &lt; y</a>'
    """
    return Html(f"<{name}{_attributes(attributes)}>{join(*content)}</{name}>")


def void(name: str, /, **attributes: str | int | float | bool | None) -> Html:
    """An element that has no content."""
    return Html(f"<{name}{_attributes(attributes)}>")


def join(*content: Content) -> Html:
    """One after the other."""
    return Html("".join(escape(each) for each in content))


def pre(text: str, class_: str) -> Html:
    """A text with its line ends and blanks; a first line end, which browsers swallow, is kept."""
    return tag("pre", Html("\n"), text, class_=class_)


def format_seconds(value: float) -> str:
    """A time. All times are seconds, so that any two on a page can be compared.

    >>> format_seconds(27.0), format_seconds(20.94), format_seconds(3725.0)
    ('27 s', '20.9 s', '3,725 s')
    """
    return f"{value:,.1f}".removesuffix(".0") + " s"


def embed_json(value: Any) -> Html:
    """JSON for a `<script type="application/json">`, which no text in it can end."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return Html(_UNSEEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text).translate(_IN_SCRIPT))


def _attributes(attributes: dict[str, str | int | float | bool | None]) -> str:
    found = []
    for name, value in attributes.items():
        key = name.rstrip("_").replace("_", "-")
        if value is True:
            found.append(f" {key}")
        elif value is not None and value is not False:
            found.append(f' {key}="{escape(value)}"')
    return "".join(found)
