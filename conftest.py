"""What holds for all rooms: which tests run where, what they need, and that none of them depends on the machine's pace.

`make quick` leaves out what is `slow`, `make test` what is `full`, `make test-all` runs just that, `make test-ray` what
needs Ray, and `make test-adapters` what needs another framework. A test says it with a mark; files of which all tests
say the same are listed here.
"""

import os
import shutil
import tempfile
from argparse import ArgumentTypeError
from importlib.util import find_spec
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).parent

SLOW = (
    *("calibration", "differential", "docs", "openrca/store", "openrca/synth", "serve", "wrappers"),
    *("backends/live", "backends/test_admission.py", "backends/test_causes.py", "backends/test_social_network.py"),
    *("envs/test_recorded.py", "envs/test_vector.py", "runs/test_evaluation.py", "runs/test_judge.py"),
    *("learning/test_extra.py", "on_ray/test_without_ray.py", "helm/test_helm.py", "test_examples.py"),
    *("adversary", "adapters/aiopslab/test_names.py", "agents/test_chat_agent.py", "agents/test_oncall.py"),
    *(f"backends/test_{name}.py" for name in ("astronomy_shop", "commented_out", "events", "flower", "hard_families")),
    *(f"backends/test_{name}.py" for name in ("histories", "incidents")),
    *("catalog/test_composed.py", "catalog/test_shop_front.py"),
    *(f"cli/test_{name}.py" for name in ("commands", "openrca_files", "play")),
    *(f"envs/test_{name}.py" for name in ("budget", "incident", "picture", "registered")),
    *(f"runs/test_{name}.py" for name in ("command", "growth", "merged", "passes", "trouble", "view")),
    *(f"shell/test_{name}.py" for name in ("comparing", "heavy", "hostile", "judged", "outward")),
    *("sim/software/test_jaeger_api.py", "sim/telemetry/test_sources.py", "sim/traffic/test_strain.py"),
    *("openrca/test_default.py", "sim/kube_control/controllers/test_enormous_sizes.py", "test_caches.py"),
)
"""Tests that wait for sockets or processes, for programs that nobody here wrote, or for hours of virtual time; and
files that take more than three seconds."""

FULL = (
    *("browser", "cli/test_admission.py", "cli/test_bench_vectors.py"),
    *("differential/test_drawn.py", "openrca/test_speed.py", "promql/test_live.py"),
)
"""Tests that need a browser, or measure."""

NEEDS = {
    "torch": (
        *("aiops_gym/learning/again.py", "aiops_gym/learning/policy.py", "aiops_gym/learning/workers.py"),
        *(
            f"tests/learning/test_{name}.py"
            for name in (
                "agents",
                "imitation",
                "learning",
                "policy",
                "recorded",
                "side_by_side",
                "stacks",
                "study",
                "training",
            )
        ),
        "tests/wrappers/test_sb3.py",
    ),
    "matplotlib": ("tests/learning/test_finetune.py",),
    "transformers": ("tests/agents/test_chat_model.py", "tests/tiny_lm.py"),
    "mkdocs": ("tests/docs/test_site.py", "tests/browser/test_site.py"),
    "kr8s": ("tests/serve/test_clients.py",),
    "prometheus_api_client": ("tests/serve/test_prometheus_client.py",),
    "ray": (
        "aiops_gym/learning/rllib.py",
        "tests/on_ray/test_cluster.py",
        "tests/on_ray/test_rllib.py",
        "tests/on_ray/test_sessions.py",
    ),
    "inspect_ai": ("aiops_gym/adapters/inspect.py", "tests/on_adapters/test_inspect.py"),
    "verifiers": ("aiops_gym/adapters/verifiers.py", "tests/on_adapters/test_verifiers.py"),
    "trl": ("tests/on_adapters/test_trl.py", "tests/on_adapters/test_trl_finetune.py"),
    "openenv": ("aiops_gym/adapters/openenv.py", "tests/on_adapters/test_openenv.py"),
    "mcp": ("aiops_gym/adapters/mcp.py", "tests/on_adapters/test_mcp.py"),
    "minari": ("tests/on_adapters/test_minari.py",),
    "torchrl": ("tests/on_adapters/test_trainers.py",),
}
"""Packages that the extra `test` leaves out, and the files that cannot be imported without them.

Without the package they are not collected; with it they are `ray`, `adapters`, or `full`.
"""

APART = {"ray": "ray"} | dict.fromkeys(
    ("inspect_ai", "mcp", "minari", "openenv", "torchrl", "trl", "verifiers"), "adapters"
)
"""Packages of environments of their own, and the mark of what needs them."""

CACHE = "AIOPS_GYM_CACHE"

collect_ignore = [path for package, paths in NEEDS.items() if not find_spec(package) for path in paths]

settings.register_profile("same", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.register_profile("search", settings.get_profile("same"), derandomize=False, print_blob=True)
settings.load_profile("same")
"""The same examples each time, on machines however slow; `--hypothesis-profile=search` draws others."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """For machines that have not the time for all that is `full`."""
    parser.addoption(
        "--share",
        metavar="K/N",
        type=_share,
        default=(1, 1),
        help="of the tests marked `full` play the K-th of N shares, drawn by their names: 1/N to N/N play each once",
    )


def _share(text: str) -> tuple[int, int]:
    part, _, parts = text.partition("/")
    if not (part.isdecimal() and parts.isdecimal() and 1 <= int(part) <= int(parts)):
        raise ArgumentTypeError(f"{text!r} is no share: K/N is needed with 1 <= K <= N, such as 2/3")
    return int(part), int(parts)


def pytest_configure(config: pytest.Config) -> None:
    """One cache for all workers, made by the process that starts them: a user's own is neither used nor filled.

    What it takes longest to make, pasts of worlds, are left for the next run; they follow from the package's files.
    """
    if not hasattr(config, "workerinput"):
        os.environ[CACHE] = tempfile.mkdtemp(prefix="aiops_gym-tests-")
        os.environ.pop("AIOPS_GYM_OPENRCA", None)
        if config.pluginmanager.has_plugin("cacheprovider"):
            Path(os.environ[CACHE], "pasts").symlink_to(config.cache.mkdir("pasts"))


def pytest_unconfigure(config: pytest.Config) -> None:
    """Forget it."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ[CACHE], ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what the lists say. What is left out of a longer run is left out of the shorter ones."""
    listed = {"slow": [f"tests/{place}" for place in SLOW], "full": [f"tests/{place}" for place in FULL]}
    for package, places in NEEDS.items():
        listed.setdefault(APART.get(package, "full"), []).extend(places)
    places = [(mark, f"{ROOT / place}") for mark, those in listed.items() for place in those]
    found: dict[Path, set[str]] = {}  # by file: there are thousands of tests and hundreds of files
    for item in items:
        path = item.path
        if path not in found:
            name = str(path)
            found[path] = {mark for mark, place in places if name == place or name.startswith(f"{place}/")}
        for mark in found[path]:
            item.add_marker(mark)
        if item.get_closest_marker("adapters"):  # what other frameworks warn of among themselves is theirs
            for warned in ("ignore", r"error:::aiops_gym\."):
                item.add_marker(pytest.mark.filterwarnings(warned))
        if item.get_closest_marker("ray") or item.get_closest_marker("adapters"):
            item.add_marker("full")
        if item.get_closest_marker("full"):
            item.add_marker("slow")
    _take_share(config, items)


def _take_share(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out those of other shares."""
    part, parts = config.getoption("--share")
    kept, left_out = list[pytest.Item](), list[pytest.Item]()
    for item in items:
        other = item.get_closest_marker("full") and crc32(item.nodeid.encode()) % parts != part - 1
        (left_out if other else kept).append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = kept


def pytest_collection_finish() -> None:
    """Look for garbage in cycles seldom: worlds are kept by the hundred here."""
    from aiops_gym.runs.workers import collect_seldom  # noqa: PLC0415  # Not before the tests' own cache is named.

    collect_seldom()
