"""Scripts of one command, which need no interpreter: most of what an agent types, at less than half the cost.

Only where an interpreter would do nothing but split the words and call. A redirection, a variable, a wildcard or a
second command makes a script, and so does a pipe, but for one into jq, which is ours: texts of megabytes need not go
through the interpreter. What is printed, and when the time is up, is the same either way.
"""

from __future__ import annotations

import re

from aiops_gym import caches
from aiops_gym.shell.drive import Drive
from aiops_gym.shell.host import ENVIRONMENT, HOME
from aiops_gym.shell.reach import CALLING
from aiops_gym.shell.running import Invocation

_PART = r"""'[^']*'|"[^"$`\\!]*"|[\w./:=,@%+-]"""
_WORD = re.compile(rf"(?:{_PART})+", re.ASCII)
_COMMAND = rf"(?:{_PART})+(?:[ ]+(?:{_PART})+)*"
_SCRIPT = re.compile(rf"[ ]*({_COMMAND})[ ]*((?:\|[ ]*jq[ ]+{_COMMAND}[ ]*)*)\n*[ \n]*", re.ASCII)
_STAGE = re.compile(rf"\|[ ]*({_COMMAND})[ ]*", re.ASCII)
_QUOTED = re.compile(r"""'([^']*)'|"([^"]*)\"""")


@caches.function(512, "splitting a script that is one command")
def split_single(script: str) -> tuple[tuple[str, ...], ...]:
    """The words of the one command of a script, and of those of jq that it is piped into; none where there may be more.

    >>> split_single("kubectl get pods -o jsonpath='{.items[*].kind}' -l app=geo")
    (('kubectl', 'get', 'pods', '-o', 'jsonpath={.items[*].kind}', '-l', 'app=geo'),)
    >>> split_single("kubectl get x -o json | jq -r '.a|.b'")
    (('kubectl', 'get', 'x', '-o', 'json'), ('jq', '-r', '.a|.b'))
    >>> scripts = ("kubectl get x | wc", "ls", "kubectl get $x", "kubectl get *", "kubectl get x &")
    >>> [split_single(each) for each in scripts]
    [(), (), (), (), ()]
    """
    found = _SCRIPT.fullmatch(script)
    if found is None:
        return ()
    texts = [found[1], *_STAGE.findall(found[2])]
    split = tuple(tuple(_QUOTED.sub(_inner, word) for word in _WORD.findall(text)) for text in texts)
    return split if split[0][0] in CALLING else ()


def _inner(quoted: re.Match[str]) -> str:
    return quoted[1] if quoted[2] is None else quoted[2]


class SingleCommand(Invocation):
    """A call of a command without a script around it, in a new shell."""

    __slots__ = ("_drive",)

    def __init__(self, argv: tuple[str, ...], drive: Drive, stdin: str = "") -> None:
        self.name, self.argv, self.stdin = argv[0], list(argv), stdin
        self._drive = drive

    @property
    def cwd(self) -> str:
        """Where a new shell stands."""
        return HOME

    @property
    def env(self) -> dict[str, str]:
        """Exported variables of a new shell."""
        return {**ENVIRONMENT, "PWD": HOME}

    @property
    def drive(self) -> Drive:
        """The files."""
        return self._drive
