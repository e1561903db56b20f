"""The tutorial page is what a profiler sees: the stations of one step, in order, with their lines and values."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOW = "import sys; sys.path.insert(0, 'docs/making'); import tracing; sys.stdout.write(tracing.page())"


def test_the_way_of_a_command_is_the_one_that_the_page_tells():
    # In a process of its own: what other tests have looked at is remembered, and its stations are not passed again.
    done = subprocess.run([sys.executable, "-c", SHOW], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    written = (ROOT / "docs" / "tutorials" / "get-pods.md").read_text(encoding="utf-8")
    assert written == done.stdout, "write it with: python docs/making/tracing.py"
