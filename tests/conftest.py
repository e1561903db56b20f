"""What holds for all rooms: which tests `make quick` leaves out, and a cache of the run's own."""

import os
import shutil
import tempfile
from importlib.util import find_spec
from pathlib import Path

import pytest

SLOW = (
    *(
        "browser",
        "calibration",
        "differential",
        "docs",
        "learning",
        "on_ray",
        "openrca/store",
        "openrca/synth",
        "serve",
        "wrappers",
    ),
    *(
        "cli/test_admission.py",
        "cli/test_bench_vectors.py",
        "envs/test_recorded.py",
        "envs/test_vector.py",
        "runs/test_evaluation.py",
        "runs/test_judge.py",
    ),
    *("backends/test_admission.py", "backends/test_causes.py", "backends/test_social_network.py"),
    *("shell/test_helm.py", "test_examples.py"),
)
"""Tests that wait for sockets or processes, for programs that nobody here wrote, or for hours of virtual time."""

CACHE = "AIOPS_GYM_CACHE"

collect_ignore = [] if find_spec("torch") and find_spec("transformers") else ["tiny_lm.py"]
"""Helpers that need what is not installed."""


def pytest_configure(config: pytest.Config) -> None:
    """One cache for all workers, made by the process that starts them: a user's own is neither used nor filled."""
    if not hasattr(config, "workerinput"):
        os.environ[CACHE] = tempfile.mkdtemp(prefix="aiops_gym-tests-")
        os.environ.pop("AIOPS_GYM_OPENRCA", None)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Forget it."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[CACHE], ignore_errors=True)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the slow tests."""
    slow = [Path(__file__).parent / place for place in SLOW]
    for item in items:
        if any(place == item.path or place in item.path.parents for place in slow):
            item.add_marker(pytest.mark.slow)
