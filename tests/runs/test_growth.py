"""A folder that grows: nothing old is played again or lost, and what does not belong together is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from evaluations import PROBLEM, play, total
from hypothesis import given, settings
from hypothesis import strategies as st
from samples import some, some_rows

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import summarise
from aiops_gym.runs.arguments import Arguments
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.growth import grow_plan
from aiops_gym.runs.plan import Plan, make_plan

pytestmark = pytest.mark.usefixtures("odd_agents")

OTHER = "pod_kill_hotel_res-localization-1"


def kept(out):
    """The episodes of a folder, and when each was written."""
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (out / "episodes").glob("[!.]*")}


@pytest.mark.parametrize(
    "more",
    some(
        [
            {"agent": ["odd_agents:slow", "restart"], "seeds": 3},
            {"seeds": 3},
            {"agent": "restart", "problems": [OTHER], "seeds": 1},
            {"problems": [], "tasks": "localization", "sample": 2, "split": "test", "seeds": 1},
        ],
        4,
    ),
)
def test_more_is_added_and_what_is_there_is_not_played_again(tmp_path, more):
    (tmp_path / "sick").unlink()  # healthy, it finishes episodes of any seed
    out = tmp_path / "out"
    play(out, "odd_agents:slow", seeds=2, workers=0)
    before, diary = kept(out), (tmp_path / "diary").read_text()
    summary = play(out, **{"agent": "odd_agents:slow", "seeds": 2, "workers": 0, **more})
    after = kept(out)
    assert {path: after[path] for path in before} == before
    new = len(after) - len(before)
    assert new > 0
    assert sum(row.missing + row.agent_errors + row.infra_errors for row in summary.find("all")) == 0
    assert sum(row.episodes for row in summary.find("all")) == len(after)
    assert (tmp_path / "diary").read_text().startswith(diary)
    assert summary == summarise(Folder(out))


@pytest.mark.full
def test_a_folder_that_grew_has_the_figures_of_one_that_was_played_at_once(tmp_path):
    at_once = play(tmp_path / "once", ["noop", "restart"], problems=[PROBLEM, OTHER], seeds=2, workers=0)
    for agent, problems, seeds in (("restart", [OTHER], 2), ("noop", [OTHER], 1), ("noop", [PROBLEM, OTHER], 2)):
        play(tmp_path / "grown", agent, problems=problems, seeds=seeds, workers=0)
    bit_by_bit = play(tmp_path / "grown", ["noop", "restart"], problems=[PROBLEM, OTHER], seeds=2, workers=0)
    assert bit_by_bit == at_once
    assert {path.name for path in kept(tmp_path / "grown")} == {path.name for path in kept(tmp_path / "once")}


def test_a_smaller_command_plays_nothing_and_shows_all_of_the_folder(tmp_path):
    whole = play(tmp_path, ["noop", "restart"], workers=0)
    before, plan = kept(tmp_path), (tmp_path / "plan.json").read_bytes()
    assert play(tmp_path, "noop", seeds=1, workers=0) == whole
    assert (kept(tmp_path), (tmp_path / "plan.json").read_bytes()) == (before, plan)


def test_what_an_earlier_command_did_not_finish_is_missing_and_left_to_it(tmp_path):
    play(tmp_path, "noop", workers=0)
    min((tmp_path / "episodes").iterdir()).unlink()
    rows = {row.agent: row for row in play(tmp_path, "restart", workers=0).find("all")}
    assert (rows["noop"].episodes, rows["noop"].missing) == (2, 1)
    assert (rows["restart"].episodes, rows["restart"].missing) == (3, 0)
    assert play(tmp_path, "noop", workers=0).find("all", "noop")[0].missing == 0


@pytest.mark.parametrize(
    ("change", "says"),
    some_rows(
        [
            ({"env_kwargs": {"noise": False}}, "env_kwargs: {} before, {'noise': False} now"),
            ({"agent": "restart", "env_kwargs": {"noise": False}}, "env_kwargs: {} before, {'noise': False} now"),
            (
                {"agent": "odd_agents:told", "agent_options": {"answer": "No"}},
                "options of odd_agents:told: {'answer': 'Yes'}",
            ),
        ],
        2,
    ),
)
def test_other_settings_are_refused_in_one_line_and_change_nothing(tmp_path, change, says):
    play(tmp_path, ["noop", "odd_agents:told"], agent_options={"answer": "Yes"}, workers=0)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(AiopsGymError) as refused:
        play(tmp_path, **{"agent": "noop", "workers": 0, **change})
    text = str(refused.value)
    assert says in text
    assert text.startswith(f"{tmp_path} cannot take this: ")
    assert text.endswith("; name another folder")
    assert "\n" not in text
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_another_version_is_refused(tmp_path):
    play(tmp_path, workers=0)
    path = tmp_path / "plan.json"
    path.write_text(path.read_text().replace('"version": "', '"version": "9.'))
    with pytest.raises(AiopsGymError, match=r"version: '9\.\S+' before, '\S+' now; name another folder"):
        play(tmp_path, "restart", workers=0)


def test_options_of_one_agent_do_not_bind_another(tmp_path):
    play(tmp_path, "odd_agents:told", agent_options={"answer": "Yes"}, seeds=1, workers=0)
    summary = play(tmp_path, "noop", seeds=1, workers=0)
    assert {row.agent for row in summary.find("all")} == {"noop", "odd_agents:told"}


def test_a_command_that_is_killed_before_it_plays_leaves_a_plan_that_goes_on(tmp_path):
    play(tmp_path, seeds=1, tasks="detection", workers=0)
    plan = make_plan(Arguments(agents=("noop",), problems=(PROBLEM,), tasks=("detection",), seeds=2))
    before = (tmp_path / "plan.json").read_bytes()
    (tmp_path / ".plan.json.1.half").write_text("{")  # of one that was killed while it wrote
    assert Folder(tmp_path).plan() == Plan.from_json(json.loads(before))
    with Folder(tmp_path).locked():
        Folder(tmp_path).adopt(plan)
    row = total(summarise(Folder(tmp_path)))
    assert (row.episodes, row.missing) == (1, 1)
    assert total(play(tmp_path, seeds=2, workers=0, tasks="detection")).missing == 0
    assert not list(tmp_path.glob(".plan*"))


COMMANDS = st.builds(
    Arguments,
    agents=st.sampled_from([("noop",), ("restart", "noop"), ("random",)]),
    tasks=st.just(("detection", "localization")),
    splits=st.sampled_from([(), ("test",)]),
    seeds=st.integers(1, 2),
    sample=st.sampled_from([2, 5]),
)
PLANS = {}


def planned(arguments):
    key = (arguments.agents, arguments.splits, arguments.seeds, arguments.sample)
    return PLANS.setdefault(key, make_plan(arguments))


@settings(max_examples=30, deadline=None)
@given(st.lists(COMMANDS, min_size=1, max_size=4))
def test_a_plan_has_what_its_commands_ask_for_and_nothing_else_in_any_order(commands):
    plans = [planned(each) for each in commands]
    whole = plans[0]
    for plan in plans[1:]:
        whole = grow_plan(whole, plan)
    wanted = {entry for plan in plans for entry in plan.entries}
    assert set(whole.entries) == wanted
    assert len(whole.entries) == len(wanted)
    assert {entry.name for entry in whole.to_play()} == {entry.name for entry in wanted}
    assert len(whole.to_play()) == len({entry.name for entry in wanted})
    for plan in plans:  # whoever asks again changes nothing
        assert grow_plan(whole, plan) == whole
    assert Plan.from_json(whole.to_json()) == whole


def test_a_catalogue_that_has_changed_is_refused_whoever_asks():
    arguments = Arguments(agents=("noop",), problems=(PROBLEM, OTHER), tasks=("detection", "localization"), seeds=2)
    plan = make_plan(arguments)
    other = replace(plan, entries=(replace(plan.entries[0], fault="other"), *plan.entries[1:]))
    for changed, of in [
        (replace(plan, entries=plan.entries[1:]), arguments),
        (other, arguments),
        (replace(plan, entries=plan.entries[1:]), replace(arguments, agents=("noop", "restart"))),
        (other, replace(arguments, sample=7)),
    ]:
        with pytest.raises(AiopsGymError, match="the catalogue: "):
            grow_plan(plan, replace(changed, asked=(of,), options={"noop": {}, "restart": {}}))
