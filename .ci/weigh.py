"""What an install weighs, package by package: the packages that an extra brings, and what they need.

    python .ci/weigh.py [--most MB] [EXTRA ...]

Space on the disk in MB of 2**20 bytes, as `du` counts it. Packages that are there for something else do not count.
"""

import argparse
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

BLOCK = 512
MB = 2**20
SHOWN = 1.0
"""MB from which on a package has a line of its own."""


def needed(name: str, extras: frozenset[str], found: dict[str, Distribution], seen: set[tuple[str, str]]) -> None:
    """Add a package and all that it needs with these extras."""
    try:
        package = found.setdefault(canonicalize_name(name), distribution(name))
    except PackageNotFoundError:
        sys.exit(f"{name} is needed and not installed")
    new = [extra for extra in ("", *extras) if (canonicalize_name(name), extra) not in seen]
    seen.update((canonicalize_name(name), extra) for extra in new)
    for text in package.requires or ():
        requirement = Requirement(text)
        if any(requirement.marker is None or requirement.marker.evaluate({"extra": extra}) for extra in new):
            needed(requirement.name, frozenset(requirement.extras), found, seen)


def weight(package: Distribution) -> float:
    """MB of the files that it has installed."""
    paths = {path.locate() for path in package.files or ()}
    return sum(path.stat().st_blocks for path in paths if path.is_file()) * BLOCK / MB


def main() -> None:
    """Print the list, and end with 1 where it is too much."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most", type=float, metavar="MB", help="more is an error")
    parser.add_argument("extra", nargs="*")
    asked = parser.parse_args()
    found: dict[str, Distribution] = {}
    needed("aiops_gym", frozenset(asked.extra), found, set())
    rows = sorted(((weight(package), name) for name, package in found.items()), reverse=True)
    total = sum(mb for mb, _ in rows)
    for mb, name in rows:
        if mb >= SHOWN:
            print(f"{mb:8.1f}  {name}")
    small = [mb for mb, _ in rows if mb < SHOWN]
    print(f"{sum(small):8.1f}  {len(small)} smaller ones\n{total:8.1f}  MB in {len(rows)} packages")
    if asked.most and total > asked.most:
        sys.exit(f"more than {asked.most:g} MB")


if __name__ == "__main__":
    main()
