"""A budget of tokens holds a whole episode, whatever the agent asks for and however long it goes on asking."""

from __future__ import annotations

import json

import gymnasium as gym
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aiops_gym  # noqa: F401  # Registers the environments.
from aiops_gym.envs.budget import NOW, SPENT, TURN, Budget, count_high
from aiops_gym.errors import ArgumentError
from aiops_gym.sessions import Sessions
from aiops_gym.tools import get_schemas, toolbox
from aiops_gym.tools.parser import write_call
from aiops_gym.tools.schemas import list_schemas

TOTAL = 8_192
PROBLEM = "auth_miss_mongodb-localization-1"
GREEDY = "kubectl get pods -A -o yaml; kubectl get events -A; kubectl logs -n test-social-network deploy/nginx-thrift"


def shell(command):
    return write_call("exec_shell", {"command": command})


def make(name="Localization", steps=500, **kwargs):
    return gym.make(f"aiops_gym/{name}-v0", max_episode_steps=steps, **kwargs)


def play(env, action, seed=0):
    """Everything that a model's context would hold, and the last step."""
    texts = [env.reset(seed=seed)[0], json.dumps(list_schemas(env.unwrapped.tools, short=True))]
    over = False
    while not over:
        observation, reward, terminated, truncated, info = env.step(action)
        texts += [action, observation]
        over = terminated or truncated
    return texts, (reward, terminated, truncated, info)


@pytest.mark.parametrize("total", [4_096, TOTAL, 32_768])
def test_an_agent_that_only_looks_stays_within_it_and_is_told_to_answer(total):
    texts, (reward, terminated, truncated, info) = play(make(problem=PROBLEM, budget=total), shell(GREEDY))
    assert sum(map(count_high, texts)) + TURN * (len(texts) // 2) <= total
    assert sum(map(count_high, texts)) > total // 2  # and it uses what there is
    assert texts[-3:] == [NOW, shell(GREEDY), SPENT]
    assert (reward, terminated, truncated, info["is_success"]) == (0.0, True, False, False)


def test_it_holds_for_recorded_tables_with_all_tools_too():
    env = make("OpenRCABank", budget=TOTAL, tools="all")
    window = env.unwrapped.example
    texts, (_, terminated, *_) = play(env, window)
    assert sum(map(count_high, texts)) + TURN * (len(texts) // 2) <= TOTAL
    assert terminated


def test_whoever_is_told_to_answer_can_and_it_counts():
    env = make(problem=PROBLEM, budget=4_096)
    env.reset(seed=0)
    while env.step(shell(GREEDY))[0] != NOW:
        pass
    _, reward, terminated, _, info = env.step(env.unwrapped.reference_actions()[-1])
    assert (reward, terminated, info["is_success"]) == (1.0, True, True)


def test_a_used_up_budget_is_graded_where_an_episode_is_graded_after_its_last_step():
    env = make(problem=PROBLEM, budget=4_096, evaluation="aiopslab")
    _, (_, terminated, _, info) = play(env, shell(GREEDY))
    assert terminated
    assert info["results"]


def test_what_fits_is_shown_as_it_is():
    plain, ample = make(problem=PROBLEM), make(problem=PROBLEM, budget=10**6)
    actions = [shell(GREEDY), write_call("get_logs", {"namespace": "test-social-network", "service": "nginx-thrift"})]
    assert plain.reset(seed=1)[0] != ample.reset(seed=1)[0]
    for action in [*actions, *plain.unwrapped.reference_actions()]:
        assert plain.step(action) == ample.step(action)


def test_repetitions_go_before_anything_else_does():
    lines = "".join(f"10:00:{second:02} retry\n" for second in range(60)) + "10:01:00 panic: no route\n"
    shown, _ = Budget(1_000).fit(lines * 3, "look", 700)
    assert "panic: no route" in shown
    assert "left out" not in shown


def test_the_short_prompt_says_the_task_and_names_every_tool():
    env = make(problem=PROBLEM, budget=TOTAL)
    short = env.reset(seed=0)[0]
    long = make(problem=PROBLEM).reset(seed=0)[0]
    assert 2 * count_high(short) < TOTAL
    assert len(short) < 0.7 * len(long)
    assert short.startswith(env.unwrapped.prompt_parts.task)
    assert short.endswith(env.unwrapped.prompt_parts.instructions)
    assert all(f"\n- {name}(" in short for name in toolbox("localization"))


def test_forks_and_snapshots_go_on_with_what_is_left():
    env = make(problem=PROBLEM, budget=TOTAL).unwrapped
    env.reset(seed=0)
    for _ in range(3):
        env.step(shell(GREEDY))
    (fork,), data = env.fork(), env.snapshot()
    other = make(problem=PROBLEM, budget=TOTAL).unwrapped
    other.reset(seed=5)
    other.restore(data)
    for _ in range(4):
        assert env.step(shell(GREEDY)) == fork.step(shell(GREEDY)) == other.step(shell(GREEDY))


def test_sessions_take_it_and_offer_short_schemas():
    session = Sessions().create(PROBLEM, budget=TOTAL)
    full = get_schemas("localization")
    for ours, theirs in zip(session.agent.tools, full, strict=True):
        assert ours["function"]["parameters"] == theirs["function"]["parameters"]
        assert theirs["function"]["description"].replace("\n", " ").startswith(ours["function"]["description"][:-1])
    assert count_high(json.dumps(session.agent.tools)) < 0.9 * count_high(json.dumps(full))


@pytest.mark.parametrize("budget", [0, True, "8192", 8192.5])
def test_what_is_no_number_of_tokens_is_refused(budget):
    with pytest.raises(ValueError, match="budget must be a whole number"):
        make(budget=budget)


def test_a_budget_that_the_task_alone_takes_is_refused():
    with pytest.raises(ArgumentError, match="too small where the task alone takes"):
        make(budget=2_000).reset(seed=0)


@given(
    st.text(max_size=3_000) | st.text("0123456789.,\n", max_size=3_000),
    st.text(max_size=200),
    st.integers(0, 4_500),
)
def test_no_text_breaks_it(text, action, spent):
    shown, after = Budget(4_096).fit(text, action, spent)
    assert after == 4_096 if shown == NOW else after <= 4_096 - 4_096 // 16
    assert shown == NOW or after == spent + count_high(action) + TURN + count_high(shown)
