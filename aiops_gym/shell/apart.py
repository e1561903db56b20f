"""One command of the interpreter in a process of its own, for work that nothing inside a process could end.

Run as a program, this file is that process: it imports the interpreter and nothing of ours, opens no file and no
socket, takes one request from its standard input and ends. The parent keeps the clock.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from shlex import join as quoted
from shlex import quote
from typing import Any

MEMORY = 1_500_000_000
"""Bytes of address space: the stack, the interpreter and about 800 MB of values."""

STACK = 1 << 29
STDIN = "/var/tmp/.input"


def run_apart(
    argv: Sequence[str],
    stdin: str,
    files: Mapping[str, str],
    cwd: str,
    env: Mapping[str, str],
    seconds: float,
) -> tuple[str, str, int] | None:
    """Run a command of the interpreter over some files: stdout, stderr, exit code; None when `seconds` were not enough.

    A process that wants more memory than there is ends as the kernel would end it: 137.
    """
    request: dict[str, Any] = {"argv": list(argv), "stdin": stdin, "seconds": seconds}
    request |= {"files": dict(files), "cwd": cwd, "env": dict(env)}
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-S", str(Path(__file__))],
            input=json.dumps(request).encode(),
            capture_output=True,
            timeout=seconds + 0.5,
            env={"PYTHONPATH": _interpreter_folder()},
            cwd="/",
            check=False,
        )
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0 or not done.stdout:
        return "", "Killed\n", 137
    answer = json.loads(done.stdout)
    if answer is None:
        return None
    return str(answer[0]), str(answer[1]), int(answer[2])


def _interpreter_folder() -> str:
    found = find_spec("bashkit")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent.parent)


def _serve(request: Mapping[str, Any]) -> list[Any] | None:
    from bashkit import Bash, ExecutionProfile  # noqa: PLC0415 - the parent has no use for it

    shell = Bash(
        profile=ExecutionProfile.Interactive,
        timeout_seconds=float(request["seconds"]),
        username="root",
        cwd="/",
        env={str(k): str(v) for k, v in request["env"].items()},
        files={**request["files"], STDIN: request["stdin"]},
    )
    script = f"mkdir -p {quote(request['cwd'])}; cd {quote(request['cwd'])}; {quoted(request['argv'])} < {STDIN}"
    result = shell.execute_sync(script)
    late = "execution timeout" in (result.error or "") or "execution timed out" in result.stderr
    return None if late else [result.stdout, result.stderr, result.exit_code]


def _main() -> None:
    import resource  # the parent has no use for it, and not every system has it

    request = json.loads(sys.stdin.buffer.read())
    seconds = int(request["seconds"]) + 2
    limits = {resource.RLIMIT_AS: MEMORY, resource.RLIMIT_CPU: seconds, resource.RLIMIT_CORE: 0}
    for limit, most in limits.items():
        with suppress(ValueError, OSError):  # some systems do not grant every limit; the parent's clock always holds
            resource.setrlimit(limit, (most, most))
    answers: list[Any] = []
    threading.stack_size(STACK)
    thread = threading.Thread(target=lambda: answers.append(_serve(request)))
    thread.start()
    thread.join()
    with suppress(BrokenPipeError):
        sys.stdout.write(json.dumps(answers[0]) if answers else "")


if __name__ == "__main__":
    _main()
