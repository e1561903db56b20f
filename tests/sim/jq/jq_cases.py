"""Calls of jq to compare: those of its manual, those by hand, and those drawn from a grammar."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

from aiops_gym.sim.jq.command import run_jq

HERE = Path(__file__).parent
RECORDED = HERE / "recorded.json"
ENVIRONMENT = {"HOME": "/root", "PATH": "/usr/bin:/bin", "TZ": "UTC"}
REAL = shutil.which("jq") or ""
LEFT = 2_000_000

VALUES = (
    "null",
    "true",
    "3",
    "-1.5",
    '"a,b c"',
    '"Error: Geo-5 down"',
    "[]",
    "{}",
    "[3,1,2,1]",
    '[{"a":1,"b":"x"},{"a":2,"b":null},{"a":1,"b":"y"}]',
    '{"a":{"b":[1,{"c":null}]},"d":"é","e":[false,0,""]}',
    '{"items":[{"metadata":{"name":"geo-1","labels":{"app":"geo"}},"status":{"phase":"Running","n":3}},'
    '{"metadata":{"name":"rate-2"},"status":{"phase":"Pending"}}]}',
)
KEYS = ("a", "b", "items", "metadata", "name", "status", "d")
NAMES = (
    *("length", "keys", "type", "not", "add", "tostring", "tojson", "sort", "unique", "reverse", "first", "last"),
    *("to_entries", "from_entries", "flatten", "min", "max", "any", "all", "ascii_downcase", "explode", "tonumber"),
    *("values", "scalars", "arrays", "objects", "strings", "numbers", "nulls", "floor", "sqrt", "paths", "leaf_paths"),
    *("empty", "error", "keys_unsorted", "transpose", "tostream", "fromjson", "utf8bytelength", "env|type", "infinite"),
    *("@json", "@text", "@csv", "@tsv", "@sh", "@html", "@uri", "@base64", "recurse", ".."),
)
CALLS = (
    *("map({})", "select({})", "[{}]", "first({})", "[limit(2; {})]", "sort_by({})", "group_by({})", "unique_by({})"),
    *("min_by({})", "max_by({})", "map_values({})", "with_entries({})", "[paths({})]", "[recurse({})?]", "any({})"),
    *(
        "del({})",
        "[path({})]",
        "to_entries | map({})",
        "({} | tojson)",
        "walk({})",
        "isempty({})",
        "last({})",
        "all({})",
    ),
    *("({})?", "try ({}) catch .", "(try error({}) catch .)", "{{x: ({})}}", '"<\\({})>"', '@sh "\\({})"', "-({})"),
    *("[.[] | {}]", "[.[]? | {}]", "(label $f | {}, break $f, 1)", "reduce ({}) as $x (0; . + 1)", "[tostream] | {}"),
    *("[foreach ({}) as $x (0; . + 1; [., $x])]", "({}) as $v | [$v, $v]", "def f: {}; [f, f]", "[range(3)] | {}"),
    *("def f(g): [g | g]; f({})", "(. as {{a: $q}} | $q, {})", "has({})", "contains({})", "index({})", "join({})"),
    *("startswith({})", "ltrimstr({})", "split({})", "test({})", "[scan({})]", "indices({})", "in({})", "inside({})"),
    *("{} |= 1", "{} |= tostring", "{} = .a", "{} += 1", "{} //= 5", "[splits({})]", "getpath([{}])", ". as [$p] | {}"),
)
PAIRS = (
    "{} | {}",
    "{}, {}",
    "{} + {}",
    "{} - {}",
    "{} * {}",
    "{} / {}",
    "{} == {}",
    "{} < {}",
    "{} // {}",
    "{} and {}",
)
PAIRS += (
    "{} or {}",
    "if {} then {} else . end",
    "setpath([{}]; {})",
    "{} as $z | {}",
    ".[{}:{}]",
    "{{(({})|tostring): {}}}",
)
LEAVES = (
    ".",
    ".[]",
    ".[]?",
    ".[0]",
    ".[-1]",
    ".[1:]",
    ".[:1]",
    "1",
    "0",
    '"a"',
    '"b"',
    "null",
    "false",
    "[1]",
    "{}",
    '""',
)


def draw(chance: random.Random, depth: int = 3) -> str:
    """A program."""
    kind = chance.randrange(10) if depth else 0
    if kind < 2:
        return chance.choice((*LEAVES, *(f".{key}" for key in KEYS), *(f".{key}?" for key in KEYS)))
    if kind < 4:
        return chance.choice(NAMES)
    if kind < 7:
        return chance.choice(CALLS).format(f"({draw(chance, depth - 1)})")
    return chance.choice(PAIRS).format(*(f"({draw(chance, depth - 1)})" for _ in range(2)))


def draw_calls(seed: int, count: int) -> list[tuple[list[str], str]]:
    """Calls, and what they read."""
    chance = random.Random(seed)
    options = ([], ["-c"], ["-r"], ["-c", "-S"], ["-j"], ["-n", "-c"], ["-s", "-c"], ["-e", "-c"], ["--tab"])
    return [([*chance.choice(options), draw(chance)], chance.choice(VALUES)) for _ in range(count)]


def ask_real(arguments: list[str], stdin: str) -> tuple[str, str, int] | None:
    """What the real one prints, and its exit code; None where it crashes or does not end."""
    argv = [REAL, *arguments]
    try:
        done = subprocess.run(argv, input=stdin.encode(), capture_output=True, timeout=2, env=ENVIRONMENT, check=False)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode < 0 or len(done.stdout) > 100_000:
        return None
    return done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"), done.returncode


def ask_ours(arguments: list[str], stdin: str) -> tuple[str, str, int]:
    """What ours does."""
    done = run_jq(["jq", *arguments], stdin, Path("/").joinpath, ENVIRONMENT, 1e9, LEFT)  # no call reads a file
    text = ["".join(text for fd, text in done.pieces if fd == number) for number in (1, 2)]
    return text[0], text[1], done.code


def manual(path: str) -> list[tuple[list[str], str]]:
    """The examples of jq's manual page."""
    lines = [
        line.replace("\\.", ".").replace("\\-", "-").replace("\\'", "'") for line in Path(path).read_text().split("\n")
    ]
    lines = [line.replace("\\e", "\\").replace("\\(aq", "'") for line in lines]
    return [
        (["-c", line[4:-1]], lines[at + 1].strip())
        for at, line in enumerate(lines)
        if line.startswith("jq '") and line.endswith("'") and lines[at + 1].startswith("   ")
    ]


def main(page: str, by_hand: str, count: int) -> None:
    """Record what the real one answers: `python -m tests.sim.jq.jq_cases PAGE PROGRAMS COUNT`, PROGRAMS a JSON list."""
    calls = [*manual(page), *((["-nc", text], "") for text in json.loads(Path(by_hand).read_text()))]
    calls += draw_calls(0, count)
    rows = [(words, stdin, real) for words, stdin in calls if (real := ask_real(words, stdin)) is not None]
    RECORDED.write_text(json.dumps([[w, s, out, code] for w, s, (out, _, code) in rows], ensure_ascii=False, indent=0))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
