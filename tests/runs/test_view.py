"""Pages of episodes: they hold what happened, whatever it was, and nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace

import gymnasium as gym
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy_world import ToyEnv, block
from viewed import Reader, made, step, telemetry

from aiops_gym.agents.base import make
from aiops_gym.cli import run
from aiops_gym.runs import Episode, run_episode
from aiops_gym.runs.view import read_entry, render_listing, render_page
from aiops_gym.runs.view.markup import make_visible
from aiops_gym.runs.view.story import tell

HOSTILE = (
    "</script><script>alert(1)</script><img src=//evil.example/x onerror=alert(1)>'\" &amp; ]]> <!-- \x1b[2J\u202e\x00"
)
ELEMENTS = (
    "a aside b body button circle code dd details div dl dt footer g h1 h2 h3 h4 head header html i input kbd li line"
    " main meta output p path pre rect script section span style summary svg table tbody td text tfoot th thead"
    " title tr ul"
)


@pytest.fixture(scope="module")
def mended():
    """An incident of the real world, repaired by the reference."""
    env = gym.make("aiops_gym/Mitigation-v0", problem="misconfig_app_hotel_res-mitigation-1")
    return run_episode(env, make("reference", env), seed=3)


def test_an_episode_keeps_how_the_system_did_where_that_changed(mended, tmp_path):
    assert mended.health["components"]["geo"]["ok"] == 0.0
    changed = [each["health"]["components"]["geo"]["ok"] for each in mended.steps if "health" in each]
    assert changed[-1] == 1.0
    assert len(changed) < len(mended.steps)
    assert ["search", "geo"] in mended.calls
    assert Episode.load(mended.save(tmp_path / "a.json")) == mended


def test_an_environment_that_cannot_tell_is_watched_without():
    episode = run_episode(ToyEnv("detection", "container_kill-detection"), lambda _: block("submit('Yes')"), seed=1)
    assert (episode.calls, episode.health) == ([], {})
    assert "health" not in episode.steps[0]


def test_a_page_has_all_its_parts(mended):
    read = Reader(render_page(mended))
    assert read.texts("h1") == ["misconfig_app_hotel_res-mitigation-1solved"]
    facts = dict(zip(read.texts("dt"), read.texts("dd"), strict=True))
    assert (facts["agent"], facts["seed"], facts["steps"]) == ("reference", "3", str(len(mended.steps)))
    assert facts["cause_gone"] == "1"
    assert read.texts("div", "score") == ["1.00reward"]
    assert read.texts("pre", "answer") == ["a healthy system", "nothing"]
    assert [e["id"] for e in read.all("details", "step")] == [f"step-{i}" for i in range(len(mended.steps) + 1)]
    assert read.texts("pre", "out")[0] == mended.prompt
    assert read.texts("code", "head")[0].startswith("kubectl ")
    assert len(read.all("a", "at")) == len(mended.steps)
    assert len(read.all("g", "node")) == len(mended.health["components"])
    assert len(read.all("path", "edge")) == len(mended.calls)
    down = [e["text"] for e in read.all("g", "down")]
    assert any(text.startswith("geogeo0 %") for text in down)


def test_the_data_of_a_page_follow_the_steps(mended):
    (text,) = [e["text"] for e in Reader(render_page(mended)).all("script") if e.get("id") == "data"]
    data = json.loads(text)
    assert len(data["at"]) == len(mended.steps) + 1
    geo = list(mended.health["components"]).index("geo")
    shown = [data["looks"][i]["nodes"][geo] for i in data["at"]]
    assert (shown[0][0], shown[0][1][:3]) == ("down", "0 %")
    assert shown[-1] == ["well", "100 %"]


def test_a_step_without_a_state_has_that_of_the_step_before(mended):
    turns, system = tell(mended)
    assert system is not None
    assert [turn.state for turn in turns] == sorted(turn.state for turn in turns)
    assert max(turn.state for turn in turns) < len(system.states)


def test_recorded_incidents_have_no_graph_but_all_the_rest():
    env = gym.make("aiops_gym/OpenRCABank-v0")
    read = Reader(render_page(run_episode(env, make("reference", env), seed=1)))
    assert not read.all("svg", "graph")
    assert not read.all("aside")
    assert len(read.all("details", "step")) == 3
    assert read.all("svg", "timeline")


@settings(max_examples=150, deadline=None)
@given(st.text(min_size=1))
def test_any_text_comes_through_as_text_wherever_it_stands(text):
    odd = made(
        [step(f"{text}", text, tool=text, error=text), step(f"thought\n```\n{text}\n```", text)],
        agent=text,
        problem_id=text,
        task=text,
        prompt=text,
        env=text,
        version=text,
        results={"expected": text, "submitted": text, "reasons": text, text: text},
        reward_components={text: 1.0},
        calls=[["", text], [text, "b"]],
        health={"components": {text: {}, "b": {}}, "operations": {text: 0.5}, "calls": [1.0, 0.0]},
        signals=telemetry(text),
    )
    read = Reader(render_page(odd))
    seen = make_visible(text)
    assert read.texts("pre", "out") == [seen] * 3
    assert seen in read.texts("pre", "call")
    assert read.texts("dd")[1] == seen
    assert seen in [e["text"] for e in read.all("td")]
    assert read.texts("title")[0] == f"{seen} - {seen}"
    assert [e.get("id") for e in read.all("script")] == ["data", None]
    assert {e["tag"] for e in read.elements} <= set(ELEMENTS.split())


@given(st.text())
def test_what_is_made_visible_stays_so_and_holds_nothing_unseen(text):
    once = make_visible(text)
    assert make_visible(once) == once
    once.encode("utf-8")
    if text.isprintable() and not set(text) & set("\u2028\u2029"):
        assert once == text


def test_hostile_texts_end_no_element_and_start_none():
    odd = made(
        [step(HOSTILE, HOSTILE)],
        agent=HOSTILE,
        problem_id=HOSTILE,
        health={"components": {HOSTILE: {"ok": 0.5}}, "operations": {HOSTILE: 1.0}},
        calls=[["", HOSTILE]],
    )
    for text in (render_page(odd, up=HOSTILE), render_listing([read_entry(odd, HOSTILE)], HOSTILE)):
        read = Reader(text)
        assert not read.all("img")
        assert len(read.all("script")) <= 2
        assert not [name for e in read.elements for name in e if name.startswith("on")]
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_a_page_reaches_for_nothing_outside_and_runs_nothing_but_its_own_script(mended):
    for text in (render_page(mended), render_listing([read_entry(mended, "a.html")], "x")):
        read = Reader(text)
        assert not [e for e in read.elements if e["tag"] in ("link", "iframe", "object", "img", "base")]
        assert not [e for e in read.elements for name in ("src", "srcset", "action", "style") if name in e]
        links = [e["href"] for e in read.elements if "href" in e]
        assert all(re.fullmatch(r"#step-\d+|a\.html", link) for link in links)
        style = read.all("style")[0]["text"]
        assert "url(" not in style
        assert "@import" not in style
        (policy,) = [e["content"] for e in read.all("meta") if e.get("http-equiv") == "Content-Security-Policy"]
        script = read.all("script")[-1]["text"]
        for kind, source in (("style-src", style), ("script-src", script)):
            digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
            assert f"{kind} 'sha256-{digest}'" in policy
        assert policy.startswith("default-src 'none'; ")


def test_the_same_episode_is_the_same_page(mended):
    assert render_page(mended) == render_page(replace(mended))


def test_long_episodes_and_huge_outputs_are_pages_too():
    long = made([step("```\nexec_shell('ls')\n```", "x", time=5.0 * i, tool="exec_shell") for i in range(1, 1001)])
    read = Reader(render_page(long))
    assert len(read.all("details", "step")) == 1000
    big = "<&>\n" * 250_000
    read = Reader(render_page(made([step(observation=big)])))
    assert read.texts("pre", "out") == [big]
    assert "Output, 1,000,000 characters" in read.texts("h4")
    assert all("open" not in e for e in read.all("details"))


@pytest.mark.parametrize(
    ("action", "thought", "call", "command", "headline"),
    [
        ("why\n```\nexec_shell('ls\\nls')\n```\nwhy not", "why\n\nwhy not", "exec_shell('ls\\nls')", "ls\nls", "ls …"),
        ("```\nsubmit()\n```", "", "submit()", "", "submit()"),
        ("no call", "", "no call", "", "no call"),
        ("```\na()\n```\n```\nb()\n```", "", "```\na()\n```\n```\nb()\n```", "", "``` …"),
        ("", "", "", "", ""),
    ],
)
def test_an_action_is_taken_apart(action, thought, call, command, headline):
    ((turn,), _) = tell(made([step(action)]))
    assert (turn.thought, turn.call, turn.command, turn.headline) == (thought, call, command, headline)
    assert turn.raw == action


def test_what_was_typed_is_shown_as_it_was_typed():
    action = "I look.\n```python\nexec_shell('kubectl get pods \\\\\\n  -A')\n```"
    read = Reader(render_page(made([step(action, tool="exec_shell"), step("submit me")])))
    assert read.texts("pre", "call") == ["kubectl get pods \\\n  -A", "submit me"]
    assert read.texts("pre", "raw") == [action]  # the second one is all there is of its action
    assert [e["text"] for e in read.all("button", "copy")] == ["Copy"] * 3


def test_every_time_is_in_seconds():
    far = made([step(time=3725.26, observation="x"), step(time=20_000.0)], end_time=20_000.0, results={"TTM": 19_999.5})
    for text in (
        render_page(far),
        render_listing([read_entry(far, "a.html"), read_entry(replace(far, agent="b"), "b.html")], "x"),
    ):
        found = " ".join(e["text"] for e in Reader(text).elements if e["tag"] in ("dd", "td", "text", "span"))
        assert "20,000 s" in found
        assert not re.search(r"\d (min|h|ms|hours|minutes)\b", found)
    read = Reader(render_page(far))
    assert read.texts("span", "time") == ["3,725.3 s", "20,000 s"]
    assert "19,999.5 s" in read.texts("td")
    assert {text for text in read.texts("text", "tick") if text[0].isdigit()} >= {"0 s", "5,000 s", "20,000 s"}


def played(problem, task, **more):
    env = gym.make(f"aiops_gym/{task}-v0", problem=problem, **more)
    return run_episode(env, make("reference", env), seed=1)


@pytest.mark.parametrize(
    ("problem", "task", "more", "also"),
    [
        ("revoke_auth_mongodb-localization-1", "Localization", {}, ["geo"]),
        ("revoke_auth_mongodb-localization-1", "Localization", {"evaluation": "aiopslab"}, ["geo"]),
        (
            *("auth_miss_mongodb-analysis-1", "Analysis", {}),
            ['{"fault_type": "Authentication Issue", "system_level": "Application"}'],
        ),
        ("auth_miss_mongodb-analysis-1", "Analysis", {"evaluation": "aiopslab"}, []),
        ("container_kill-localization", "Localization", {}, []),
    ],
)
def test_answers_that_are_accepted_too_stand_beside_the_expected_one(problem, task, more, also):
    episode = played(problem, task, **more)
    assert [
        text.removeprefix("also accepted: ") for text in Reader(render_page(episode)).texts("li") if "also" in text
    ] == also
    for answer in also:  # and they are accepted
        given = answer if task == "Analysis" else json.dumps([answer])
        env = gym.make(f"aiops_gym/{task}-v0", problem=problem, **more)
        env.reset(seed=1)
        assert env.step(block(f"submit({given})"))[1] == 1.0


def test_nothing_is_said_to_be_accepted_where_the_catalogue_expects_something_else():
    episode = played("revoke_auth_mongodb-localization-1", "Localization")
    for change in ({"results": {"expected": '["frontend"]'}}, {"problem_id": "of-another-house-1"}, {"task": "other"}):
        assert not [text for text in Reader(render_page(replace(episode, **change))).texts("li") if "also" in text]


def lines_of(read):
    """The lines of the list, each with what it is filtered by."""
    return [(e["data-agent"], e["data-kind"], e["data-outcome"]) for e in read.all("tr") if "data-agent" in e]


def test_a_list_is_filtered_by_outcome_and_says_how_many_there_are_of_each():
    turn = [step()]
    many = [
        made(turn, agent="a", success=True, reward=1.0, terminated=True),
        made(turn, agent="b", reward=0.5, terminated=True),
        made(turn, agent="c", terminated=True),
        made(turn, agent="d", truncated=True),
        made(turn, agent="e", infra_error=True),
        made(turn, agent="f", agent_error="quota"),
    ]
    read = Reader(render_listing([read_entry(each, f"{each.agent}.html") for each in many], "x"))
    options = [e["text"] for e in read.all("option") if e["text"].endswith(")")]
    assert options == [
        *("every outcome (6)", "solved (1)"),
        *("failed (3)", "\u2003not solved (1)", "\u2003out of steps (1)", "\u2003partly solved (1)"),
        *("errors (2)", "\u2003agent gave up (1)", "\u2003environment broke (1)"),
    ]
    assert lines_of(read) == [
        *[("a", "solved", "solved"), ("b", "failed", "partly solved"), ("c", "failed", "not solved")],
        *[("d", "failed", "out of steps"), ("e", "errors", "environment broke"), ("f", "errors", "agent gave up")],
    ]
    facts = dict(zip(read.texts("dt"), read.texts("dd"), strict=True))
    assert (facts["episodes"], facts["without a verdict"]) == ("4", "2")


def test_a_table_has_a_line_a_problem_a_column_an_agent_and_a_sign_an_episode():
    def one(agent, problem, seed, reward, **more):
        episode = made(agent=agent, problem_id=problem, seed=seed, reward=reward, success=reward == 1.0, **more)
        return read_entry(episode, f"{agent}-{problem}-{seed}.html")

    entries = [one("a", "p", seed, reward) for seed, reward in enumerate((1.0, 0.0, 0.5))]
    entries += [one("b", "p", 0, 1.0), one("b", "q", 0, 0.0, infra_error=True)]
    inside = render_listing(entries, "x").partition('id="matrix"')[2].partition("<table>")[2].partition("</table>")[0]
    table = Reader(f"<table>{inside}</table>")
    assert table.texts("th") == ["problem", "a", "b", "p", "q"]
    assert table.texts("td") == ["1/3●○◐", "●", "-", "×"]
    assert [e.get("class") for e in table.all("td")] == ["hurt", "well", "none", "hurt"]
    assert [e["href"] for e in table.all("a")] == ["a-p-0.html", "a-p-1.html", "a-p-2.html", "b-p-0.html", "b-q-0.html"]
    assert table.all("a")[1]["title"] == "seed 1: not solved, 0.00"
    assert 'id="matrix"' not in render_listing(entries[:1], "x")  # the list alone says it


def test_agents_are_drawn_side_by_side_where_there_are_several():
    episodes = [made(agent=agent, reward=reward, terminated=True) for agent, reward in (("a", 0.5), ("b", 1.0))]
    read = Reader(render_listing([read_entry(each, f"{each.agent}.html") for each in episodes], "x"))
    (chart,) = read.all("svg", "chart")
    assert chart["text"].index("b1 episodes") < chart["text"].index("a1 episodes")
    assert not Reader(render_listing([read_entry(episodes[0], "a.html")], "x")).all("svg")


def test_what_an_agent_that_gave_up_has_done_is_listed_once_with_its_reason(tmp_path, mended):
    replace(mended, agent_error="out of quota", terminated=False, success=False).save(
        tmp_path / "errors" / "x.unfinished.json"
    )
    error = {"kind": "agent", "error": "out of quota", "agent": "reference", "problem": "p", "seed": 4, "traceback": ""}
    (tmp_path / "errors" / "x.json").write_text(json.dumps(error))
    mended.save(tmp_path / "episodes" / "y.json")
    assert run(["view", str(tmp_path)]) == 0
    read = Reader((tmp_path / "view" / "index.html").read_text(encoding="utf-8"))
    assert sorted(lines_of(read)) == [("reference", "errors", "agent gave up"), ("reference", "solved", "solved")]
    inner = Reader((tmp_path / "view" / "errors" / "x.unfinished.html").read_text(encoding="utf-8"))
    assert inner.texts("p", "reasons") == ["out of quota"]


def test_what_a_repair_changed_beside_the_point_is_listed(mended):
    lines = ["deployment search: image of container a changed", "service <b>: is gone"]
    results = {**mended.results, "collateral": lines, "left": ["pod x: was added"]}
    page = Reader(render_page(replace(mended, results=results)))
    assert [each["text"] for each in page.all("div", "beside")] == [
        f"Undone or opened beside the point{lines[0]}{lines[1]}",
        "Left behindpod x: was added",
    ]


def test_a_session_of_aiopslab_is_shown_as_well():
    trace = [
        {"role": "assistant", "content": '```\nexec_shell("ls")\n```'},
        {"role": "env", "content": "a\n"},
        {"role": "assistant", "content": "```\nsubmit()\n```"},
    ]
    turns, system = tell(made(trace=trace))
    assert [(turn.kind, turn.output, turn.end) for turn in turns] == [("shell", "a\n", 0.0), ("submit", "", 0.0)]
    assert system is None
    assert len(Reader(render_page(made(trace=trace))).all("a", "at")) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
NAMED = st.dictionaries(st.sampled_from(["components", "operations", "calls", "ok", "slow", "ready", "geo"]), JSON)


@settings(deadline=None)
@given(
    health=NAMED,
    calls=st.lists(JSON, max_size=3),
    steps=st.lists(
        st.fixed_dictionaries(
            {},
            optional={
                "action": JSON,
                "observation": JSON,
                "time": JSON,
                "tool": JSON,
                "error": JSON,
                "reward": JSON,
                "health": JSON,
            },
        ),
        max_size=3,
    ),
)
def test_a_file_with_odd_contents_is_shown_as_far_as_it_goes(health, calls, steps):
    Reader(render_page(made(steps, health=health, calls=calls)))


@pytest.fixture
def folder(tmp_path, mended):
    mended.save(tmp_path / "episodes" / "one two#.json")
    replace(mended, agent="other", success=False, reward=0.0).save(tmp_path / "b.json")
    (tmp_path / "plan.json").write_text('{"problems": []}')
    (tmp_path / "half.json").write_text('{"agent": ')
    (tmp_path / "few.json").write_text('{"agent": "a", "problem_id": "p", "session_id": "s"}')
    (tmp_path / "errors").mkdir()
    error = {"kind": "worker", "error": "killed <b>", "agent": "other", "problem": "lost-1", "seed": 4, "traceback": ""}
    (tmp_path / "errors" / "c.json").write_text(json.dumps(error))
    return tmp_path


def test_a_folder_is_a_list_that_leads_to_a_page_each(folder, capsys):
    assert run(["view", str(folder)]) == 0
    index = folder / "view" / "index.html"
    printed = capsys.readouterr()
    assert printed.out == f"{index}\n"
    assert printed.err == f"aiops-gym: passed over as damaged: {folder / 'few.json'}, {folder / 'half.json'}\n"
    read = Reader(index.read_text(encoding="utf-8"))
    links = [e["href"] for e in read.all("a")]
    assert sorted(links) == ["b.html"] * 2 + ["episodes/one%20two%23.html"] * 2  # in the list, and by problem
    assert len([e for e in read.all("tr") if "data-agent" in e]) == 3
    assert "killed <b>" in read.texts("td", "error")
    facts = dict(zip(read.texts("dt"), read.texts("dd"), strict=True))
    assert (facts["episodes"], facts["problems"], facts["without a verdict"]) == ("2", "1", "1")
    inner = Reader((folder / "view" / "episodes" / "one two#.html").read_text(encoding="utf-8"))
    assert [e["href"] for e in inner.all("a", "up")] == ["../index.html"]
    assert not list(folder.rglob("*.half"))


def test_writing_a_folder_again_gives_the_same_files(folder):
    def written():
        assert run(["view", str(folder)]) == 0
        return {path: path.read_bytes() for path in (folder / "view").rglob("*.html")}

    assert written() == written()


def test_a_file_is_one_page_where_it_is_asked_for(folder, tmp_path, capsys):
    assert run(["view", str(folder / "b.json")]) == 0
    assert (folder / "b.html").exists()
    assert run(["view", str(folder / "b.json"), "--out", str(tmp_path / "x" / "y.html")]) == 0
    assert (tmp_path / "x" / "y.html").read_bytes() == (folder / "b.html").read_bytes()
    assert "All episodes" not in (folder / "b.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["nothing.json"], 2, "does not exist"),
        (["half.json"], 1, "no saved episode"),
        (["errors"], 1, ""),
        ([".", "--out", "x.html"], 1, "name a folder"),
        (["b.json", "--out", "b.json"], 1, "the episode itself"),
    ],
)
def test_what_cannot_be_shown_is_said_in_one_line(folder, monkeypatch, capsys, arguments, code, says):
    monkeypatch.chdir(folder)
    (folder / "errors" / "c.json").unlink()
    assert run(["view", *arguments]) == code
    err = capsys.readouterr().err
    assert says in err
    assert err.count("\n") == 1
