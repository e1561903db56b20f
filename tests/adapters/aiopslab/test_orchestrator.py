"""What an orchestrator does beside the usual: the last step, further episodes, mistakes, and a world that breaks."""

from __future__ import annotations

import asyncio
import json

import gymnasium as gym
import pytest

from aiops_gym.adapters.aiopslab import (
    InvalidActionError,
    OpenRCAOrchestrator,
    Orchestrator,
    ProblemRegistry,
    SubmissionStatus,
)
from aiops_gym.agents.kinds import NEXT
from aiops_gym.envs.live import LiveEnv
from aiops_gym.errors import ArgumentError, BackendError
from aiops_gym.runs import Episode
from aiops_gym.types import Call

GEO = "user_unregistered_mongodb-{}-1"
LOOK = '```\nexec_shell("echo hi")\n```'


class Fixed:
    """Says what it was given, in order, and remembers what it was told."""

    def __init__(self, *actions):
        self.actions, self.states = actions, []

    def get_action(self, state):
        self.states.append(state)
        return self.actions[len(self.states) - 1]


def play(orchestrator, problem, *actions, steps=10):
    agent = Fixed(*actions)
    orchestrator.register_agent(agent, name="fixed")
    orchestrator.init_problem(*([problem] if isinstance(problem, str) else problem))
    return asyncio.run(orchestrator.start_problem(steps)), agent


def test_an_episode_is_graded_after_its_last_step_as_upstream(tmp_path):
    orchestrator = Orchestrator(tmp_path)
    told, agent = play(orchestrator, GEO.format("detection"), LOOK, LOOK, LOOK, steps=2)
    assert len(agent.states) == 2
    assert told["results"]["Detection Accuracy"] == "Invalid Format"
    assert told["final_state"] == "hi\n"
    saved = Episode.load(next(tmp_path.iterdir()))
    assert (saved.truncated, saved.terminated, saved.reward, saved.submitted) == (True, False, 0.0, "")
    assert (orchestrator.session.solution, saved.env_kwargs["max_episode_steps"]) == (None, 2)


def test_a_system_that_was_repaired_and_not_submitted_counts_as_upstream(tmp_path):
    env = gym.make("aiops_gym/Mitigation-v0", problem=GEO.format("mitigation"), evaluation="aiopslab")
    env.reset(seed=0)
    *actions, _ = env.unwrapped.reference_actions()
    told, _ = play(Orchestrator(tmp_path), GEO.format("mitigation"), *actions, steps=len(actions))
    assert told["results"]["success"] is True
    assert Episode.load(next(tmp_path.iterdir())).reward == 1.0


def test_a_question_without_an_answer_has_a_score(tmp_path):
    told, _ = play(OpenRCAOrchestrator(results_dir=tmp_path), ("Bank", 0), "no call", steps=1)
    assert told["results"]["score"] == 0.0
    assert told["results"]["time_match"] is False
    assert told["final_state"].startswith("Error parsing response: ")
    with pytest.raises(ValueError, match="999999 not found"):
        OpenRCAOrchestrator().init_problem("Bank", 999_999)


def test_a_problem_begun_again_is_its_next_episode(tmp_path):
    orchestrator = Orchestrator(tmp_path, seed=5)
    for _ in range(2):
        play(orchestrator, GEO.format("detection"), '```\nsubmit("Yes")\n```')
    saved = {each.seed: each for each in map(Episode.load, tmp_path.iterdir())}
    assert sorted(saved) == [5, 6]
    env = gym.make("aiops_gym/Detection-v0")
    for seed, each in saved.items():
        info = env.reset(seed=seed, options={"problem": GEO.format("detection")})[1]
        assert info["episode_seed"] == each.episode_seed


def test_sessions_go_where_upstream_puts_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    play(Orchestrator(), GEO.format("detection"), '```\nsubmit(has_anomaly="No")\n```')
    (path,) = (tmp_path / "data" / "results").iterdir()
    assert json.loads(path.read_text())["results"]["Detection Accuracy"] == "Incorrect"
    assert path.read_text().startswith('{\n  "agent": "fixed",')


@pytest.mark.parametrize(("value", "size"), [(None, 5), ("3", 3), ("0", 0), ("abc", 0), ("", 0), ("-2", 0)])
def test_log_trim_sets_the_block_of_the_deduplication(value, size, monkeypatch):
    if value is not None:
        monkeypatch.setenv("LOG_TRIM", value)
    orchestrator = Orchestrator()
    orchestrator.init_problem(GEO.format("detection"))
    assert orchestrator.problem.env.log_dedup == size


def test_strict_verdicts_are_there_for_who_asks(tmp_path):
    told, _ = play(Orchestrator(tmp_path, evaluation="strict"), GEO.format("localization"), LOOK, steps=1)
    assert "Localization Accuracy" not in told["results"]
    assert (told["results"]["success"], told["results"]["steps"]) == (False, 1)


def test_who_forgets_a_part_is_told(tmp_path):
    orchestrator = Orchestrator(tmp_path)
    with pytest.raises(ArgumentError, match="register_agent"):
        asyncio.run(orchestrator.start_problem(1))
    orchestrator.register_agent(Fixed())
    with pytest.raises(ArgumentError, match="init_problem"):
        asyncio.run(orchestrator.start_problem(1))
    with pytest.raises(ValueError, match=r"^Problem ID x not found in registry\.$"):
        orchestrator.init_problem("x")


def test_what_an_agent_raises_is_raised_and_nothing_is_saved(tmp_path):
    orchestrator = Orchestrator(tmp_path)
    with pytest.raises(IndexError):
        play(orchestrator, GEO.format("detection"), LOOK)
    assert not list(tmp_path.iterdir())
    assert orchestrator.problem is None


@pytest.mark.parametrize("error", [BackendError("the cluster is gone"), RuntimeError("a bug")])
def test_a_world_that_breaks_is_an_error_and_no_verdict(error, tmp_path, monkeypatch):
    def broken(*_):
        raise error

    monkeypatch.setattr(LiveEnv, "_call", broken)
    with pytest.raises(BackendError, match=str(error)):
        play(Orchestrator(tmp_path), GEO.format("detection"), LOOK)
    assert not list(tmp_path.iterdir())


def test_a_world_that_cannot_begin_is_an_error(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no memory")

    monkeypatch.setattr(LiveEnv, "_open", broken)
    with pytest.raises(BackendError, match="no memory"):
        Orchestrator().init_problem(GEO.format("detection"))


def test_actions_are_steps_of_the_episode_and_answers_are_judged_beside_it():
    problem = ProblemRegistry().get_problem_instance(GEO.format("localization"))
    assert problem.namespace == problem.app.namespace == "test-hotel-reservation"
    env = gym.make("aiops_gym/Localization-v0", problem=GEO.format("localization"))
    env.reset(seed=0)
    for call in (
        Call("get_logs", ("test-hotel-reservation", "geo")),
        Call("exec_shell", (), {"command": "kubectl get po -A"}),
    ):
        assert getattr(problem.actions, call.name)(*call.args, **call.kwargs) == env.step(str(call))[0]
    found = problem.eval(["geo", "rate"], [], 2.5)
    assert (found["Localization Accuracy"], found["success"], found["is_subset"], found["TTL"]) == (
        50.0,
        False,
        True,
        2.5,
    )
    assert problem.eval(object(), [], 0.0)["Localization Accuracy"] == 0.0
    with pytest.raises(InvalidActionError, match=r"^Invalid action: reset$"):
        problem.perform_action("reset")
    assert not problem.submitted
    assert problem.perform_action("submit", ["geo"]) is SubmissionStatus.VALID_SUBMISSION
    problem.close()
    with pytest.raises(BackendError, match="closed"):
        problem.get_instructions()


def test_mitigation_is_judged_on_the_system_whatever_was_submitted():
    problem = ProblemRegistry().get_problem_instance(GEO.format("mitigation"))
    assert problem.eval("done", [], 1.0)["success"] is False
    for action in problem.env.reference_actions()[:-1]:
        problem.session.agent.act(action)
    problem.inject_fault(), problem.recover_fault(), problem.start_workload()
    assert problem.eval(None, [], 1.0)["success"] is True


def test_orchestrators_play_side_by_side(tmp_path):
    async def both():
        plays = []
        for name in ("one", "two"):
            orchestrator = Orchestrator(tmp_path / name)
            orchestrator.register_agent(Slow('```\nsubmit("Yes")\n```'), name)
            orchestrator.init_problem(GEO.format("detection"))
            plays.append(orchestrator.start_problem(3))
        return await asyncio.gather(*plays)

    first, second = asyncio.run(both())
    assert first["results"] == second["results"]
    assert [each.name.count(".json") for each in sorted(tmp_path.glob("*/*"))] == [1, 1]


class Slow(Fixed):
    async def get_action(self, state):
        await asyncio.sleep(0)
        return super().get_action(state)


def test_an_agent_is_told_texts_of_the_world_alone(tmp_path):
    told, agent = play(Orchestrator(tmp_path), GEO.format("analysis"), LOOK, "```\nsubmit()\n```")
    assert agent.states == [NEXT, f"hi\n\n{NEXT}"]
    assert all(type(state) is str for state in agent.states)
    assert [item.role for item in told["history"]] == ["assistant", "env"] * 2
