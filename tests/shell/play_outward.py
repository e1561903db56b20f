"""Plays the scripts of `outward.txt` and prints what each printed, as JSON: run by `test_outward.py`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from aiops_gym.shell.sandbox import Sandbox
from conftest import Clockwork, kubectl

SCRIPTS = Path(__file__).with_name("outward.txt").read_text(encoding="utf-8").splitlines()[1:]

if __name__ == "__main__":
    print(
        json.dumps([[script, Sandbox(Clockwork(), 7, {"kubectl": kubectl}).run(script).output] for script in SCRIPTS])
    )
