"""Lines of Python by room, and the ceilings that they stay below: `make size`.

Lines are not the aim, fewer ideas are. A ceiling rises only by a decision record (docs/decisions/) that says what was
deleted instead, or why nothing could be.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import quantiles

PACKAGE = Path(__file__).parent.parent / "aiops_gym"

CEILINGS: Mapping[str, tuple[Sequence[str], int]] = {
    "the package": ((".",), 172_800),  # docs/decisions/0029-one-shell.md
    "kubectl, with what helm shares": (("kubectl", "clients"), 15_600),  # docs/decisions/0019-kubectl-allowance.md
    "machine, shell and utilities": (("sim/machine", "shell"), 17_800),  # docs/decisions/0029-one-shell.md
    "recorded telemetry": (("openrca",), 12_500),
    "the query language": (("sim/promql",), 3_000),
    "the language of jq": (("sim/jq",), 4_700),
    "the backend of a real cluster": (("backends/kubernetes",), 3_000),
    "the host of Docker and its client": (("docker", "sim/docker_host"), 2_500),
    "the door of AIOpsLab": (("adapters/aiopslab",), 1_200),
}
"""What is counted together -> its folders, and how many lines it may have."""

EACH: Mapping[str, tuple[str, int]] = {
    "a file": ("**/*.py", 500),
    "a fault": ("catalog/faults/*.py", 60),
    "a framework's door": ("adapters/*.py", 150),
}
"""What is counted file by file -> its files, and how many lines each may have."""

LARGEST = 1_000_000
"""Bytes of a file under version control: what is larger got there by mistake, and stays in every clone."""

SERVICE = 250
"""Lines of an application of data, at most, for each of its services."""


def lines(path: Path) -> int:
    """Lines of a file, or of all Python files in a folder, comments and blank ones too; 0 where there is none."""
    files = (path,) if path.is_file() else path.rglob("*.py")
    return sum(len(file.read_text().splitlines()) for file in files)


def functions() -> Iterator[int]:
    """Lines of each function in the package, decorators left out."""
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield (node.end_lineno or node.lineno) - node.lineno + 1


def excess() -> Iterator[str]:
    """What is above its ceiling."""
    for name, (folders, ceiling) in CEILINGS.items():
        if (count := sum(lines(PACKAGE / folder) for folder in folders)) > ceiling:
            yield f"{name}: {count:,} lines, at most {ceiling:,}"
    for name, (pattern, ceiling) in EACH.items():
        for file in sorted(PACKAGE.glob(pattern)):
            if (count := lines(file)) > ceiling:
                yield f"{file.relative_to(PACKAGE)}: {count:,} lines, {name} has at most {ceiling:,}"
    for file in map(PACKAGE.parent.joinpath, _tracked()):
        if file.exists() and (size := file.stat().st_size) > LARGEST:
            yield f"{file.relative_to(PACKAGE.parent)}: {size:,} bytes, a file has at most {LARGEST:,}"
    for app in sorted(path.parent for path in (PACKAGE / "catalog/apps").glob("*/__init__.py")):
        services = _services(app.name)
        if (count := lines(app)) > SERVICE * services:
            yield f"catalog/apps/{app.name}: {count:,} lines for {services} services, at most {SERVICE} each"


def _tracked() -> list[str]:
    """Paths of all files under version control; none where there is no version control, as in an unpacked archive."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=PACKAGE.parent, capture_output=True, text=True, check=False)
    return listed.stdout.split("\0")[:-1]


def _services(app: str) -> int:
    from aiops_gym.catalog.registry import find_app  # noqa: PLC0415  # Only here is the package itself needed.

    found = find_app(app)
    return len(found.components or (found.project or {}).get("services", ()))


def show() -> None:
    """Print lines by room, then how long files and functions are."""
    rooms = sorted(path for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__")
    for room in rooms:
        print(f"{lines(room):8,}  {room.name}")
        if room.name == "sim":
            inner = sorted(path for path in room.iterdir() if path.is_dir() and path.name != "__pycache__")
            print("".join(f"{lines(path):14,}  {path.name}\n" for path in inner), end="")
    print(f"{lines(PACKAGE):8,}  in all")
    for name, (folders, ceiling) in CEILINGS.items():
        print(f"{sum(lines(PACKAGE / folder) for folder in folders):8,}  of {ceiling:,}: {name}")
    for name, found in (("files", [lines(file) for file in PACKAGE.rglob("*.py")]), ("functions", list(functions()))):
        tenths = quantiles(found, n=10)
        told = f"median {tenths[4]:.0f} lines, 90th percentile {tenths[8]:.0f}, longest {max(found)}"
        print(f"{len(found):8,}  {name}: {told}")


if __name__ == "__main__":
    show()
    above = list(excess())
    print("".join(f"too long: {each}\n" for each in above), end="", file=sys.stderr)
    sys.exit(bool(above))
