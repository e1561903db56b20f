"""Variables of a shell: texts, arrays and their attributes.

An array is a dict of its elements, those of an indexed one by their numbers in decimal. Reference: Bash manual, 5.2
and 6.7.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from aiops_gym.sim.kernel.digits import is_natural
from aiops_gym.sim.machine.scripts import arithmetic
from aiops_gym.sim.machine.scripts.reader import ScriptError
from aiops_gym.sim.machine.scripts.task import Task
from aiops_gym.types import Json

ELEMENT = re.compile(r"([A-Za-z_]\w*)\[(.*)\]", re.DOTALL)
MOST_LINKS = 8
BUCKETS = 1024
"""Of bash's tables, whose order is that of associative arrays."""


class OutOfRange(ScriptError):
    """An index before the first element."""


class Variables:
    """The variables of a task, which is changed.

    Args:
        task: the task.

    Attributes:
        longest: characters of a word; a shell that makes longer ones has run out of memory.
    """

    task: Task
    dialect: str
    longest: int

    def find_special(self, name: str) -> str | None:
        """The value of a variable that the shell keeps, None for others."""
        raise NotImplementedError

    def follow(self, name: str) -> str:
        """The variable that a name stands for, itself if it stands for no other."""
        for _ in range(MOST_LINKS):
            if "n" not in self.task.kinds.get(name, "") or not self.task.vars.get(name):
                break
            name = str(self.task.vars[name])
        return name

    def get(self, name: str) -> str | None:
        """Value of a parameter, or of an element written as `name[index]`; of an array, that of its first."""
        special = self.find_special(name)
        if special is not None:
            return special
        name = self.follow(name)
        if "[" in name and (match := ELEMENT.fullmatch(name)):
            return self.element(match[1], match[2])
        found = self.task.vars.get(name)
        if isinstance(found, dict):
            return found.get("0")
        return self.inherited(name) if found is None else found

    def inherited(self, name: str) -> str | None:
        """What a variable is that nobody has set."""
        raise NotImplementedError

    def array(self, name: str) -> Mapping[str, str]:
        """The elements of an array in its order; a text is one of a single element."""
        name = self.follow(name)
        found = self.task.vars.get(name)
        if not isinstance(found, dict):
            value = self.get(name)
            return {} if value is None else {"0": value}
        if "A" in self.task.kinds.get(name, ""):
            places = {key: (_hash(key) % BUCKETS, -place) for place, key in enumerate(found)}
            return {key: found[key] for key in sorted(found, key=places.__getitem__)}
        return {key: found[key] for key in sorted(found, key=int)}

    def element(self, name: str, index: str) -> str | None:
        """One element; one before the first is none, which is told."""
        array = self.array(name)
        try:
            return array.get(self.key(name, index, array))
        except OutOfRange as error:
            self.blame(error.bash)
            return None

    def blame(self, text: str) -> None:
        """Tell what is wrong."""
        raise NotImplementedError

    def key(self, name: str, index: str, array: Mapping[str, str] | None = None) -> str:
        """The key of an element: a text as it is, or a number that is worked out. Raises ScriptError."""
        name = self.follow(name)
        if "A" in self.task.kinds.get(name, ""):
            return index
        number = self.calculate(index)
        if number < 0:
            keys = self.array(name) if array is None else array
            number += max(map(int, keys), default=-1) + 1
            if number < 0:
                raise OutOfRange(f"{name}[{index}]: bad array subscript")
        return str(number)

    def calculate(self, text: str) -> int:
        """Value of an expression. Raises ScriptError."""
        plain = text.strip()
        if is_natural(plain) and plain[:1] != "0":
            return int(plain[:18])
        return arithmetic.evaluate(text, self._get_number, self.set, self.dialect == "bash")

    def _get_number(self, name: str) -> str | None:
        value = self.get(name)
        if value is None and "u" in self.task.options:
            raise ScriptError(f"{name}: parameter not set", f"{name}: unbound variable", code=127)
        return value

    def set(self, name: str, value: str, added: bool = False) -> None:
        """Give a variable, or an element written as `name[index]`, a value. Raises ScriptError for one that stays."""
        name, task = self.follow(name), self.task
        match = ELEMENT.fullmatch(name) if "[" in name else None
        if match is not None:
            self.set_element(match[1], self.key(match[1], match[2]), value, added)
            return
        self._check(name)
        if isinstance(task.vars.get(name), dict):
            self.set_element(name, "0", value, added)
            return
        task.vars[name] = self._made(name, value, self.get(name) if added else None)
        if "a" in task.options:
            task.exports = {**task.exports, name: True}

    def set_element(self, name: str, key: str, value: str, added: bool = False) -> None:
        """Give an element of an array a value; what was a text becomes its first."""
        name = self.follow(name)
        self._check(name)
        elements = self._elements(name)
        elements[key] = self._made(name, value, elements.get(key) if added else None)

    def set_array(self, name: str, values: Iterable[tuple[str | None, bool, str]], added: bool = False) -> None:
        """Give an array elements: (index or None for the next, whether the value is added, value)."""
        name = self.follow(name)
        self._check(name)
        if not added:
            self.task.vars[name] = {}
        if "A" not in (kind := self.task.kinds.get(name, "")) and "a" not in kind:
            self.task.kinds[name] = f"{kind}a"
        elements = self._elements(name)
        following, pair = max(map(int, elements), default=-1) + 1 if "A" not in kind else 0, ""
        for index, more, value in values:
            if index is None and "A" in kind:  # keys and values in turn
                if pair:
                    elements[pair[1:]] = value
                pair = "" if pair else f"={value}"
                continue
            key = str(following) if index is None else self.key(name, index, elements)
            elements[key] = self._made(name, value, elements.get(key) if more else None)
            following = int(key) + 1 if "A" not in kind else 0
        if pair:
            elements[pair[1:]] = ""

    def _elements(self, name: str) -> dict[str, str]:
        found = self.task.vars.get(name)
        if not isinstance(found, dict):
            found = self.task.vars[name] = {} if found is None else {"0": found}
            if not {"a", "A"} & set(kind := self.task.kinds.get(name, "")):
                self.task.kinds[name] = f"{kind}a"
        return found

    def _made(self, name: str, value: str, before: str | None) -> str:
        """A value as the attributes of its variable have it, added to what was there before."""
        kind = self.task.kinds.get(name, "")
        if "i" in kind:
            value = str(self.calculate(value or "0") + (self.calculate(before or "0") if before is not None else 0))
        elif before:
            value = before + value
        if len(value) > self.longest:
            raise ScriptError("Out of space", "xrealloc: cannot allocate memory")
        return value.lower() if "l" in kind else value.upper() if "u" in kind else value

    def _check(self, name: str) -> None:
        if name in self.task.fixed:
            raise ScriptError(f"{name}: is read only", f"{name}: readonly variable")

    def unset(self, name: str) -> None:
        """Forget a variable, or an element written as `name[index]`. Raises ScriptError for one that stays."""
        if match := ELEMENT.fullmatch(name):
            elements = self.task.vars.get(self.follow(match[1]))
            if match[2] in ("@", "*") and isinstance(elements, dict):
                elements.clear()
            elif isinstance(elements, dict):
                elements.pop(self.key(match[1], match[2]), None)
            return
        name = self.follow(name)
        self._check(name)
        self.task.vars.pop(name, None)
        self.task.kinds.pop(name, None)
        self.task.exports = {**self.task.exports, name: False}

    def remember(self, name: str) -> Json:
        """All of a variable, to be given back by `give_back`."""
        task = self.task
        return [task.vars.get(name), task.kinds.get(name), task.exports.get(name), name in task.fixed]

    def give_back(self, name: str, kept: Json) -> None:
        """Let a variable be what it was."""
        value, kind, exported, fixed = kept
        for table, each in ((self.task.vars, value), (self.task.kinds, kind)):
            if each is None:
                table.pop(name, None)
            else:
                table[name] = each
        exports = {key: each for key, each in self.task.exports.items() if key != name}
        self.task.exports = exports if exported is None else {**exports, name: exported}
        if not fixed and name in self.task.fixed:
            self.task.fixed = [each for each in self.task.fixed if each != name]


def _hash(text: str) -> int:
    """By which bash finds a key: that of Fowler, Noll and Vo, in 32 bits."""
    found = 2_166_136_261
    for byte in text.encode():
        found = (found * 16_777_619) % (1 << 32) ^ byte
    return found
