"""Commands that need no server, against what kubectl 1.32 printed for them (`offline.json`)."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

import pytest
from sides import EMULATED, kubectl

GOLDEN = json.loads(Path(__file__).with_name("offline.json").read_text())


@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["command"])
def test_it_prints_what_kubectl_printed(desk, case):
    desk.files.update(GOLDEN["files"])
    output = desk.bare(case["command"])
    assert (output.stdout, output.stderr, output.code) == (case["stdout"], case["stderr"], case["code"])


@pytest.mark.slow
@pytest.mark.skipif((kubectl() or (0, 0))[1] != EMULATED, reason="no kubectl of 1.32 here")
@pytest.mark.parametrize("case", GOLDEN["cases"], ids=lambda case: case["command"])
def test_kubectl_still_prints_it(tmp_path, case):
    for name, text in GOLDEN["files"].items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        [kubectl().path, *shlex.split(case["command"])],
        cwd=tmp_path,
        env={"HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (done.stdout, done.stderr, done.returncode) == (case["stdout"], case["stderr"], case["code"])
