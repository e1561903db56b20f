"""Small evaluations of odd agents, in this process and in others that may be killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from aiops_gym.runs import evaluate

ODD = Path(__file__).parent / "runs"
"""Where `odd_agents` lies."""

PROBLEM = "container_kill-detection"

EPISODES = 12


def play(out, agent="noop", **more):
    """Without golden signals, which take three quarters of the time of so short episodes."""
    return evaluate(agent, out=out, **{"problems": [PROBLEM], "seeds": 3, "workers": 1, "signals": False, **more})


def total(summary):
    (row,) = summary.find("all")
    return row


def started(out, agent="slow", *more):
    """The command line with an odd agent, in a process group of its own."""
    # An interrupt is heard: shells start what runs in their background with a deaf ear for it.
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code = "from aiops_gym.cli import main\nif __name__ == '__main__':\n" + f"    {heard}    main()\n"
    script = out.parent / "evaluate.py"
    script.write_text(code)
    arguments = ["--agent", f"odd_agents:{agent}", "--problem", PROBLEM, "--seeds", f"{EPISODES}", "--workers", "2"]
    return subprocess.Popen(
        [sys.executable, str(script), "evaluate", *arguments, *more, "--out", str(out)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*filter(None, sys.path), str(ODD)])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def lasting(path):
    """The bytes of a file, but for the real seconds of an episode: they differ where the same is played twice."""
    return re.sub(rb'"wall_clock": \{[^}]*\}', b'"wall_clock": {}', path.read_bytes())


def until(reached, otherwise):
    """Wait for it; a machine that is busy may take its time."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        if reached():
            return
        time.sleep(0.05)
    pytest.fail(f"{otherwise} after 10 minutes")


def until_some_are_kept(process, out):
    def reached():
        assert process.poll() is None, process.communicate()
        return len(list((out / "episodes").glob("[!.]*"))) >= 3

    until(reached, "nothing is kept")


def alive(group):
    """Processes of a group that still run; who is dead and not buried does not count."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may end while one looks
            found.append(path.read_text().rpartition(")")[2].split())
    return [state for state in found if int(state[2]) == group and state[0] != "Z"]
