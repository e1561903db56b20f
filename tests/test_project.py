"""What the project says of itself in several places agrees, and the wheel takes along what the package reads."""

from __future__ import annotations

import tomllib
from fnmatch import fnmatch
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[1]
TOML = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = TOML["project"]


def test_the_citation_is_of_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(cited["version"]) == PROJECT["version"]
    assert cited["license"] == PROJECT["license"]
    assert [each["name"] for each in cited["authors"]] == [each["name"] for each in PROJECT["authors"]]


def test_every_file_that_is_no_source_is_package_data():
    patterns = TOML["tool"]["setuptools"]["package-data"]["aiops_gym"]
    house = ROOT / "aiops_gym"
    files = [path for path in house.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    left = [str(path.relative_to(house)) for path in files if path.suffix != ".py" and path.name != "README.md"]
    assert left
    assert [name for name in left if not any(fnmatch(name, each.replace("**/", "*")) for each in patterns)] == []


def test_the_small_extras_need_nothing_of_the_large_ones():
    """What `make test` installs, by the names in the extras."""
    large = ("torch", "transformers", "ray", "stable-baselines3", "matplotlib", "mkdocs", "moviepy")
    extras = PROJECT["optional-dependencies"]
    asked, seen = ["test"], set()
    while asked:
        name = asked.pop()
        seen.add(name)
        for line in extras[name]:
            assert not line.startswith(large), line
            if line.startswith("aiops_gym["):
                asked += [each for each in line.removeprefix("aiops_gym[").rstrip("]").split(",") if each not in seen]
    assert seen == {"test", "serve", "render", "kubernetes"}


def test_the_hooks_of_a_commit_run_what_lint_runs():
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"][0]["hooks"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = makefile.partition("\nlint:")[2].partition("\n\n")[0]
    lines = [line.strip().replace("$(BIN)", ".venv/bin").removesuffix(" .") for line in recipe.splitlines()[1:]]
    assert [hook["entry"].removesuffix(" --force-exclude") for hook in hooks] == lines
