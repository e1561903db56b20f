"""What holds for all rooms: which tests `make quick` leaves out."""

from pathlib import Path

import pytest

SLOW = {"calibration", "differential", "serve"}
"""Folders whose tests wait for sockets, for the real kubectl, or for hours of virtual time."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of slow folders."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents and item.path.relative_to(here).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)
