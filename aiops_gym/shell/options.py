"""What GNU's tools say of options that they do not know."""

from __future__ import annotations

from getopt import GetoptError


def word(error: GetoptError) -> str:
    """An error of `getopt` in glibc's words; one without an option as it is.

    >>> word(GetoptError("option -Z not recognized", "Z")), word(GetoptError("missing operand"))
    ("invalid option -- 'Z'", 'missing operand')
    """
    name = error.opt
    if not name:
        return error.msg
    if "requires argument" in error.msg:
        return f"option requires an argument -- '{name}'" if not name[1:] else f"option '--{name}' requires an argument"
    if "not a unique prefix" in error.msg:
        return f"option '--{name}' is ambiguous"
    return f"invalid option -- '{name}'" if not name[1:] else f"unrecognized option '--{name}'"
