"""Pipelines of the agent's host, whose commands need no shell of their own as a rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from aiops_gym.shell.calls import Calls
from aiops_gym.shell.engine import read_system
from aiops_gym.shell.host_files import HostTree
from aiops_gym.shell.lending import Owner, Place
from aiops_gym.shell.words import split_words
from aiops_gym.sim.machine.scripts import commands, tools
from aiops_gym.sim.machine.scripts.host import Call, Running
from aiops_gym.sim.machine.scripts.jobs import JobHost
from aiops_gym.sim.machine.scripts.machine import Machine
from aiops_gym.sim.machine.scripts.state import BUILTINS
from aiops_gym.sim.machine.scripts.words import expand_fields
from aiops_gym.types import Json, Output

SHELLS = split_words("sh bash dash")
SCRIPTED = SHELLS | split_words("sudo")
"""What utilities start as tasks; `sudo` is a script of the host."""

BESIDE = split_words("env nohup nice setsid sleep")
"""Commands that are no builtins, but those of the interpreter all the same."""

SMALL = split_words("cat head tail grep wc which basename dirname mkdir touch true : false echo printf test [ pwd")
"""Tools of the interpreter, in the forms that it knows: see `sim.machine.scripts.tools`."""

TEXT_TOOLS = split_words("cat head tail grep wc")
"""Those of them that may stand in a pipeline without a shell of their own."""

SHELLS_OWN = BUILTINS | BESIDE | (SMALL - TEXT_TOOLS)
"""Commands that a shell does by itself."""

FOLLOWING = frozenset({"-f", "-F", "--follow"})
"""Options of `tail` with which it has no end."""

FILTERS = split_words(
    "cat head tail grep wc sort uniq cut tr rev tac nl fold sed awk gawk mawk tee base64 md5sum sha256sum"
)
"""Commands that read their standard input where no file is named."""

PROGRAMMED = split_words("grep sed awk gawk mawk tr jq")
"""Those whose first word says what to do."""

READING = split_words("jq tee column shuf python3 xargs bash sh")
"""Other commands that do so."""

OUT_OF_REACH = ("/proc/", "/dev/", "/sys/", "/bin/", "/usr/bin/")
"""Files that the small tools leave to the utilities."""

PROGRAMS = "/usr/bin/"
"""Where utilities lie."""

_ERRORS = {
    repr([["2", ">", [["lit", "/dev/null"]]]]): "null",
    repr([["2", ">&", [["lit", "1"]]]]): "out",
}
"""Redirections of commands that need no shell of their own."""


class Pipelines(JobHost):
    """Who runs pipelines.

    Attributes:
        owner: whose shell it is.
        calls: of commands of ours and of utilities.
        tree: the files.
    """

    owner: Owner
    calls: Calls
    tree: HostTree

    def is_small(self, machine: Machine, argv: list[str]) -> bool:
        """Whether the interpreter has a tool for a call."""
        name, words = argv[0], argv[1:]
        return tools.does(machine, name, words) and not any(word.startswith(OUT_OF_REACH) for word in words)

    def knows(self, machine: Machine, name: str) -> bool:
        """Whether a name is that of a command of ours or of a utility, and lies where it is looked for."""
        path = machine.task.vars.get("PATH")
        if path is not None and not set(str(path).split(":")) & {"/usr/bin", "/bin", "/usr/local/bin"}:
            return False
        return name in self.owner.names or (name not in SCRIPTED and f"{PROGRAMS}{name}" in read_system())

    def gather(self, machine: Running, stages: Sequence[Json]) -> list[Call]:
        """The first commands of a pipeline that need no shell of their own."""
        found: list[Call] = []
        for stage in stages if "DEBUG" not in machine.task.traps else ():
            call = self._plain(cast("Machine", machine), stage)
            if call is None:
                break
            found.append(call)
        return found

    def _plain(self, machine: Machine, stage: Json) -> Call | None:
        """The call that a command comes to, None where only a shell can tell."""
        if stage[0] != "simple" or stage[1] or not stage[2]:
            return None
        errors = _ERRORS.get(repr(stage[3])) if stage[3] else ""
        first = stage[2][0]
        if errors is None or len(first) != 1 or first[0][0] not in ("lit", "quo"):
            return None
        name = first[0][1]
        if name in SHELLS_OWN or name in machine.task.aliases or name in machine.task.functions:
            return None
        simple = all(_is_simple(part) for word in stage[2] for part in word) and "u" not in machine.task.options
        if not simple or not self.knows(machine, name):
            return None
        machine.line = stage[4]
        argv = expand_fields(stage[2], machine)
        return None if name == "tail" and not FOLLOWING.isdisjoint(argv) else Call(argv, errors)

    def join(self, machine: Running, calls: list[Call], text: str) -> tuple[Output, list[int]]:
        """Run commands that are piped into each other on a text: what came out, and the code of each."""
        walker = cast("Machine", machine)
        if text and _reads(calls[0].argv):
            walker.consume(walker.stdin(), "")
        place = Place(walker.task.cwd, walker.environment())
        small = [call.argv[0] in TEXT_TOOLS and self.is_small(walker, call.argv) for call in calls]
        codes, errors, at, output = list[int](), "", 0, Output(text)
        while at < len(calls):
            end = at + 1
            if small[at]:
                output, found = self._run_small(walker, calls[at], output.stdout)
            elif calls[at].argv[0] in self.owner.names:
                output, found = self.calls.call_one(calls[at], output.stdout, place)
            else:
                while end < len(calls) and not self.calls.is_alone(calls[at]) and not self.calls.is_alone(calls[end]):
                    end += 1
                while small[end - 1] and calls[at].argv[0] != "yes":
                    end -= 1
                output, found = self.calls.join(calls[at:end], output.stdout, place)
            codes, errors, at = [*codes, *found], errors + output.stderr, end
        self.catch_up(walker)
        return (output if len(codes) == 1 else Output(output.stdout, errors, codes[-1])), codes

    def call(self, machine: Machine, argv: list[str], text: str) -> Output:
        """Run a command of ours that stands by itself."""
        if text and _reads(argv):
            machine.consume(machine.stdin(), "")
        output = self.calls.call(argv, text, Place(machine.task.cwd, machine.environment()))
        self.catch_up(machine)
        return output

    def _run_small(self, machine: Machine, call: Call, text: str) -> tuple[Output, list[int]]:
        """Run a tool of the interpreter on a text."""
        task, name = machine.task, call.argv[0]
        before, code, out, err = task.fds, task.code, list[str](), list[str]()
        task.fds = {"0": ["text", text], "1": ["kept", out], "2": ["kept", err]}
        task.fds["2"] = {"out": task.fds["1"], "null": ["null"]}.get(call.errors, task.fds["2"])
        task.code = 0
        if name in commands.COMMANDS:
            commands.COMMANDS[name](machine, call.argv)
        else:
            task.code = tools.TOOLS[name](machine, call.argv)
        output = Output("".join(out), "".join(err), task.code)
        task.fds, task.code = before, code
        return output, [output.code]

    def catch_up(self, machine: Machine) -> None:
        """Count the time that a command took on the cluster's clock."""
        took = round(self.calls.clock.elapsed() * 1000) - machine.elapsed()
        if took > 0:
            machine.waited += took


def _is_simple(part: Json) -> bool:
    """Whether a part of a word changes nothing when it is expanded."""
    if part[0] == "dq":
        return all(_is_simple(each) for each in part[1])
    return part[0] in ("lit", "quo") or (part[0] == "par" and not any(part[2:]))


def _reads(argv: Sequence[str]) -> bool:
    """Whether a command reads its standard input."""
    name, named = argv[0], [word for word in argv[1:] if not word.startswith("-") or word == "-"]
    if name in READING or "-" in named or "/dev/stdin" in named or "-i" in argv or "-it" in argv:
        return True
    return name in FILTERS and len(named) <= (name in PROGRAMMED)
