"""No answer depends on a cache, no key on an address in memory, and the page says which there are."""

import ast
import os
import subprocess
import sys
from collections import OrderedDict
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import aiops_gym
from aiops_gym import caches
from aiops_gym.backends import warmup
from aiops_gym.caches import Beside, ByValue, Cache, Entry
from aiops_gym.errors import ArgumentError
from aiops_gym.sim.kernel.objects import Obj

PACKAGE = Path(aiops_gym.__file__).parent

EPISODE = """
import hashlib
import gymnasium as gym
import aiops_gym
env = gym.make("aiops_gym/Mitigation-v0", log_dedup=0)
for seed in (3, 4):
    text, info = env.reset(seed=seed)
    told, namespace = [text], env.get_wrapper_attr("app").namespace
    commands = ["get pods -A -o wide", "get all -n NS", "describe pods -n NS", "top pods -n NS", "get nodes -o yaml",
                "get events -n NS --sort-by=.metadata.creationTimestamp", "get endpoints -n NS -o json"]
    calls = [f"exec_shell({'kubectl ' + each.replace('NS', namespace)!r})" for each in commands]
    calls += [f"get_metrics({namespace!r}, 5)", f"get_traces({namespace!r}, 5)", "exec_shell('cat */*.csv | sort')"]
    told += [env.step(call)[0] for call in calls]
    (twin,) = env.get_wrapper_attr("fork")()
    told += [each.step("exec_shell('kubectl get events -A; kubectl top nodes')")[0] for each in (twin, env)]
    told.append(env.get_wrapper_attr("snapshot")().hex())
    print(*(hashlib.sha256(each.encode()).hexdigest() for each in told), told[-3] == told[-2])
"""


@pytest.fixture
def entry():
    found = Entry("tests", "nothing", key="anything", bound=2)
    yield found
    del caches.ENTRIES["tests"]


def test_an_episode_and_its_fork_print_the_same_bytes_with_and_without_caches():
    started = [
        subprocess.Popen(
            [sys.executable, "-c", EPISODE], stdout=subprocess.PIPE, env={**os.environ, caches.VARIABLE: setting}
        )
        for setting in ("", "off")
    ]
    told = [process.communicate()[0].splitlines() for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert len(told[0]) == 2
    assert told[0] == told[1]


def test_the_page_says_which_caches_there_are():
    """Else run `python .ci/caches.py`; for a new one with --measure."""
    spec = spec_from_file_location("page_of_caches", PACKAGE.parent / ".ci" / "caches.py")
    command = module_from_spec(spec)
    spec.loader.exec_module(command)
    text = command.PAGE.read_text(encoding="utf-8")
    assert command.page(*command.known(text)) == text
    assert "| ? |" not in text


def test_who_keeps_more_changes_no_declaration(monkeypatch):
    monkeypatch.setattr(warmup._lives, "bound", warmup._lives.bound)
    declared = warmup._lives.entry.bound
    warmup.keep_all()
    assert warmup._lives.bound > warmup._lives.entry.bound == declared


def sources(*words):
    """Path and tree of each file of the package in which one of the words stands: all of them take seconds to parse."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if any(word in text for word in words):
            yield str(path.relative_to(PACKAGE)), ast.parse(text)


def calls(tree, name):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            named = [each for each in (node.func, *node.args) if isinstance(each, ast.Name) and each.id == name]
            if named:
                yield node.lineno


def test_nothing_is_kept_under_an_address_in_memory():
    """But what `copy.deepcopy` asks for while it copies: there an address stands for what lives."""
    found = [f"{path}:{line}" for path, tree in sources("id(") for line in calls(tree, "id")]
    assert {place.partition(":")[0] for place in found} <= {"envs/branching.py"}


def test_every_cache_is_declared():
    """Results are kept by `caches` alone, and a memo knows declared names only."""
    found = []
    for path, tree in sources("memo", "lru_cache", "Weak"):
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and path != "caches.py":
                names = {alias.name for alias in node.names}
                if names & {"lru_cache", "WeakKeyDictionary", "WeakValueDictionary"}:
                    found.append(f"{path}: {names}")
            keys = []
            if isinstance(node, ast.Subscript) and _memo(node.value):
                keys = [node.slice]
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _memo(node.func.value):
                keys = node.args[:1]
            found += [f"{path}:{node.lineno}" for key in keys if not isinstance(key, ast.Name | ast.Tuple)]
    assert found == []


def _memo(node):
    return getattr(node, "attr", getattr(node, "id", "")) == "memo"


def test_a_cache_keeps_what_was_used_last_up_to_its_bound(entry):
    entry.off = False
    cache = Cache(entry)
    for key in "abac":
        cache.put(key, key.upper())
        cache.seen("a")
    assert [cache.seen(key) for key in "abc"] == ["A", None, "C"]
    assert cache.weight == 2
    entry.off = True
    made = []
    for _ in range(2):
        cache.get("a", lambda: made.append(1) or "new")
    assert (made, cache.seen("a")) == ([1, 1], None)


def test_a_value_that_another_thread_puts_out_meanwhile_is_found_all_the_same(entry):
    class Shared(OrderedDict):
        def get(self, key, default=None):
            return self.pop(key, default)

    entry.off = False
    cache = Cache(entry)
    cache.values = Shared(a="A")
    assert [cache.seen("a"), cache.seen("a")] == ["A", None]


def test_a_value_put_twice_weighs_once(entry):
    entry.off = False
    cache = Cache(entry, len)
    for _ in range(3):
        cache.put("a", "x")
    assert (cache.weight, len(cache)) == (1, 1)


def test_data_as_a_key_are_compared_by_value():
    one, same, other = ByValue({"a": [1]}), ByValue({"a": [1]}), ByValue({"a": [2]})
    assert {one: 1}[same] == 1
    assert other not in {one: 1}


def test_what_is_kept_beside_an_object_is_not_taken_for_that_of_another(entry):
    class Thing:
        pass

    kept, made = Beside(entry), []
    things = [Thing(), Thing()]
    assert [kept.get(thing, lambda: made.append(1) or len(made)) for thing in things] == [1, 2]
    entry.off = True
    assert kept.get(things[0], lambda: 3) == 3


def test_a_memo_with_switches_has_not_what_is_off(entry):
    memo = caches._Switched()
    entry.off = False
    memo["tests"], memo["tests", "x"] = 1, 2
    assert ("tests" in memo, memo.get("tests"), memo["tests", "x"], memo.copy().get("tests")) == (True, 1, 2, 1)
    entry.off = True
    memo["tests"] = 3
    assert ("tests" in memo, memo.get("tests", 0), memo.setdefault(("tests", "x"), 5)) == (False, 0, 5)
    with pytest.raises(KeyError):
        memo["tests"]
    entry.off = False
    assert memo["tests"] == 1


def test_a_written_object_begins_with_an_empty_memo():
    obj = Obj({"a": 1})
    assert (obj.memo, Obj(obj).memo is obj.memo) == ({}, False)


def test_two_caches_of_one_name_and_a_setting_that_means_nothing_are_refused(entry, monkeypatch):
    with pytest.raises(ArgumentError, match="two caches are called tests"):
        Entry("aiops_gym.tests", "", key="", bound=1)
    monkeypatch.setenv(caches.VARIABLE, "on")
    with pytest.raises(ArgumentError, match="means nothing"):
        caches._setting()
