"""The one place that knows bashkit, whose utilities are used: in process, without host files, processes or network.

An engine is dear to make and holds file descriptors, so a process has few of them, shared by all its shells: who calls
something on an engine first loads its files into it, and only when another shell used it since.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from shlex import quote
from types import TracebackType
from typing import TypeVar
from weakref import ref

from bashkit import Bash, BuiltinContext, BuiltinResult, ExecutionProfile

from aiops_gym.shell.disk import STDIN, UNSEEN, Disk, File
from aiops_gym.shell.drive import Drive
from aiops_gym.shell.genuine import hide_interpreter
from aiops_gym.shell.host import ENVIRONMENT, HOME, INSTALLED, KERNEL_FOLDERS, NAME, OWNER, read_files
from aiops_gym.shell.running import Callback, Called, Invocation, Run
from aiops_gym.shell.words import split_words
from aiops_gym.shell.worker import MAX_COMMANDS, MAX_LOOPS
from aiops_gym.types import Output

T = TypeVar("T")

MAX_OUTPUT = 4_000_000
WALL_SECONDS = 20.0
"""The last resort against what is counted but long, as thousands of sorts of a file of megabytes: reported as such.

Long enough that no machine is so busy that a script which ends by itself meets it. What no counter ends runs apart.
"""

EARLIER = 1_500_000_000
"""Seconds by which files are dated back where nothing shows their times. What a running script writes, which the
interpreter dates by the wall clock, is then newer than what was there, whenever that is."""

INPUT = "__input"
"""The command that prints what a pipeline is to read."""

SLOW = "execution timeout"
BUSY = "processor time"

LEAST = 0.05
"""Seconds of processor time that every call that runs apart has, however much was used before it."""

UNATTENDED = 1.5
"""Seconds of processor time that count as used already for what nobody waits for."""

MOST_ENGINES = 8

STACKS = (1 << 30, 1 << 28, 1 << 26)
"""Bytes of a deep stack, whatever the machine grants. Only what is used of it takes memory.

The interpreter counts how deep functions nest, but not `eval` in `eval`, programs that start themselves or the brackets
of an expression: on a stack of the usual 8 MB they would end the whole process.
"""


class Engine:
    """An interpreter that calls back for a fixed set of command names."""

    def __init__(self, names: frozenset[str], more: float = 0.0) -> None:
        self.seconds = WALL_SECONDS + more
        self.lock = threading.Lock()
        self._run: Run | None = None
        self._input, self._folder, self._spilt = "", HOME, False
        self._bash = Bash(
            profile=ExecutionProfile.Interactive,
            max_commands=MAX_COMMANDS,
            max_loop_iterations=MAX_LOOPS,
            timeout_seconds=self.seconds,
            username="root",
            hostname=NAME,
            cwd=HOME,
            env={**ENVIRONMENT, **OWNER},
            files=dict(read_files("kernel")),  # any: only with files of its own is all of the file system writable
            custom_builtins=dict.fromkeys((*sorted(names), INPUT), _caller(self)),
        )
        self._bash.execute_sync(f"declare +x {' '.join(OWNER)}")
        _hide_commands(self._bash.fs())
        self._bash.execute_sync(f"touch -d @{int(INSTALLED)} {' '.join(KERNEL_FOLDERS)}")
        self.disk = Disk(self._bash.fs(), self._bash.execute_sync, EARLIER)

    def call(self, script: str, callback: Callback) -> Called:
        """Run calls of the interpreter's own commands. An exception of a callback comes out of here."""
        run = self._run = Run(callback)
        began = time.monotonic()
        try:
            result = self._bash.execute_sync(script)
        finally:
            self._run = None
            self._bash.clear_cancel()
        if run.failure is not None:
            raise run.failure
        error = result.error or ""
        if _depth.late:
            error = BUSY
        elif time.monotonic() - began >= self.seconds * 0.98:
            error = SLOW  # some commands have a limit of their own and only fail
        return Called(hide_interpreter(result.stdout), hide_interpreter(result.stderr), result.exit_code, error)

    def go_to(self, folder: str) -> None:
        """Stand in a folder."""
        if folder != self._folder:
            self._bash.execute_sync(f"cd {quote(folder)}")
            self._folder = folder

    def lend_input(self, text: str) -> str:
        """Have a text be read, and no other any more; what gives it to the first command of a pipeline."""
        self._input = text
        if self._spilt:
            self.disk.drive.write_file(STDIN, b"")
            self._spilt = False
        if not text or text.isascii():
            return f"{INPUT} | " if text else ""
        with suppress(UnicodeEncodeError):
            text.encode()
            return f"{INPUT} | "
        self.disk.drive.write_file(STDIN, text.encode(errors="surrogateescape"))
        self._input, self._spilt = "", True
        return f"cat {STDIN} | "

    def cancel(self) -> None:
        """End the running script now; what the present command would print is lost."""
        self._bash.cancel()

    def _call(self, context: BuiltinContext) -> BuiltinResult:
        run = self._run
        if run is None or run.failure is not None:
            return BuiltinResult("", "", 1)
        if context.name == INPUT:
            return BuiltinResult(self._input, "", 0)
        output = Output()
        with run:
            output = run.call(Invocation(context))
        if run.failure is not None:
            self._bash.cancel()
        return BuiltinResult(output.stdout, output.stderr, output.code)


UNKNOWN = split_words("assert csv dotenv glob http json log parallel retry semver template verify")
"""Commands that bashkit has and no Debian; some would change the interpreter itself."""


@cache
def read_system() -> Mapping[str, File]:
    """The files in folders whose content the interpreter makes up: path -> file."""
    engine = Engine(frozenset())
    found = dict[str, File]()
    folders = sorted(UNSEEN)
    for folder in folders:
        found[folder] = File("directory", 0o755, b"", INSTALLED)
        for entry in engine.disk.drive.read_dir(folder):
            path, about = f"{folder}/{entry['name']}", entry["metadata"]
            if entry["name"] in UNKNOWN and folder.endswith("bin"):
                continue
            if about["file_type"] == "directory":
                folders.append(path)
                continue
            with suppress(RuntimeError):  # a device, or what only a process has
                data = b"" if folder.startswith("/dev") else engine.disk.drive.read_file(path)
                found[path] = File("file", int(about["mode"]), data, INSTALLED)
    return found


def _hide_commands(drive: Drive) -> None:
    """Write the files of the interpreter's own commands anew, which name it."""
    for folder in ("/bin", "/usr/bin"):
        for entry in drive.read_dir(folder):
            path = f"{folder}/{entry['name']}"
            drive.write_file(path, hide_interpreter(drive.read_file(path).decode()).encode())
            drive.chmod(path, 0o755)


def _caller(engine: Engine) -> Callable[[BuiltinContext], BuiltinResult]:
    """What the interpreter calls. It does not hold the engine: one that is let go of gives its handles back at once."""
    weak = ref(engine)

    def call(context: BuiltinContext) -> BuiltinResult:
        found = weak()
        return BuiltinResult("", "", 1) if found is None else found._call(context)

    return call


class _Depth(threading.local):
    """How many scripts run inside each other, and what the outermost has used up.

    Attributes:
        ends: when its real time is up.
        cpu: seconds of processor time that calls took which ran apart.
        late: they took all that they had.
        alone: nobody waits for them, see `by_itself`.
        shared: all of them share one time, see `share_time`.
        more: real seconds beside the usual ones that scripts have, see `wait_for_real`.
    """

    value: int = 0
    ends: float = 0.0
    cpu: float = 0.0
    late: bool = False
    alone: bool = False
    shared: bool = False
    more: float = 0.0


_depth = _Depth()
_engines: OrderedDict[tuple[frozenset[str], int], Engine] = OrderedDict()
_engines_lock = threading.Lock()
_stack_lock = threading.Lock()


@contextmanager
def borrow_engine(names: frozenset[str]) -> Iterator[Engine]:
    """Borrow an engine that calls back for these names.

    A script started by a command of another script needs an engine and a thread of its own; see `run_nested`.
    """
    key = (names, _depth.value)
    if _depth.value == 0 and not _depth.alone and not _depth.shared:
        _begin()
    with _engines_lock:
        found = _engines.get(key)
        if found is None or found.disk.lost:
            found = _engines[key] = Engine(names)
            while len(_engines) > MOST_ENGINES:
                _engines.popitem(last=False)
        _engines.move_to_end(key)
    if _depth.more:
        found = Engine(names, _depth.more)
    _depth.value += 1
    try:
        with found.lock:
            yield found
    finally:
        _depth.value -= 1


def _begin() -> None:
    _depth.ends = time.monotonic() + WALL_SECONDS + _depth.more
    _depth.cpu, _depth.late = 0.0, False


@contextmanager
def share_time() -> Iterator[None]:
    """Let all that is called inside have one time together, as the commands of a script."""
    if _depth.value or _depth.alone or _depth.shared:
        yield
        return
    _begin()
    _depth.shared = True
    try:
        yield
    finally:
        _depth.shared = False


@contextmanager
def by_itself() -> Iterator[None]:
    """Run what nobody who waits has asked for, as a cluster does whose clock moves: on a time of its own.

    How late the script is in which the clock moves makes no difference to it, nor the other way round.
    """
    before = _depth.ends, _depth.cpu, _depth.late, _depth.alone
    _depth.ends, _depth.cpu, _depth.late, _depth.alone = time.monotonic() + WALL_SECONDS, UNATTENDED, False, True
    try:
        yield
    finally:
        _depth.ends, _depth.cpu, _depth.late, _depth.alone = before


@contextmanager
def wait_for_real(seconds: float) -> Iterator[None]:
    """Allow scripts so many real seconds more, in which they wait for a cluster that is on no clock of ours."""
    before, _depth.more = _depth.more, seconds
    try:
        yield
    finally:
        _depth.more = before


def is_overdue() -> bool:
    """Whether the time of the script on this thread is up: the real one, or that of the processor."""
    within = _depth.value > 0 or _depth.shared
    return within and (_depth.late or time.monotonic() > _depth.ends)


def tell_lateness() -> str:
    """Why the time is up, in the word that `Ended.error` has for it; "" where it is not."""
    if not is_overdue():
        return ""
    return BUSY if _depth.late else SLOW


def measure_left(seconds: float) -> float:
    """What is left of so many seconds of processor time to the next call that runs apart."""
    return max(LEAST, seconds - _depth.cpu)


def charge(seconds: float, late: bool) -> bool:
    """Count what a call took that ran apart; whether the script has to end for it."""
    _depth.cpu += max(0.0, seconds)
    _depth.late = _depth.late or late
    return _depth.late


def run_nested(work: Callable[[], T], deep: bool = False) -> T:
    """Do work that borrows an engine: on a thread of its own when a script is running on this one, or to have a stack.

    The interpreter cannot be entered again from a callback, not even another instance of it, on the same thread.
    """
    outer = _depth.value
    ends, cpu, late, alone, more = _depth.ends, _depth.cpu, _depth.late, _depth.alone, _depth.more
    shared = _depth.shared
    spent: list[tuple[float, bool]] = []
    if outer == 0 and not deep:
        return work()
    done: list[T] = []
    failed: list[BaseException] = []

    def target() -> None:
        _depth.value, _depth.ends, _depth.cpu, _depth.late, _depth.alone = outer, ends, cpu, late, alone
        _depth.more, _depth.shared = more, shared
        with _Collected(failed):
            done.append(work())
        spent.append((_depth.cpu, _depth.late))

    _started(target, deep).join()
    _depth.cpu, _depth.late = spent[0]
    if failed:
        raise failed[0]
    return done[0]


def _started(target: Callable[[], None], deep: bool) -> threading.Thread:
    """A running thread, with as deep a stack as the machine grants."""
    with _stack_lock:
        usual = threading.stack_size()
        for size in (*STACKS, 0) if deep else (usual,):
            thread = threading.Thread(target=target, name="aiops-gym-shell", daemon=True)
            threading.stack_size(size)
            try:
                thread.start()
            except RuntimeError:
                if size == 0:
                    raise
                continue
            finally:
                threading.stack_size(usual)
            return thread
    raise AssertionError("a thread was started or refused")


class _Collected:
    """Keeps an exception for the thread that waits for this one."""

    def __init__(self, failed: list[BaseException]) -> None:
        self._failed = failed

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> bool:
        if value is not None:
            self._failed.append(value)
        return True
