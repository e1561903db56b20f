"""What the page on telemetry shows can be typed."""

from __future__ import annotations

import json
from pathlib import Path

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "telemetry.md"


def test_each_line_of_curl_has_an_answer() -> None:
    lines = [
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("curl ") and "32000" in line
    ]
    backend = Simulated(registry.find_problem("container_kill-detection"), 1, noise=False)
    answers = [json.loads(str(backend.shell.run(line, 60.0).output)) for line in lines]
    assert len(answers) > 4
    assert all(answer["status"] == "success" and answer["data"] for answer in answers)
