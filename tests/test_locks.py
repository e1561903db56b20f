"""Locks between threads and processes, and what imports on systems that have no POSIX."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

import aiops_gym
from aiops_gym import locks

HOLD = """
import sys
from aiops_gym import locks
with locks.take(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_what_is_held_is_refused_to_who_does_not_wait_and_given_to_who_does(tmp_path):
    path, got = tmp_path / "lock", []

    def waiting():
        with locks.take(path):
            got.append("second")

    with locks.take(path):
        thread = threading.Thread(target=waiting)
        thread.start()
        with pytest.raises(BlockingIOError, match="lock is held"):
            locks.take(path, wait=False)
        got.append("first")
    thread.join(60)
    assert got == ["first", "second"]
    with locks.take(path, wait=False):
        pass


def test_a_lock_ends_with_its_process_however_that_ends(tmp_path):
    path = tmp_path / "lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLD, path], stdin=-1, stdout=-1, text=True)
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(BlockingIOError):
            locks.take(path, wait=False)
        holder.kill()
    with locks.take(path, wait=False):
        pass


def test_what_is_left_by_an_exception_is_free(tmp_path):
    with pytest.raises(KeyError), locks.take(tmp_path / "lock"):
        raise KeyError
    with locks.take(tmp_path / "lock", wait=False):
        pass


def test_a_lock_that_cannot_be_made_is_an_error_of_the_system(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        locks.take(tmp_path / "file" / "lock")


ELSEWHERE = """
import concurrent.futures.thread, importlib, os, signal, subprocess, sys, gymnasium  # theirs is their own business
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for name in ("fork", "register_at_fork", "getuid", "geteuid", "killpg", "pread", "pwrite", "O_CLOEXEC"):
    delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "pthread_sigmask", "setitimer"):
    delattr(signal, name)
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*(name for name in ("pandas", "pyarrow", "filelock") if name in sys.modules))
"""
"""A system without POSIX, as far as Python shows it."""


def test_recorded_telemetry_and_runs_import_without_posix_and_without_anything_heavy():
    house = Path(aiops_gym.__file__).parent
    rooms = ("openrca/*.py", "openrca/summaries/*.py", "openrca/store/[lop]*.py", "tools/recorded/*.py", "locks.py")
    files = [
        path for room in rooms for path in house.glob(room) if path.name not in ("frame.py", "oddfile.py")
    ]  # pandas
    files += [
        house / "openrca" / "store" / "shelf.py",
        house / "envs" / "recorded.py",
        house / "runs" / "folder.py",
        house / "agents" / "rules" / "player.py",
    ]
    names = sorted(".".join(path.relative_to(house.parent).with_suffix("").parts) for path in files)
    assert len(names) > 40
    done = subprocess.run([sys.executable, "-c", ELSEWHERE, *names], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")
