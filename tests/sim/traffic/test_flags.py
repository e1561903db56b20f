"""Calls that a flag makes, leaves out or changes, and what a client says of a status that it was told."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.traffic.clients import load_clients
from aiops_gym.sim.traffic.clients.client import STATUSES, Failed
from aiops_gym.sim.traffic.flags import Flags
from aiops_gym.sim.traffic.walk import OK, code_of

VALUES = st.one_of(
    st.booleans(), st.integers(-5, 5), st.floats(0, 1), st.text(max_size=3), st.none(), st.lists(st.none())
)
TRACED = [each for kinds in load_clients().values() for each in kinds.values() if each.side == "otel-client"]


@given(st.dictionaries(st.sampled_from("abc"), VALUES))
def test_of_a_call_and_its_opposite_one_is_made(values):
    calls = [{"when": {"a": True}, "n": 1}, {"when": {"a": False}, "n": 2}, {"n": 3}]
    made = Flags(values).choose(calls)
    assert len(made) == 2
    assert made[-1] == {"n": 3}


@given(st.dictionaries(st.sampled_from("abc"), VALUES))
def test_a_number_is_what_its_flag_makes_of_it(values):
    flags = Flags(values)
    (made,) = flags.choose([{"p": {"flag": "a", "times": 2, "plus": 1}}])
    assert made["p"] == flags.number("a") * 2 + 1


def test_calls_side_by_side_are_chosen_one_by_one():
    group = [{"when": {"a": True}, "n": 1}, {"n": 2}]
    assert Flags({}).choose([group, [group[0]]]) == [[{"n": 2}]]


def test_work_and_lines_are_added_while_a_flag_is_on():
    handler = {
        "says": [["", "always", "info"]],
        "adds": [{"when": {"a": True}, "says": [["", "on", "info"]]}],
        "slowed": [{"when": {"a": True}, "ms": 5.0}],
    }
    assert [Flags({"a": on}).work(1.0, handler) for on in (False, True)] == [1.0, 6.0]
    assert [len(Flags({"a": on}).sayings(handler)) for on in (False, True)] == [1, 2]


@pytest.mark.parametrize("client", TRACED, ids=lambda client: client.name)
@pytest.mark.parametrize("outcome", ["refused", "timeout", "no_host", "no_answer"])
def test_every_client_has_words_for_a_failed_connection(client, outcome):
    text, after = client.unreachable(Failed(outcome, "cart", 8080, "10.96.0.7"))
    assert text
    assert "{" not in text.replace("{}", "")
    assert after > 0


@pytest.mark.parametrize(
    "client", [each for each in TRACED if "{message}" in each.wraps], ids=lambda client: client.name
)
@given(st.sampled_from(sorted(STATUSES)), st.text(min_size=1, max_size=12))
def test_a_status_is_told_with_its_message(client, status, message):
    told = client.wrap(f"{status}: {message}")
    assert message in told
    assert status in told or STATUSES[status][1] in told
    assert code_of(f"{status}: {message}") != OK
