"""The pictures of README and of the site: an episode that plays itself, a page, a frame."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from xml.etree import ElementTree

import gymnasium as gym
import pytest

from aiops_gym.agents.base import Fixed, make
from aiops_gym.openrca.domains import find, list_domains
from aiops_gym.runs import run_episode

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
MAKING = ROOT / "docs" / "making"
SVG = "{http://www.w3.org/2000/svg}"
DOMAINS = [find(name)[0] for name in list_domains()]


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.syspath_prepend(str(MAKING))
    yield importlib.import_module("terminal")
    del sys.modules["terminal"]


@pytest.fixture(scope="module")
def episode():
    env = gym.make("aiops_gym/Mitigation-v0", problem="misconfig_app_hotel_res-mitigation-1")
    return run_episode(env, make("reference", env), seed=7)


def test_the_same_episode_is_the_same_picture_with_all_that_was_typed(terminal, episode):
    text = terminal.svg(episode)
    assert text == terminal.svg(episode)
    lines = [each.text or "" for each in ElementTree.fromstring(text).iter(f"{SVG}text")]
    for turn in episode.steps[:-1]:
        assert "$ " + turn["action"].split("'")[1] in lines
    assert "solved, reward 1.00" in lines
    assert max(len(line) for line in lines) <= terminal.COLUMNS


def test_something_is_seen_at_every_moment_and_at_the_end_where_nothing_moves(terminal, episode):
    groups = [g for g in ElementTree.fromstring(terminal.svg(episode)) if g.tag == f"{SVG}g"]
    times = []
    for group in groups:
        moving = group.find(f"{SVG}animate")
        assert moving is not None
        moments = [float(each) for each in (moving.get("keyTimes") or "").split(";")]
        values = (moving.get("values") or "").split(";")
        assert (len(moments), moments[0], moments) == (len(values), 0.0, sorted(moments))
        begin = moments[values.index("1")]
        later = [moment for moment, value in zip(moments, values, strict=True) if moment > begin and value == "0"]
        times.append((begin, later[0] if later else 1.0, group.get("opacity")))
    for at in range(100):
        assert sum(begin <= at / 100 < end for begin, end, _ in times) >= 2  # a footer, and a command or its output
    assert {end == 1.0 for _, end, shown in times if shown == "1"} == {True}


def test_what_an_agent_or_a_tool_wrote_is_text_and_nothing_else(terminal):
    env = gym.make("aiops_gym/Detection-v0")
    hostile = "```\nexec_shell(\"echo '</text><script>1</script>&\\x07'\")\n```"
    text = terminal.svg(run_episode(env, Fixed([hostile, '```\nsubmit("Yes")\n```']), seed=1))
    names = {each.tag.removeprefix(SVG) for each in ElementTree.fromstring(text).iter()}
    assert names <= {"svg", "title", "rect", "path", "circle", "g", "text", "animate", "clipPath"}
    assert "href" not in text


def test_the_pictures_are_there_small_and_shown():
    sizes = {path.name: path.stat().st_size for path in PICTURES.iterdir()}
    telemetry = {f"telemetry_{domain.name}.svg" for domain in DOMAINS}
    assert sizes.keys() == {"episode.svg", "frame.png", "metastable.svg", "viewer.png", *telemetry}
    assert max(sizes.values()) < 1_500_000
    pages = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md"))
    assert set(re.findall(r"\]\(pictures/([\w.]+)\)", pages)) == sizes.keys()


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.name)
def test_a_page_tells_all_of_a_recorded_system_and_shows_curves_in_which_something_happens(domain):
    page = (ROOT / "docs" / f"telemetry-{domain.name}.md").read_text(encoding="utf-8")
    for table in domain.tables:
        part = page.partition(f"\n## {table.path}\n")[2].partition("\n## ")[0]
        assert [name for name in table.names if f"| `{name}` |" not in part] == []
        assert ("KPIs by the beginning" in part) == (table.modality == "metric" and bool(table.kpi))
        assert (f"\n## What {table.path} says\n" in page) == (table.modality == "log")
    assert [name for name in domain.components if f"`{name}`" not in page] == []
    assert [reason for reason in domain.reasons if reason not in page] == []
    picture = ElementTree.fromstring((PICTURES / f"telemetry_{domain.name}.svg").read_text(encoding="utf-8"))
    for line in picture.iter(f"{SVG}polyline"):
        heights = [float(point.split(",")[1]) for point in (line.get("points") or "").split()]
        assert len(heights) > 20
        assert max(heights) - min(heights) > 50


def test_they_are_drawn_by_one_command():
    assert "docs/making/pictures.py" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert (MAKING / "pictures.py").exists()
