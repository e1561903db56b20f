"""Every stack of wrappers that a page, an example or a docstring shows is one of those that are tested."""

from __future__ import annotations

import re
from pathlib import Path

from wrapper_stacks import NUMBERS, RECORDED, TEXT

import aiops_gym
from aiops_gym import wrappers

ROOT = Path(aiops_gym.__file__).parents[1]
PLACES = ("README*.md", "docs/**/*.md", "examples/*.py", "aiops_gym/wrappers/*.py", "aiops_gym/learning/*.py")
NAMES = [name for name in wrappers.__all__ if name[0].isupper()]
NESTED = re.compile(rf"(?:(?<!class )\b(?:{'|'.join(NAMES)})\(\s*)+")


def named(text):
    """The stacks in a text, as the tables name them."""
    return {" ".join(re.findall(r"\w+", each)) for each in NESTED.findall(text)}


def test_every_stack_that_is_shown_is_tested():
    shown = set()
    for place in PLACES:
        for path in ROOT.glob(place):
            shown |= named(path.read_text(encoding="utf-8"))
    assert "History HashedText MacroActions" in shown
    assert shown <= {*TEXT, *NUMBERS, *RECORDED}
