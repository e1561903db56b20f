"""What the interpreter's own commands say of themselves, in the words of the programs that a host has."""

from __future__ import annotations

import re

BASH = (
    "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n"
    "Copyright (C) 2022 Free Software Foundation, Inc.\n"
    "License GPLv3+: GNU GPL version 3 or later <http://gnu.org/licenses/gpl.html>\n\n"
    "This is free software; you are free to change and redistribute it.\n"
    "There is NO WARRANTY, to the extent permitted by law."
)
USAGE = (
    "GNU bash, version 5.2.15(1)-release-(x86_64-pc-linux-gnu)\n"
    "Usage:\tbash [GNU long option] [option] ...\n\tbash [GNU long option] [option] script-file ..."
)
VERSIONS = {
    "bc": "bc 1.07.1",
    "column": "column from util-linux 2.38.1",
    "curl": "curl 7.88.1",
    "diff": "diff (GNU diffutils) 3.8",
    "cmp": "cmp (GNU diffutils) 3.8",
    "file": "file-5.44",
    "find": "find (GNU findutils) 4.9.0",
    "grep": "grep (GNU grep) 3.8",
    "gzip": "gzip 1.12",
    "less": "less 590 (GNU regular expressions)",
    "more": "more from util-linux 2.38.1",
    "rg": "ripgrep 13.0.0",
    "sed": "sed (GNU sed) 4.9",
    "strings": "GNU strings (GNU Binutils for Debian) 2.40",
    "tar": "tar (GNU tar) 1.34",
    "tree": "tree v2.1.0 (c) 1996 - 2022 by Steve Baker, Thomas Moore, Francesc Rocher, Florian Sesser, Kyosuke Tokoro",
    "watch": "watch from procps-ng 4.0.2",
    "xargs": "xargs (GNU findutils) 4.9.0",
    "xxd": "xxd 2022-01-14 by Juergen Weigert et al.",
    "yq": "yq (https://github.com/mikefarah/yq/) version v4.44.3",
}
COREUTILS = "{name} (GNU coreutils) 9.1"

_OWN = ("ashkit", "not GNU bash")
"""One of them is in every text below that is not genuine."""

_WORDS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"# bashkit builtin: \S+\n?"), ""),
    (re.compile(r"^Bashkit [\d.]+ \(virtual \w+ interpreter\)$", re.M), BASH),
    (re.compile(r"^Usage: (?:ba)?sh \[option\][^\n]*\nVirtual shell interpreter \(not GNU bash\)$", re.M), USAGE),
    (
        re.compile(r"^GNU Awk ([\d.]+) \(bashkit\)$", re.M),
        r"GNU Awk 5.2.1, API 3.2, PMA Avon 8-g1, (GNU MPFR 4.2.0, GNU MP 6.2.1)",
    ),
    (
        re.compile(r"User sandbox may run the following commands on bashkit-sandbox:"),
        "User root may run the following commands on kind-control-plane:",
    ),
    (re.compile(r"not a terminal \(run inside bashkit[^)\n]*\)"), "standard input is not a terminal"),
    (re.compile(r"editing history is not supported in bashkit"), "history specification out of range"),
)
_VERSION = re.compile(r"^([\w.\[-]+) \(bashkit\) [\d.]+$", re.M)


def hide_interpreter(text: str) -> str:
    """A text in which no command names the interpreter.

    >>> [hide_interpreter(f"{each}\\n") for each in ("sort (bashkit) 0.1", "sed (bashkit) 0.1", "a word about bashkit")]
    ['sort (GNU coreutils) 9.1\\n', 'sed (GNU sed) 4.9\\n', 'a word about bashkit\\n']
    """
    if not any(word in text for word in _OWN):
        return text
    for pattern, words in _WORDS:
        text = pattern.sub(words, text)
    return _VERSION.sub(lambda found: VERSIONS.get(found[1], COREUTILS.format(name=found[1])), text)
