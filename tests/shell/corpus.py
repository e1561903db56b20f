"""Runs every script of `conformance/corpus.txt` and prints what came of it, a line each: see `test_same_bytes.py`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from aiops_gym.shell.plain import Timer
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.types import Output

SCRIPTS = (Path(__file__).parent / "conformance" / "corpus.txt").read_text().splitlines()
BEFORE = r"""echo a > /tmp/a; sleep 3; mkdir -p /tmp/d/e; echo b > /tmp/d/b; ln -s /tmp/a /tmp/l
printf 'echo $SECONDS $EPOCHSECONDS $SRANDOM $RANDOM\nhead -c 6 /dev/urandom | xxd -p\njq -n now\n' > /tmp/s.sh
printf 'awk "BEGIN{srand(); print rand(), systime()}"\nf(){ date; echo $SECONDS; }; f\nsort -R /etc/hosts' >> /tmp/s.sh
chmod +x /tmp/s.sh; printf 'f(){ echo $SECONDS; jq -n "now|todate"; }\n' > /tmp/lib.sh"""


def _kubectl(context, argv):
    return Output(f"{' '.join(argv)}\n")


def main() -> None:
    """Twenty-five scripts to a shell, other shells in between."""
    for number, script in enumerate(SCRIPTS):
        if number % 25 == 0:
            shell = Sandbox(Timer(), number, {"kubectl": _kubectl})
        shell.run(BEFORE)
        run = shell.run(script)
        state = hashlib.sha256(shell.snapshot()).hexdigest()
        print(json.dumps([script, run.output, run.stdout, run.code, run.limit, shell.cluster.now(), state]))
        if number % 10 == 0:
            Sandbox(Timer(), 99, {"kubectl": _kubectl}).run("echo q $RANDOM $! > /tmp/zz; history; touch /tmp/zz")


if __name__ == "__main__":
    main()
