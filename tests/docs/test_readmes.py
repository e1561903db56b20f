"""Both READMEs say the same: the same code, the same figures, the same links, in the same sections."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^```[^\n]*\n.*?^```$", re.DOTALL | re.MULTILINE)
COMMENT = re.compile(r"[ \t]*#.*$", re.MULTILINE)
NUMBER = re.compile(r"(\d+(?:[.,]\d+)*)(?:\s*(million|만))?")
TIMES = {"": 1, "million": 1_000_000, "만": 10_000}
LINK = re.compile(r"\]\(([^)]+)\)")
INLINE = re.compile(r"`[^`\n]+`")


@pytest.fixture(scope="module")
def english():
    return (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def korean():
    return (ROOT / "README.ko.md").read_text(encoding="utf-8")


def prose(text):
    return FENCE.sub("", text)


def figures(text):
    """The numbers, whatever they are counted in."""
    return Counter(float(number.replace(",", "")) * TIMES[unit] for number, unit in NUMBER.findall(prose(text)))


def links(text):
    """Where it links to, the other language apart; a sentence may have another order in it."""
    return Counter(link for link in LINK.findall(prose(text)) if not link.startswith("README"))


def test_the_code_is_the_same_but_for_comments(english, korean):
    blocks = [[COMMENT.sub("", block) for block in FENCE.findall(text)] for text in (english, korean)]
    assert blocks[0] == blocks[1]


def test_each_section_has_the_same_figures(english, korean):
    sections = [FENCE.sub("", text).split("\n## ") for text in (english, korean)]
    assert len(sections[0]) == len(sections[1])
    for one, other in zip(*sections, strict=True):
        assert figures(one) == figures(other), other.partition("\n")[0]


def test_names_in_code_and_links_are_the_same(english, korean):
    assert links(english) == links(korean)
    assert Counter(INLINE.findall(prose(english))) == Counter(INLINE.findall(prose(korean)))


def test_each_leads_to_the_other(english, korean):
    assert "(README.ko.md)" in english[:200]
    assert "(README.md)" in korean[:200]


def test_what_is_hard_is_what_the_page_of_agents_says(english):
    page = (ROOT / "docs" / "agents.md").read_text(encoding="utf-8")
    by_tier = page.partition("## Test")[2].partition("### By tier and task")[2].partition("###")[0]
    head, _, *rows = ([cell.strip() for cell in line.strip("|").split("|")] for line in by_tier.split("\n") if line)
    found = {row[0]: {name: cell.split()[0] for name, cell in zip(head, row, strict=True)} for row in rows}
    table = english.partition("| `oncall` / `runbook` / `restart` / network |")[2].partition("\n\n")[0]
    listed = table.splitlines()[2:]
    assert len(listed) == 4
    played = ("oncall", "runbook", "restart", "aiops_gym.learning:trained")
    for line in listed:
        task, *cells = (cell.strip() for cell in line.strip("|").split("|"))
        wanted = [found[f"{tier} {task.lower()}"] for tier in ("basic", "standard", "hard")]
        assert cells == [" / ".join(each[name] for name in played) for each in wanted]
