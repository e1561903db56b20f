"""The expression of `find`: tests and actions on one file, made from the words of a command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fnmatch import translate

from aiops_gym.shell.commands.date import parse
from aiops_gym.shell.commands.find.place import LETTERS, Place, Search, Wrong, base, format_place, list_place
from aiops_gym.sim.kernel.digits import parse_natural

UNITS = {"c": 1, "w": 2, "b": 512, "": 512, "k": 1024, "M": 1 << 20, "G": 1 << 30}


Test = Callable[[Place], bool]

DEEPEST = 200
"""Brackets and negations inside each other."""


class Expression:
    """A recursive descent over the words: `,` is not known, `-o` binds weaker than `-a`."""

    def __init__(self, words: Sequence[str], search: Search) -> None:
        self.words = list(words)
        self.search = search
        self._level = 0

    def whole(self) -> Test:
        """The test for a file. Raises Wrong."""
        if not self.words:
            return lambda place: True
        test = self._either()
        if self.words:
            raise Wrong("you have too many ')'" if self.words[0] == ")" else f"unknown predicate `{self.words[0]}'")
        return test

    def _either(self) -> Test:
        tests = [self._all()]
        while self.words and self.words[0] in ("-o", "-or"):
            self.words.pop(0)
            tests.append(self._all())
        return tests[0] if len(tests) == 1 else lambda place: any(test(place) for test in tests)

    def _all(self) -> Test:
        tests = [self._one()]
        while self.words and self.words[0] not in ("-o", "-or", ")"):
            if self.words[0] in ("-a", "-and"):
                self.words.pop(0)
            tests.append(self._one())
        return tests[0] if len(tests) == 1 else lambda place: all(test(place) for test in tests)

    def _one(self) -> Test:
        word = self._next("expression")
        if word in ("!", "-not", "("):
            self._level += 1
            if self._level > DEEPEST:
                raise Wrong("the expression is nested too deeply")
        if word in ("!", "-not"):
            test = self._one()
            self._level -= 1
            return lambda place: not test(place)
        if word == "(":
            test = self._either()
            self._level -= 1
            if self._next(")") != ")":
                raise Wrong("invalid expression; I was expecting to find a ')'")
            return test
        if not word.startswith("-"):
            raise Wrong(f"paths must precede expression: `{word}'")
        name = word[1:]
        if name in FLAGS:
            return FLAGS[name](self.search)
        if name in ("exec", "execdir", "ok", "okdir"):
            return self._exec()
        if name not in TESTS:
            raise Wrong(f"unknown predicate `{word}'")
        return TESTS[name](self.search, name, self._next(word))

    def _next(self, wanted: str) -> str:
        if not self.words:
            raise Wrong(f"missing argument to `{wanted}'")
        return self.words.pop(0)

    def _exec(self) -> Test:
        ends = [i for i, word in enumerate(self.words) if word in (";", "+")]
        if not ends:
            raise Wrong("missing argument to `-exec'")
        argv, last = self.words[: ends[0]], self.words[ends[0]]
        self.words = self.words[ends[0] + 1 :]
        search = self.search
        search.acts = True
        if last == "+":
            paths: list[str] = []
            search.batches.append((argv[:-1] if argv[-1:] == ["{}"] else argv, paths))

            def collect(place: Place) -> bool:
                paths.append(place.path)
                return True

            return collect
        return lambda place: launch(search, [word.replace("{}", place.path) for word in argv])


def launch(search: Search, argv: list[str]) -> bool:
    """Run a command; what it prints comes in its turn."""
    output, ended = search.context.spawn(argv, "")
    search.out.append(output.stdout)
    search.errors.append(output.stderr)
    search.done = search.done or ended
    return output.code == 0


def _matched(attribute: Callable[[Place], str], pattern: str, flags: int = 0) -> Test:
    compiled = re.compile(pattern, flags)
    return lambda place: compiled.match(attribute(place)) is not None


def _named(search: Search, name: str, value: str) -> Test:
    flags = re.IGNORECASE if name.startswith("i") else 0
    whole = name.endswith(("path", "wholename"))
    return _matched((lambda place: place.path) if whole else base, translate(value), flags)


_REPEATS = re.compile(r"[*+{]")
_REPEATED_GROUP = re.compile(r"\)[*+{?]|\\[1-9]")


def _regex(search: Search, name: str, value: str) -> Test:
    flags = re.IGNORECASE if name.startswith("i") else 0
    pattern = re.sub(r"\\([(){}|+?])", r"\1", value)
    try:
        matched = _matched(lambda place: place.path, f"(?:{pattern})\\Z", flags)
    except re.error:
        raise Wrong(f"failed to compile regular expression '{value}'") from None
    if len(_REPEATS.findall(pattern)) <= 2 and not _REPEATED_GROUP.search(pattern):
        return matched
    # What may be tried in ever more ways is left to grep, which goes over each path but once.
    grep = ["grep", f"-qxE{'i' if flags else ''}", "-e", pattern]
    return lambda place: search.context.spawn(grep, f"{place.path}\n")[0].code == 0


def _typed(search: Search, name: str, value: str) -> Test:
    kinds = set(value.split(","))
    if not kinds <= set("fdlbcps"):
        raise Wrong(f"Unknown argument to -type: {value}")
    return lambda place: LETTERS.get(place.about.kind, "") in kinds


def _compared(value: str, name: str) -> Callable[[int], bool]:
    wanted = parse_natural(value[1:] if value[:1] in "+-" else value)
    if wanted is None:
        raise Wrong(f"invalid argument `{value}' to `-{name}'")
    if value[0] == "+":
        return lambda have: have > wanted
    return (lambda have: have < wanted) if value[0] == "-" else (lambda have: have == wanted)


def _sized(search: Search, name: str, value: str) -> Test:
    letter = value[-1:] if value[-1:] in UNITS else ""
    unit, holds = UNITS[letter], _compared(value[: len(value) - len(letter)], name)
    return lambda place: holds(-(-place.about.size // unit))


def _aged(search: Search, name: str, value: str) -> Test:
    unit, now = (60 if name.endswith("min") else 86_400), search.context.cluster.now()
    holds = _compared(value, name)
    return lambda place: holds(int((now - place.about.time) // unit))


def _newer(search: Search, name: str, value: str) -> Test:
    if name.endswith("t") and name != "newer":
        moment = parse(value, search.context.cluster.now())
        if moment is None:
            raise Wrong(f"I cannot figure out how to interpret ‘{value}’ as a date or time")
        return lambda place: place.about.time > moment
    other = search.context.files.about(value)
    if other is None:
        raise Wrong(f"‘{value}’: No such file or directory")
    return lambda place: place.about.time > other.time


def _permitted(search: Search, name: str, value: str) -> Test:
    digits = value.lstrip("-/")
    if not digits or set(digits) - set("01234567"):
        raise Wrong(f"invalid mode ‘{value}’")
    mode = int(digits, 8)
    if value[0] == "-":
        return lambda place: place.about.mode & mode == mode
    if value[0] == "/":
        return lambda place: place.about.mode & mode != 0 or not mode
    return lambda place: place.about.mode & 0o7777 == mode


def _owned(search: Search, name: str, value: str) -> Test:
    return lambda place: value in ("root", "0")


def _bounded(search: Search, name: str, value: str) -> Test:
    depth = parse_natural(value)
    if depth is None:
        raise Wrong(f"Expected a positive decimal integer argument to -{name}, but got ‘{value}’")
    if name == "maxdepth":
        search.most = depth
    else:
        search.least = depth
    return lambda place: True


def _printf(search: Search, name: str, form: str) -> Test:
    search.acts = True
    return lambda place: search.say(format_place(form, place))


def _acting(act: Callable[[Search, Place], bool]) -> Callable[[Search], Test]:
    def made(search: Search) -> Test:
        search.acts = True
        return lambda place: act(search, place)

    return made


def _deleting(search: Search) -> Test:
    search.acts = search.depth_first = True

    def delete(place: Place) -> bool:
        if search.context.files.remove(place.path):
            return True
        search.errors.append(f"find: cannot delete ‘{place.path}’: Directory not empty\n")
        return False

    return delete


def _prune(search: Search, place: Place) -> bool:
    place.pruned = True
    return True


def _quit(search: Search, place: Place) -> bool:
    search.done = True
    return True


def _empty(search: Search, place: Place) -> bool:
    if place.about.kind == "directory":
        return not search.context.files.entries(place.path)
    return place.about.kind == "file" and not place.about.size


def _depth(search: Search) -> Test:
    search.depth_first = True
    return lambda place: True


def _plain(test: Callable[[Search, Place], bool]) -> Callable[[Search], Test]:
    return lambda search: lambda place: test(search, place)


FLAGS: dict[str, Callable[[Search], Test]] = {
    "print": _acting(lambda search, place: search.say(f"{place.path}\n")),
    "print0": _acting(lambda search, place: search.say(f"{place.path}\0")),
    "ls": _acting(lambda search, place: search.say(list_place(place))),
    "quit": _acting(_quit),
    "delete": _deleting,
    "prune": _plain(_prune),
    "empty": _plain(_empty),
    "executable": _plain(lambda search, place: place.about.mode & 0o111 != 0),
    "readable": _plain(lambda search, place: True),
    "writable": _plain(lambda search, place: True),
    "depth": _depth,
    **dict.fromkeys(("true", "xdev", "mount", "noleaf", "warn", "nowarn", "daystart"), _plain(lambda s, place: True)),
    **dict.fromkeys(("false", "nouser", "nogroup"), _plain(lambda search, place: False)),
}
TESTS: dict[str, Callable[[Search, str, str], Test]] = {
    **dict.fromkeys(("name", "iname", "path", "ipath", "wholename", "iwholename"), _named),
    **dict.fromkeys(("regex", "iregex"), _regex),
    **dict.fromkeys(("mtime", "atime", "ctime", "mmin", "amin", "cmin"), _aged),
    **dict.fromkeys(("newer", "newermt", "newerct", "newerat", "newermm", "anewer", "cnewer"), _newer),
    **dict.fromkeys(("user", "group", "uid", "gid"), _owned),
    **dict.fromkeys(("maxdepth", "mindepth"), _bounded),
    "regextype": lambda search, name, value: lambda place: True,
    "type": _typed,
    "size": _sized,
    "perm": _permitted,
    "printf": _printf,
}
