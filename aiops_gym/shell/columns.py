"""`xxd` with as many columns as the real one takes: the interpreter's own would make room for any number of them.

A command of ours would be told its input as text, and what is looked at with `xxd` often is none.
"""

from __future__ import annotations

_MANY = r"\ -c\ ?0*([1-9][0-9]{3,}|[3-9][0-9][0-9]|2[6-9][0-9]|25[7-9])\ "
_GUARD = " ".join(
    (
        'xxd() { local __words=" $* "; __words="${__words%% -- *} ";',
        f'if [[ "$__words" =~ {_MANY} && "$__words" != *" -p "* ]];',
        'then echo "xxd: invalid number of columns (max. 256)." >&2; return 1; fi;',
        'command xxd "$@"; }; ',
    )
)


def opening(script: str) -> str:
    """What makes the calls of xxd in a script look at their columns first; "" when there are none with so many.

    >>> opening("xxd -c 8 file")[:8], opening("kubectl get pods")
    ('xxd() { ', '')
    """
    return _GUARD if "xxd" in script and "-c" in script else ""
