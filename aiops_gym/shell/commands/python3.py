"""`python3`: the interpreter's own small Python, which has `json` but no standard library to speak of.

The two things that people do most with it in a pipe are made to work: `-m json.tool`, and reading standard input with
`json.load(sys.stdin)` or `sys.stdin.read()`, which that Python spells otherwise. An agent's Python never runs on ours.
"""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

from aiops_gym.clients.context import Context
from aiops_gym.types import Output

NAMES = ("python3", "python")
STDIN = 'open("/dev/stdin").read()'
_IDIOMS = (
    (re.compile(r"\bjson\.load\(\s*(?:sys\.)?stdin\s*\)"), f"json.loads({STDIN})"),
    (re.compile(r"\bjson\.load\(\s*open\(([^()]*)\)\s*\)"), r"json.loads(open(\1).read())"),
    (re.compile(r"\b(?:sys\.)?stdin\.read\(\)"), STDIN),
    (re.compile(r"\b(?:sys\.)?stdin\.readlines\(\)"), f"{STDIN}.splitlines(True)"),
    (re.compile(r"((?:\b\w[\w.]*)(?:\([^()]*\))?)\.iterdir\(\)"), r"sorted(\1.iterdir(), key=str)"),
    (re.compile(r"\bos\.environ\b(?![.\[]|\s*=)"), "dict(sorted(os.environ.items()))"),
    (re.compile(r"\bos\.environ\.(items|keys|values)\(\)"), r"dict(sorted(os.environ.items())).\1()"),
    (re.compile(r"\bsys\.version\b(?!_)"), repr("3.11.2 (main, Nov 30 2024, 21:22:50) [GCC 12.2.0]")),
    (re.compile(r"\bsys\.platform\b"), repr("linux")),
    (re.compile(r"\bin\s+(?:sys\.)?stdin\s*:"), f"in {STDIN}.splitlines(True):"),
)
_NOW = re.compile(r"\b((?:datetime\.)?datetime)\.(?:utc)?now\(([^()]*)\)")
_TODAY = re.compile(r"\b((?:datetime\.)?date)\.today\(\)")


def run(context: Context, argv: list[str]) -> Output:
    """`python3 -c CODE`, `python3 FILE`, `python3 -`, `python3 -m json.tool [--sort-keys] [--compact] [FILE]`."""
    rest = list(argv[1:])
    while rest and rest[0] in ("-u", "-E", "-s", "-S", "-B", "-I", "-q"):
        rest.pop(0)
    if rest[:1] in (["--version"], ["-V"]):
        return Output("Python 3.11.2\n")
    if rest[:2] == ["-m", "json.tool"]:
        return _json_tool(context, rest[2:])
    if rest[:1] == ["-m"]:
        return Output("", f"/usr/bin/python3: No module named {rest[1] if len(rest) > 1 else ''}\n", 1)
    if rest[:1] == ["-c"] and len(rest) > 1:
        code, stdin = rest[1], context.stdin
    elif rest and rest[0] != "-":
        try:
            code, stdin = context.files.read(rest[0]), context.stdin
        except OSError:
            where = f"can't open file '{rest[0]}': [Errno 2] No such file or directory"
            return Output("", f"python3: {where}\n", 2)
    else:
        code, stdin = context.stdin, ""
    for idiom, spelled in _IDIOMS:
        code = idiom.sub(spelled, code)
    code = _with_clock(code, context.cluster.now())
    output, _ = context.spawn(["python3", "-c", code], stdin, own=True)
    return output


def _with_clock(code: str, now: float) -> str:
    """Code that has the cluster's time in place of the one which that Python always tells.

    >>> _with_clock("datetime.datetime.now(utc), date.today()", 0.0)
    'datetime.datetime(1970, 1, 1, 0, 0, 0, 0, tzinfo=utc), date(1970, 1, 1)'
    """
    moment = datetime.fromtimestamp(now, UTC)
    day = f"{moment.year}, {moment.month}, {moment.day}"
    parts = f"{day}, {moment.hour}, {moment.minute}, {moment.second}, {moment.microsecond}"

    def told(found: re.Match[str]) -> str:
        zone = found[2].strip().removeprefix("tz=")
        return f"{found[1]}({parts}{f', tzinfo={zone}' if zone else ''})"

    return _TODAY.sub(rf"\1({day})", _NOW.sub(told, code))


def _json_tool(context: Context, arguments: list[str]) -> Output:
    paths = [word for word in arguments if not word.startswith("-")]
    try:
        text = context.files.read(paths[0]) if paths else context.stdin
        value = json.loads(text)
    except OSError:
        return Output("", f"[Errno 2] No such file or directory: '{paths[0]}'\n", 1)
    except (ValueError, RecursionError) as error:
        return Output("", f"{error}\n", 1)
    sort = "--sort-keys" in arguments
    if "--compact" in arguments:
        return Output(json.dumps(value, separators=(",", ":"), sort_keys=sort) + "\n")
    return Output(json.dumps(value, indent=4, sort_keys=sort, ensure_ascii="--no-ensure-ascii" not in arguments) + "\n")
