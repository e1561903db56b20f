"""The one place that knows the interpreter: bash in process, without host files, processes or network.

An engine is dear to make and holds file descriptors, so a process has few of them, shared by all its shells: who runs
a script on an engine first loads its files into it, and only when another shell used it since.
"""

from __future__ import annotations

import re
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from types import TracebackType
from typing import TypeVar
from weakref import ref

from bashkit import Bash, BuiltinContext, BuiltinResult, ExecutionProfile

from aiops_gym.shell.disk import STDIN, UNSEEN, Disk, File
from aiops_gym.shell.drive import Drive
from aiops_gym.shell.genuine import hide_interpreter
from aiops_gym.shell.host import ENVIRONMENT, HOME, INSTALLED, KERNEL_FOLDERS, NAME, OWNER, read_files
from aiops_gym.shell.running import Callback, Ended, Invocation, Run
from aiops_gym.shell.worker import MAX_COMMANDS, MAX_LOOPS
from aiops_gym.types import Output, Printed

__all__ = [
    "Ended",
    "Engine",
    "Invocation",
    "borrow_engine",
    "by_itself",
    "charge",
    "count_depth",
    "is_overdue",
    "measure_left",
    "remaining",
    "run_nested",
]

T = TypeVar("T")

MAX_OUTPUT = 4_000_000
CAPTURED = 10 << 20
"""Bytes of one command's output that the interpreter keeps."""

WALL_SECONDS = 20.0
"""The last resort against what is counted but long, as thousands of sorts of a file of megabytes: reported as such.

Long enough that no machine is so busy that a script which ends by itself meets it. What no counter ends runs apart.
"""

EARLIER = 1_500_000_000
"""Seconds by which files are dated back where nothing shows their times. What a running script writes, which the
interpreter dates by the wall clock, is then newer than what was there, whenever that is."""

SLOW = "execution timeout"
BUSY = "processor time"
CUT_SHORT = "execution cancelled"

LEAST = 0.05
"""Seconds of processor time that every call that runs apart has, however much was used before it."""

SHORTEST = 0.2
"""Seconds that a script inside another one has, however late it is."""

UNATTENDED = 1.5
"""Seconds of processor time that count as used already for what nobody waits for."""

MOST_ENGINES = 8

STACKS = (1 << 30, 1 << 28, 1 << 26)
"""Bytes of a deep stack, whatever the machine grants. Only what is used of it takes memory.

The interpreter counts how deep functions nest, but not `eval` in `eval`, programs that start themselves or the brackets
of an expression: on a stack of the usual 8 MB they would end the whole process.
"""

_REAL = re.compile(r"real\t\d+m\d+\.\d+s")


class Engine:
    """An interpreter that calls back for a fixed set of command names."""

    def __init__(self, names: frozenset[str], seconds: float | None = None) -> None:
        self.seconds = WALL_SECONDS if seconds is None else seconds
        self.lock = threading.Lock()
        self._run: Run | None = None
        self._input = ""
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
            custom_builtins=dict.fromkeys(sorted(names), _caller(self)),
        )
        self._bash.execute_sync(f"declare +x {' '.join(OWNER)}")
        self._fresh = self._bash.snapshot(exclude_filesystem=True)
        _hide_commands(self._bash.fs())
        self._bash.execute_sync(f"touch -d @{int(INSTALLED)} {' '.join(KERNEL_FOLDERS)}")
        self.disk = Disk(self._bash.fs(), self._bash.execute_sync, EARLIER)

    def execute(self, script: str, call: Callback, elapsed: Callable[[], float]) -> Ended:
        """Run a script as a new shell over the loaded files. An exception of a callback comes out of here.

        The history is emptied first: what other shells ran on this engine is nobody's business.
        """
        script = f"history -c; {script}"
        run = self._run = Run(call, elapsed)
        began = time.monotonic()
        try:
            result = self._bash.execute_sync(f"( {script}\n)", self._heard)
            if result.error and result.error.startswith("parse error") and not run.chunks:
                # The script ends in a way that swallows the bracket, as an open here-document does.
                result = self._bash.execute_sync(script, self._heard)
                self._bash.restore_snapshot(self._fresh)
        finally:
            self._run = None
            self._bash.clear_cancel()
        if run.failure is not None:
            raise run.failure
        return self._ended(run, began, result.exit_code, result.error or "")

    def run_single(
        self, call: Callable[[], Output], elapsed: Callable[[], float], expired: Callable[[], bool]
    ) -> Ended:
        """Make one call, which is all that a script holds; the interpreter is not asked. See `shell.single_command`."""
        run = self._run = Run(lambda _: call(), elapsed)
        began = time.monotonic()
        try:
            output = call()
            run.printed = output if isinstance(output, Printed) else None
            self._heard(_fitting(output.stdout), _fitting(output.stderr))
        finally:
            self._run = None
            self._bash.clear_cancel()
        return self._ended(run, began, output.code, CUT_SHORT if expired() else "")

    def _ended(self, run: Run, began: float, code: int, error: str) -> Ended:
        error = "output limit exceeded" if run.flooded else error
        if _depth.late:
            error = BUSY
        elif time.monotonic() - began >= self.seconds * 0.98:
            error = SLOW  # some commands have a limit of their own and only fail
        parts = run.chunks
        return Ended(
            "".join([out for out, _, _ in parts]),
            "".join([err for _, err, _ in parts]),
            "".join([both for _, _, both in parts]),
            code,
            error,
        )

    def call(self, script: str, callback: Callback) -> Ended:
        """Run calls of the interpreter's own commands, which are printed when they have ended."""
        run = self._run = Run(callback, lambda: 0.0)
        began = time.monotonic()
        try:
            result = self._bash.execute_sync(script)
        finally:
            self._run = None
            self._bash.clear_cancel()
        if run.failure is not None:
            raise run.failure
        run.chunks.append((hide_interpreter(result.stdout), hide_interpreter(result.stderr), ""))
        return self._ended(run, began, result.exit_code, result.error or "")

    def lend_input(self, text: str) -> None:
        """Have `STDIN` hold a text; what lay there of others is gone."""
        if text or self._input:
            drive, self._input = self.disk.drive, text
            if not drive.exists("/var/tmp"):
                drive.mkdir("/var/tmp", True)
            drive.write_file(STDIN, text.encode(errors="surrogateescape"))

    def cancel(self) -> None:
        """End the running script now; what the present command would print is lost."""
        self._bash.cancel()

    def end(self) -> None:
        """End the running script once the present command has been heard."""
        if self._run is not None:
            self._run.ending = True

    def _heard(self, out: str, err: str) -> None:
        run = self._run
        if run is None:
            return
        if "real\t" in err or "real\t" in out:
            out, err = self._timed(out), self._timed(err)
        out, err = hide_interpreter(out), hide_interpreter(err)
        printed = run.printed
        ordered = printed is not None and out and err and (out, err) == (printed.stdout, printed.stderr)
        run.chunks.append((out, err, printed.together if ordered and printed else out + err))
        run.size += len(out) + len(err)
        if run.size > MAX_OUTPUT:
            run.flooded = True
        if run.ending or run.flooded:
            self._bash.cancel()

    def _timed(self, text: str) -> str:
        """The report of `time`, on the cluster's clock and not on the wall's."""
        seconds = self._run.elapsed() if self._run is not None else 0.0
        real = f"real\t{int(seconds // 60)}m{seconds % 60:.3f}s"
        text = _REAL.sub(real, text)
        return text.replace("user\tunavailable", "user\t0m0.061s").replace("sys\tunavailable", "sys\t0m0.018s")

    def _call(self, context: BuiltinContext) -> BuiltinResult:
        run = self._run
        if run is None or run.failure is not None:
            return BuiltinResult("", "", 1)
        if run.ending:
            self._bash.cancel()
            return BuiltinResult("", "", 124)
        output = Output()
        with run:
            output = run.call(Invocation(context))
        if run.failure is not None:
            self._bash.cancel()
        run.printed = output if isinstance(output, Printed) else None
        return BuiltinResult(output.stdout, output.stderr, output.code)


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


def _fitting(text: str) -> str:
    return text if len(text) < CAPTURED // 4 else text.encode()[:CAPTURED].decode(errors="ignore")


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
def borrow_engine(names: frozenset[str], new: bool = False) -> Iterator[Engine]:
    """Borrow an engine that calls back for these names; a `new` one has run nothing before.

    A script started by a command of another script needs an engine and a thread of its own; see `run_nested`.
    """
    key = (names, _depth.value)
    if _depth.value == 0 and not _depth.alone and not _depth.shared:
        _begin()
    seconds = remaining()
    with _engines_lock:
        found = _engines.get(key)
        if found is None or found.disk.lost or new:
            found = _engines[key] = Engine(names)
            while len(_engines) > MOST_ENGINES:
                _engines.popitem(last=False)
        _engines.move_to_end(key)
    if found.seconds - seconds > 0.1 * found.seconds or seconds > found.seconds:
        found = Engine(names, seconds)
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


def count_depth() -> int:
    """How many scripts are running on this thread and those that wait for it."""
    return _depth.value


def remaining() -> float:
    """Real seconds that the script on this thread, or what it starts, still has; never nothing at all."""
    return max(SHORTEST, _depth.ends - time.monotonic())


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
