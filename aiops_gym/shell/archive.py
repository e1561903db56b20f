"""`tar` over folders: the interpreter packs a folder in no order, so its files are named one by one, sorted."""

from __future__ import annotations

import re
from posixpath import join
from shlex import join as quoted

from aiops_gym.clients.context import Context

ORDER = "__tar"
"""What prints the words of a call of tar with its folders spelled out."""

_CREATES = re.compile(r"(?<![\w./-])tar\s+(?:-{0,2}[\w=]+\s+)*?(?:-?\w*c|--create)")


def make_opening(script: str) -> str:
    """What makes the calls of tar in a script ask for the order; "" when it packs nothing."""
    return f'tar() {{ eval "command tar $({ORDER} "$@" </dev/null)"; }}; ' if _CREATES.search(script) else ""


def order_words(context: Context, argv: list[str]) -> str:
    """The words of a call of tar, quoted, each folder that is packed replaced by what is in it."""
    words, folder, values = list[str](), "", 0
    short = [word for index, word in enumerate(argv) if not index or (word[:1] == "-" and word[:2] != "--")]
    if "--create" not in argv and not any("c" in word for word in short):
        return quoted(argv)
    rest = list(argv)
    if rest and not rest[0].startswith("-"):
        rest[0] = f"-{rest[0]}"
    while rest:
        word = rest.pop(0)
        if word.startswith("-") and word != "-":
            words.append(word)
            values = 1 if not word.startswith("--") and word[-1] in "fCTX" else 0
            folder = rest[0] if values and rest and word[-1] == "C" else folder
        elif values:
            words.append(word)
            values = 0
        else:
            words += _leaves(context, folder, word)
    return quoted(words)


def _leaves(context: Context, folder: str, path: str) -> list[str]:
    inside = context.files.entries(join(folder, path)) if path else ()
    if not inside:
        return [path]
    return [leaf for name, _ in inside for leaf in _leaves(context, folder, join(path, name))]
