"""Several folders in one report: each episode once, other settings apart, and what contradicts itself refused."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET

import pytest
from evaluations import ODD, PROBLEM, play
from samples import some

from aiops_gym.cli import run
from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import Episode, summarise
from aiops_gym.runs.folder import Folder
from aiops_gym.runs.merged import merge

pytestmark = pytest.mark.usefixtures("odd_agents")

OTHER = "pod_kill_hotel_res-localization-1"


def together(*paths):
    return summarise(*map(Folder, paths))


def contents(path):
    return {each: each.read_bytes() for each in path.rglob("*") if each.is_file()}


def test_folders_together_have_the_figures_of_one_that_has_all(tmp_path):
    whole = play(tmp_path / "all", ["noop", "restart"], seeds=2, workers=0)
    play(tmp_path / "a", "noop", seeds=2, workers=0)
    play(tmp_path / "b", "restart", seeds=2, workers=0)
    found = together(tmp_path / "a", tmp_path / "b")
    assert (found.rows, found.passes, found.pairs, found.agents) == (
        *(whole.rows, whole.passes, whole.pairs),
        ("noop", "restart"),
    )
    assert [each["agents"] for each in found.asked] == [["noop"], ["restart"]]


def test_an_episode_of_two_folders_counts_once(tmp_path):
    play(tmp_path / "a", ["noop", "restart"], seeds=1, workers=0)
    whole = play(tmp_path / "b", "noop", seeds=2, workers=0)
    found = together(tmp_path / "a", tmp_path / "b", tmp_path / "a")
    assert {row.agent: row.episodes for row in found.find("all")} == {"noop": 2, "restart": 1}
    assert found.find("all", "noop") == whole.find("all", "noop")


def test_it_is_read_where_it_is_finished(tmp_path):
    play(tmp_path / "a", "odd_agents:raising", workers=0)
    (tmp_path / "sick").unlink()
    play(tmp_path / "b", "odd_agents:raising", workers=0)
    for order in (("a", "b"), ("b", "a")):
        folders = [Folder(tmp_path / name) for name in order]
        (row,) = summarise(*folders).find("all")
        assert (row.episodes, row.agent_errors) == (3, 0)
        assert merge(folders).faults() == {}


def test_an_episode_that_ended_in_two_ways_is_refused_in_one_line(tmp_path):
    for name in ("a", "b"):
        play(tmp_path / name, workers=0)
    path = min((tmp_path / "b" / "episodes").iterdir())
    episode = Episode.load(path)
    episode.reward = 1.0
    episode.save(path)
    with pytest.raises(AiopsGymError) as refused:
        together(tmp_path / "a", tmp_path / "b")
    text = str(refused.value)
    assert text.startswith(f"{path.stem} is worth 0 in {tmp_path / 'a'} and 1 in {tmp_path / 'b'}: ")
    assert "\n" not in text


@pytest.mark.full
def test_one_agent_with_several_settings_is_several_in_the_report(tmp_path):
    answers = {"yes": "Yes", "no": "No", "odd": "a|b, c=d"}
    for name, answer in answers.items():
        play(tmp_path / name, ["odd_agents:told", "noop"], agent_options={"answer": answer}, workers=0)
    found = together(*(tmp_path / name for name in answers))
    odd = r'odd_agents:told (answer="a\u007cb, c=d")'
    names = ("odd_agents:told (answer=Yes)", "noop", "odd_agents:told (answer=No)", odd)
    assert found.agents == names
    rewards = {row.agent: (row.episodes, row.reward) for row in found.find("all")}
    assert rewards == {names[0]: (3, 1.0), names[1]: (3, 0.0), names[2]: (3, 0.0), names[3]: (3, 0.0)}


def test_other_arguments_of_the_environment_and_other_versions_stay_apart(tmp_path):
    play(tmp_path / "a", "noop", workers=0)
    play(tmp_path / "b", "noop", env_kwargs={"noise": False, "max_episode_steps": 3}, workers=0)
    plan = tmp_path / "a" / "plan.json"
    assert together(tmp_path / "a", tmp_path / "b").agents == (
        "noop",
        "noop (env.max_episode_steps=3, env.noise=false)",
    )
    plan.write_text(plan.read_text().replace('"version": "', '"version": "9.'))
    first, _ = together(tmp_path / "a", tmp_path / "b").agents
    assert first.startswith("noop (version=9.")


def test_a_folder_without_an_evaluation_is_named(tmp_path):
    play(tmp_path / "a", workers=0)
    with pytest.raises(AiopsGymError, match=r"b holds no evaluation: there is no plan\.json"):
        together(tmp_path / "a", tmp_path / "b")


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """Two folders; nobody is sick any more when they are read."""
    out = tmp_path_factory.mktemp("played")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ODD))
        patch.setenv("ODD_AGENTS_SICK", str(out))
        play(out / "a", ["noop", "odd_agents:raising"], workers=0)
        play(out / "b", "restart", problems=[PROBLEM, OTHER], workers=0)
    return out


@pytest.fixture
def two(tmp_path, played):
    for name in ("a", "b"):
        shutil.copytree(played / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize(
    "style", some([["--report", "a", "b"], ["--report", "a", "--report", "b"], ["--report", "a", "b", "a"]], 3)
)
def test_the_command_takes_several_folders_and_writes_into_none(two, capsys, monkeypatch, style):
    monkeypatch.chdir(two)
    before = contents(two)
    assert run(["evaluate", *style, "--json"]) == 1
    told = capsys.readouterr()
    assert {row["agent"] for row in json.loads(told.out)["rows"]} == {"noop", "odd_agents:raising", "restart"}
    assert "1 of 12 episodes have no verdict, and the commands that asked for them try again: " in told.err
    assert f"all in {two / 'a' / 'errors'}\n" in told.err
    assert contents(two) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["a", "--agent", "noop", "--out", "c"], "a stands alone: --report sums folders up"),
        (["--report", "a", "--picture", "p.png"], "name a file that ends in .svg, not 'p.png'"),
    ],
)
def test_what_does_not_go_together_is_one_line(two, capsys, monkeypatch, arguments, says):
    monkeypatch.chdir(two)
    before = contents(two)
    assert run(["evaluate", *arguments]) == 2
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
    assert contents(two) == before


def test_a_picture_has_each_agent_with_its_interval_the_best_on_top(two, capsys):
    assert run(["evaluate", "--report", str(two / "a"), str(two / "b"), "--picture", str(two / "p" / "x.svg")]) == 1
    svg = ET.fromstring((two / "p" / "x.svg").read_text(encoding="utf-8"))
    space = "{http://www.w3.org/2000/svg}"
    assert svg.tag == f"{space}svg"
    texts = [each.text for each in svg.iter(f"{space}text")]
    names = ["odd_agents:raising", "restart", "noop"]
    assert [text for text in texts if text in names] == names
    assert [text for text in texts if text in ("all", "detection", "localization")] == [
        "all",
        "detection",
        "localization",
    ]
    assert "2 of 3 episodes" in texts
    assert "Red line: with errors as 0." in texts
    hovers = [each.text for each in svg.iter(f"{space}title")]
    assert "1.00 (0.44-1.00)" in hovers
    assert len([each for each in svg.iter(f"{space}path") if each.get("class") == "whisker"]) == 3 + 3 + 1
    width = float(svg.get("width"))
    for bar in svg.iter(f"{space}rect"):
        if bar.get("x"):
            assert 0 <= float(bar.get("x")) + float(bar.get("width")) < width
