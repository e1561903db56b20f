"""A conversation stays within the model's window, and the prompt stays whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.agents.base import AgentError
from aiops_gym.agents.chat.history import AFTER, SHORT, History, estimate

LONG = "0123456789" * 300


def talk(room, turns, prompt="the prompt " * 20):
    history = History(system="be brief", prompt=prompt, room=room)
    for said, heard in turns:
        history.add(said, heard)
        history.trim_to_window()
    return history


@given(st.lists(st.tuples(st.text(max_size=40), st.text(max_size=6_000)), max_size=12), st.integers(800, 4_000))
def test_whatever_is_said_it_fits_and_the_prompt_is_whole(turns, room):
    history = talk(room, turns)
    messages = history.messages()
    assert estimate(messages) <= room
    assert [each["role"] for each in messages] == ["system", "user"] + ["assistant", "user"] * len(history.turns)
    assert messages[1]["content"].startswith("the prompt " * 20)
    assert history.left_out + len(history.turns) == len(turns)
    assert all(message["content"].strip() for message in messages[:-1:2])


def test_old_observations_are_shortened_before_turns_are_left_out_and_the_newest_stays():
    history = talk(2_500, [(f"say {n}", LONG) for n in range(3)])
    assert [len(turn.heard) > SHORT for turn in history.turns] == [False, False, True]
    assert history.turns[0].heard.startswith("0123") and "left out" in history.turns[0].heard
    assert [turn.said for turn in history.turns] == ["say 0", "say 1", "say 2"]
    assert "left out" not in history.messages()[1]["content"]
    history = talk(1_500, [(f"say {n}", LONG) for n in range(30)])
    assert 0 < history.left_out < 30
    assert history.messages()[1]["content"].endswith(f"[The first {history.left_out} turns are left out.]")
    assert history.turns[-1].heard == LONG


def test_one_enormous_observation_keeps_its_ends():
    history = talk(1_500, [("say", "head" + LONG * 100 + "tail")])
    assert history.turns[0].heard.startswith("head")
    assert history.turns[0].heard.endswith("tail")


def test_what_was_sent_stays_until_there_is_no_room():
    """A server's cache of the beginning is worth most of the price."""
    history = History(system="be brief", prompt="p", room=6_000)
    cut = 0
    before = []
    for n in range(40):
        history.add(f"say {n}", LONG[:1_500])
        history.trim_to_window()
        now = history.messages()
        if now[: len(before)] != before:
            cut += 1
            assert history.size() <= 6_000 * AFTER
        before = now
    assert 1 <= cut <= 20


def test_the_servers_own_count_is_learned():
    history = talk(4_000, [("say", LONG)])
    assert len(history.turns[0].heard) == len(LONG)
    history.learn(estimate(history.messages()), 5 * estimate(history.messages()))
    history.trim_to_window()
    assert len(history.turns[0].heard) < len(LONG)


@pytest.mark.parametrize("reported", [1, 10**9])
def test_a_count_that_cannot_be_one_of_all_messages_moves_little(reported):
    history = talk(9_000, [("say", LONG)])
    history.learn(estimate(history.messages()), reported)
    assert 0.75 <= history.ratio <= 16
    history.trim_to_window()
    assert history.messages()[1]["content"] == "the prompt " * 20


def test_an_enormous_answer_keeps_its_ends():
    history = talk(1_500, [("head" + LONG * 1_000 + "tail", "too long"), ("say", "heard")])
    assert history.left_out == 0
    assert history.turns[0].said.startswith("head")
    assert history.turns[0].said.endswith("tail")


def test_a_prompt_that_does_not_fit_is_an_error_and_not_a_cut():
    with pytest.raises(AgentError, match="prompt does not fit"):
        talk(100, [("a", "b")], prompt=LONG)


def test_what_no_server_takes_is_made_good():
    history = talk(4_000, [("", "a \ud800 b"), (" \n", "c")])
    said = [message["content"] for message in history.messages()]
    assert said[2] == said[4] == "(no answer)"
    assert said[3].encode()
