"""Evaluations with agents, machines and files that are in trouble: what is kept, what is said, and that it ends."""

from __future__ import annotations

import json
import os
import signal

import pytest
from evaluations import PROBLEM, alive, lasting, play, started, total, until, until_some_are_kept
from samples import some

from aiops_gym.runs import Episode, evaluate, markdown
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.merged import merge

pytestmark = pytest.mark.usefixtures("odd_agents")


def noted(out):
    """Whose faults there are, and the errors."""
    paths = [path for path in sorted((out / "errors").glob("*.json")) if ".unfinished." not in path.name]
    found = [json.loads(path.read_text()) for path in paths]
    return [(each["kind"], each["error"]) for each in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("agent", "options", "says"),
    [
        ("leaving", {}, "SystemExit: 3"),
        ("Closing", {"says": None}, "ValueError: Out of range float values"),
        ("Closing", {"breaks": True}, "ConnectionError: it was closed already"),
    ],
)
def test_what_an_agent_does_to_end_a_process_is_an_error_of_its_own(tmp_path, agent, options, says):
    row = total(play(tmp_path / "out", f"odd_agents:{agent}", seeds=1, workers=0, agent_options=options))
    assert (row.episodes, row.agent_errors, row.reward_with_errors) == (0, 1, 0.0)
    ((kind, error),) = noted(tmp_path / "out")
    assert kind == "agent"
    assert says in error


def test_an_agent_that_breaks_the_world_where_it_is_not_sure_gains_nothing(tmp_path):
    summary = play(tmp_path, ["odd_agents:unsure", "odd_agents:told"], workers=0, agent_options={"answer": "Yes"})
    rows = {row.agent: row for row in summary.find("all")}
    row, honest = rows["odd_agents:unsure"], rows["odd_agents:told"]
    assert (row.episodes, row.agent_errors, row.infra_errors) == (1, 0, 2)
    assert (row.reward, row.reward_with_errors) == (1.0, 0.3333)
    assert (honest.reward, honest.reward_with_errors) == (1.0, 1.0)
    assert [pair.agent for pair in summary.pairs] == ["odd_agents:told"]
    lines = [line for line in markdown.render_page(summary).splitlines() if "odd_agents:unsure |" in line]
    assert lines[0].startswith("| odd_agents:unsure | 1 of 3 | 1.00 (0.21-1.00), 0.33 with 2 errors as 0 |")
    assert lines[0].endswith("| 2 infrastructure |")


def test_each_agent_is_closed_and_its_episodes_are_called_as_it_was_asked_for(tmp_path):
    row = total(play(tmp_path / "out", "odd_agents:Closing", seeds=2, workers=0))
    assert (row.episodes, row.reward) == (2, 1.0)
    assert (tmp_path / "diary").read_text() == "closed\nclosed\n"
    episodes = [Episode.load(path) for path in (tmp_path / "out" / "episodes").iterdir()]
    assert {episode.agent for episode in episodes} == {"odd_agents:Closing"}
    assert episodes[0].agent_report == {"says": 1}


def test_an_agent_may_need_neither_environment_nor_seed(tmp_path):
    assert total(play(tmp_path, "odd_agents:Bare", seeds=1, workers=0)).reward == 1.0


def test_an_agent_that_changes_the_folder_does_not_move_the_results(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    row = total(play("out", "odd_agents:wandering", seeds=2, workers=0))
    assert (row.episodes, row.missing) == (2, 0)
    assert (tmp_path / "out" / "summary.csv").exists()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_of_a_text_that_never_ends_the_ends_are_kept(tmp_path):
    row = total(play(tmp_path, "odd_agents:endless", seeds=1, workers=0, env_kwargs={"max_episode_steps": 2}))
    assert (row.episodes, row.reward) == (1, 0.0)
    (path,) = (tmp_path / "episodes").iterdir()
    assert path.stat().st_size < 500_000
    assert "characters left out" in Episode.load(path).steps[0]["action"]


def test_others_may_read_what_is_kept_as_the_umask_says(tmp_path):
    play(tmp_path, seeds=1, workers=0)
    (path,) = (tmp_path / "episodes").iterdir()
    assert path.stat().st_mode & 0o777 == (tmp_path / "plan.json").stat().st_mode & 0o777


@pytest.mark.parametrize("damage", some([b"", b"{}\n", b'{"agent": "noo', b"\x00" * 100, b"[1]\n"], 5))
def test_a_damaged_episode_is_missing_and_played_again(tmp_path, damage):
    play(tmp_path, workers=0)
    path = min((tmp_path / "episodes").iterdir())
    whole = lasting(path)
    path.write_bytes(damage)
    assert merge([Folder(tmp_path)]).faults() == {}
    assert total(play(tmp_path, workers=0)).episodes == 3
    assert lasting(path) == whole


@pytest.mark.slow
def test_the_questions_about_one_incident_count_as_one(tmp_path):
    summary = evaluate(
        "reference", out=tmp_path, problems=[PROBLEM, "container_kill-localization"], seeds=5, workers=0, signals=False
    )
    assert (total(summary).problems, total(summary).episodes) == (2, 10)
    assert total(summary).reward_low == pytest.approx(0.2065, abs=1e-4)  # Wilson's of one success in one
    assert {row.reward_low for row in summary.find("task")} == {0.5655}  # a problem alone: its seeds are five


@pytest.mark.full
def test_an_episode_that_takes_too_long_is_ended_and_the_others_are_played(tmp_path):
    row = total(play(tmp_path, "odd_agents:hanging", limit=20.0))  # enough for the others on a busy machine too
    assert (row.episodes, row.agent_errors, row.infra_errors) == (2, 1, 0)
    assert noted(tmp_path) == [("agent", "the episode took more than 20 seconds")]


@pytest.mark.slow
def test_a_full_disk_stops_it_with_what_the_system_says(tmp_path):
    with pytest.raises(OSError, match="File too large"):
        play(tmp_path, "odd_agents:filling", workers=2)
    assert not list((tmp_path / "episodes").iterdir())
    assert not noted(tmp_path)


@pytest.mark.full
def test_workers_end_when_the_one_who_asked_is_killed(tmp_path):
    process = started(tmp_path / "out", "hanging")
    until_some_are_kept(process, tmp_path / "out")
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    until(lambda: not alive(process.pid), "orphans are left")
