"""An evaluation spread over a Ray cluster: the same bytes, and nothing lost but what was being played."""

from __future__ import annotations

import json
import operator
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import evaluations
import pytest
import ray
from chat_server import ChatServer
from evaluations import EPISODES, ODD, PROBLEM, lasting, started, total, until, until_some_are_kept
from ray.cluster_utils import Cluster

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import Judge, RayCluster, ray_cluster, summarise
from aiops_gym.runs.arguments import Arguments
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.plan import make_plan
from aiops_gym.runs.player import Player

QUIET = {"include_dashboard": False, "object_store_memory": 200 * 2**20}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Odd agents can be imported, and files make them sick or tell of them, wherever they play."""
    place = tmp_path_factory.mktemp("place")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ODD))
        patch.setenv("ODD_AGENTS_SICK", str(place / "sick"))
        patch.setenv("ODD_AGENTS_DIARY", str(place / "diary"))
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        yield place


@pytest.fixture(autouse=True)
def diary(place):
    """Empty at the beginning; whoever can be sick is."""
    (place / "sick").touch()
    (place / "diary").write_text("")
    return lambda: (place / "diary").read_text().splitlines()


@pytest.fixture(scope="module")
def local(place):
    """A Ray on this machine."""
    ray.init("local", num_cpus=2, log_to_driver=False, logging_level="ERROR", **QUIET)
    yield
    ray.shutdown()


def play(out, agent="noop", **more):
    return evaluations.play(out, agent, **{"workers": 2, "cluster": RayCluster(), **more})


def contents(folder):
    return {str(path.relative_to(folder)): lasting(path) for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_cluster_gives_the_bytes_of_one_process_mistakes_included(tmp_path, local):
    kept = []
    for name, more in (("here", {"cluster": None, "workers": 0}), ("there", {})):
        problems = [PROBLEM, "pod_kill_hotel_res-localization-1"]
        play(tmp_path / name, ["random", "noop", "odd_agents:raising"], problems=problems, **more)
        kept.append(contents(tmp_path / name))
    assert kept[0] == kept[1]
    assert (
        len(kept[0]) == 16 + 2 * 2 + 4
    )  # episodes; errors, each with what was played until then; plan, lock, two summaries
    assert ray.is_initialized()  # it was the caller's


def test_an_actor_that_dies_is_replaced_and_its_episode_played_again(tmp_path, place, local):
    row = total(play(tmp_path / "once", "odd_agents:dying_once"))
    assert (row.episodes, row.infra_errors, row.agent_errors) == (3, 0, 0)
    (place / "sick").touch()
    row = total(play(tmp_path / "always", "odd_agents:dying"))
    assert (row.episodes, row.infra_errors, row.agent_errors) == (2, 1, 0)
    (path,) = (tmp_path / "always" / "errors").iterdir()
    assert json.loads(path.read_text())["kind"] == "worker"
    assert json.loads(path.read_text())["error"].startswith("the actor died: ")


def test_an_actor_that_takes_too_long_is_ended_and_the_others_play_on(tmp_path, local):
    row = total(play(tmp_path / "out", "odd_agents:hanging", limit=15))
    assert (row.episodes, row.infra_errors, row.agent_errors) == (2, 0, 1)
    (path,) = (tmp_path / "out" / "errors").iterdir()
    assert json.loads(path.read_text())["error"] == "the episode took more than 15 seconds"


def test_what_was_begun_on_a_cluster_is_continued_here_and_the_other_way_round(tmp_path, diary, local):
    play(tmp_path / "out", "odd_agents:slow")
    next((tmp_path / "out" / "episodes").iterdir()).unlink()
    play(tmp_path / "out", "odd_agents:slow", cluster=None, workers=0)
    next((tmp_path / "out" / "episodes").iterdir()).unlink()
    play(tmp_path / "out", "odd_agents:slow")
    assert sorted(diary()[:3]) == ["0", "1", "2"]
    assert len(diary()) == 5


def test_a_judge_that_comes_later_or_failed_is_asked_by_the_actors_and_nothing_is_played_again(tmp_path, diary, local):
    lost = Judge(model="m", url="http://127.0.0.1:9/v1", timeout=2)
    for judge in (None, lost):
        assert total(play(tmp_path / "out", "odd_agents:slow", judge=judge)).reasoning == 0.0
    with ChatServer(lambda messages: "Fair. [[5]]") as server:
        judge = Judge(model="m", url=server.url)
        for _ in range(2):
            assert total(play(tmp_path / "out", "odd_agents:slow", judge=judge)).reasoning == 5.0
    assert len(server.requests) == len(diary()) == 3


def test_machines_with_another_version_are_refused(tmp_path, local, monkeypatch):
    monkeypatch.setattr(ray_cluster, "__version__", "0.0.0")
    with pytest.raises(AiopsGymError, match=r"a machine of the Ray cluster has aiops_gym .*, this one 0\.0\.0"):
        play(tmp_path / "out")


class Bomb:
    """Cannot be read where it is sent to."""

    def __reduce__(self):
        return operator.truediv, (1, 0)


def test_machines_on_which_no_actor_starts_are_given_up(tmp_path, local):
    player = Player(Folder(tmp_path), {"bomb": Bomb()})
    entries = make_plan(Arguments(agents=("noop",), problems=(PROBLEM,))).entries
    with pytest.raises(AiopsGymError, match=r"the machines of the Ray cluster cannot play: .*division by zero"):
        list(RayCluster().play(player, entries, 1))


def test_an_address_at_which_nobody_is_is_one_clear_error(tmp_path):
    with pytest.raises(AiopsGymError, match="no Ray cluster at nowhere:6379"):
        play(tmp_path / "out", cluster=RayCluster("nowhere:6379"))


def test_ray_is_imported_by_who_asks_for_it_only():
    code = "import sys, aiops_gym.cli, aiops_gym.learning.rllib; aiops_gym.cli.app(); print('ray' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_cluster_needs_at_least_one_actor(tmp_path):
    with pytest.raises(ValueError, match="workers must be 1 or more, not 0"):
        play(tmp_path / "out", workers=0)


@pytest.fixture
def machines(place):
    """A cluster of two machines of one CPU, as far as Ray knows."""
    ray.shutdown()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, **QUIET})
    yield cluster, cluster.add_node(num_cpus=1, object_store_memory=QUIET["object_store_memory"])
    ray.shutdown()
    cluster.shutdown()


def test_a_machine_that_goes_away_takes_with_it_only_what_it_was_playing(tmp_path, place, diary, machines):
    cluster, other = machines
    gone = []

    def look(progress):
        if progress.done >= 3 and not gone:
            gone.append(other)
            cluster.remove_node(other, allow_graceful=False)
            (place / "sick").unlink()

    out = tmp_path / "out"
    summary = play(out, "odd_agents:slow", seeds=EPISODES, cluster=RayCluster(cluster.address), progress=look)
    assert gone
    assert (total(summary).episodes, total(summary).infra_errors) == (EPISODES, 0)
    assert set(diary()) == {str(seed) for seed in range(EPISODES)}
    assert len(diary()) <= EPISODES + 1


def finish(out, place):
    (place / "sick").unlink()
    process = started(out, "slow", "--ray")
    _, errors = process.communicate(timeout=600)
    assert (process.returncode, errors) == (0, "")
    row = total(summarise(Folder(out)))
    assert (row.episodes, row.infra_errors, row.missing) == (EPISODES, 0, 0)


def offspring(place):
    """Processes that have the environment of this test, Ray's too, wherever they went."""
    mark, found = f"ODD_AGENTS_DIARY={place / 'diary'}".encode(), []
    for path in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it may end while one looks
            if mark in path.read_bytes().split(b"\0") and path.parent.name != str(os.getpid()):
                found.append((path.parent / "cmdline").read_bytes())
    return [each for each in found if b"Agent" not in each]  # they see within a minute that Ray is gone, and go too


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_after_an_interrupt_or_a_kill_nobody_is_left_and_the_same_command_continues(tmp_path, place, diary, sent):
    out = tmp_path / "out"
    process = started(out, "slow", "--ray")
    until_some_are_kept(process, out)
    assert len(offspring(place)) >= 4  # itself, Ray's head, two actors
    (os.killpg if sent == signal.SIGINT else os.kill)(process.pid, sent)
    _, errors = process.communicate(timeout=600)
    if sent == signal.SIGINT:
        assert process.returncode == 130
        assert f"of {EPISODES} episodes are kept; the same command continues." in errors
        assert "Traceback" not in errors
    until(lambda: not offspring(place), "processes are left")
    kept = {path: path.stat().st_mtime_ns for path in (out / "episodes").glob("[!.]*")}
    assert 3 <= len(kept) < EPISODES
    finish(out, place)
    assert all(path.stat().st_mtime_ns == then for path, then in kept.items())
    assert EPISODES <= len(diary()) <= EPISODES + 2
    until(lambda: not offspring(place), "processes are left")
