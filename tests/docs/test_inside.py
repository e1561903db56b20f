"""What is written for those who carry the house on: rooms, words and decisions agree with what is there."""

from __future__ import annotations

import configparser
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "aiops_gym"
ROOMS = sorted(
    path
    for folder in (PACKAGE, PACKAGE / "sim")
    for path in folder.iterdir()
    if path.is_dir() and path.name != "__pycache__"
)
CODE = re.compile(r"`([^`\n]+)`")


def layers(contract):
    """The rooms of a contract in `setup.cfg`, from the top."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg")
    lines = config[f"importlinter:contract:{contract}"]["layers"].split("\n")
    return [re.split(r"\s*[|:]\s*", line.strip().replace("aiops_gym.", "")) for line in lines if line.strip()]


def below(room):
    """The names of the rooms that one may import."""
    inner = layers("world")
    if room.parent.name == "sim":
        at = next(number for number, layer in enumerate(inner) if room.name in layer)
        return [f"sim/{name}" for layer in inner[at + 1 :] for name in layer] + layers("rooms")[-1]
    at = next(number for number, layer in enumerate(layers("rooms")) if room.name in layer)
    return [name for layer in layers("rooms")[at + 1 :] for name in layer]


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.relative_to(PACKAGE).as_posix())
def test_a_room_says_what_it_may_import_and_names_files_that_are_there(room):
    text = (room / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 40
    said = " ".join(re.search(r"^May import: (.*?)\n\n", text, re.DOTALL | re.MULTILINE)[1].split())
    told, _, _ = said.partition(".")
    assert told.split(", ") == below(room)
    files = [name for name in CODE.findall(text) if name.endswith(".py") and "NAME" not in name and name.islower()]
    assert files
    assert not [name for name in files if not any((at / name).exists() for at in (room, PACKAGE, ROOT))]
    for name in re.search(r"^Tests: (.*)\.$", text, re.MULTILINE)[1].split(", "):
        assert (ROOT / name).exists()


def test_the_files_of_the_glossary_are_there_and_its_words_are_in_order():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| **")]
    words = [re.search(r"\*\*(.+?)\*\*", row)[1] for row in rows]
    assert words == sorted(words)
    places = [place for row in rows for place in CODE.findall(row.rsplit("|", 2)[1])]
    assert not [place for place in places if not ((PACKAGE / place).exists() or (ROOT / place).exists())]


def test_decisions_are_numbered_listed_and_have_their_four_parts():
    folder = ROOT / "docs" / "decisions"
    listed = (folder / "index.md").read_text(encoding="utf-8")
    pages = sorted(folder.glob("[0-9]*.md"))
    for number, page in enumerate(pages, 1):
        text = page.read_text(encoding="utf-8")
        title = text.splitlines()[0].removeprefix(f"# {number}. ")
        assert page.name.startswith(f"{number:04d}-")
        assert f"| [{number}]({page.name}) | {title} |" in listed
        assert all(f"**{part}.**" in text for part in ("Context", "Decision", "Consequences"))
        files = [name for name in CODE.findall(text) if re.fullmatch(r"[a-z_/]+\.py", name) and "/" in name]
        places = (ROOT, PACKAGE)
        assert not [name for name in files if not any((at / name).exists() for at in places)], page.name


def test_the_plan_of_the_house_names_every_room():
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    assert not [room.name for room in ROOMS if f"`{room.name}`" not in text]
