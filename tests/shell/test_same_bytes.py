"""The same scripts give the same bytes in any process, and next to any number of other shells."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent / "corpus.py"


@pytest.mark.slow
def test_a_corpus_of_scripts_prints_the_same_in_two_processes():
    """`PYTHONHASHSEED`, the wall clock, process numbers and the interpreter's own hash seeds all differ."""
    command = [sys.executable, str(CORPUS)]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONHASHSEED": seed})
        for seed in ("0", "1")
    ]
    one, two = (process.communicate(timeout=600)[0].splitlines() for process in processes)
    assert len(one) >= 100
    assert [a for a, b in zip(one, two, strict=True) if a != b] == []


STEPS = (
    "echo $RANDOM > /tmp/n; cat /tmp/n; ls -l /tmp",
    "kubectl get pods | tee -a /tmp/log; wc -l < /tmp/log",
    "mktemp; shuf -e a b c; sleep 1; date +%s",
    "sleep 2 & echo $!; find / -newer /etc/hosts -type f -printf '%p %T@\\n'",
    "mkdir -p d/$RANDOM; ls d; du -a /root; timeout 3 sh -c 'echo $RANDOM; sleep 5'",
    "for i in 1 2 3; do echo $i $SECONDS; sleep 1; done | tail -2; jq -n now",
)


@pytest.mark.full
def test_many_shells_acting_in_any_order_do_what_each_does_alone(new_shell):
    seeds = range(24)
    alone = {seed: [shell.run(step) for shell in [new_shell(seed)] for step in STEPS] for seed in seeds}
    shells, together = {seed: new_shell(seed) for seed in seeds}, {seed: [] for seed in seeds}
    turns = [seed for seed in seeds for _ in STEPS]
    random.Random(3).shuffle(turns)
    handles = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0
    for seed in turns:
        together[seed].append(shells[seed].run(STEPS[len(together[seed])]))
    assert together == alone
    if handles:
        assert len(os.listdir("/proc/self/fd")) < handles + 100
