"""An alert's course, against the steps of Prometheus' own loop taken one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim.alerts.course import follow

MINUTE = 60_000


def step_by_step(there, interval, hold, keep):
    """The states after each evaluation, as `AlertingRule.Eval` goes about it: "", "pending" or "firing"."""
    state, active, kept, states = "", 0, None, []
    for number, now in enumerate(there):
        time = number * interval
        if now:
            if not state:
                state, active = "pending", time
            kept = None
        elif state:
            going_on = False
            if state == "firing" and keep:
                kept = time if kept is None else kept
                going_on = time - kept < keep
            if not going_on:
                state, kept = "", None
        if state == "pending" and time - active >= hold:
            state = "firing"
        states.append(state)
    return states


def states_of(stretches, many):
    states = [""] * many
    for began, fired, ended in stretches:
        for number in range(began, many if ended is None else ended):
            states[number] = "firing" if fired is not None and number >= fired else "pending"
    return states


@given(
    there=st.lists(st.booleans(), min_size=1, max_size=40),
    interval=st.sampled_from([15_000, MINUTE]),
    hold=st.sampled_from([0, 20_000, MINUTE, 2 * MINUTE, 5 * MINUTE]),
    keep=st.sampled_from([0, 15_000, 40_000, MINUTE, 3 * MINUTE]),
)
def test_stretches_are_what_the_loop_comes_to(there, interval, hold, keep):
    found = follow(np.array(there, dtype=bool), interval, hold, keep)
    assert states_of(found, len(there)) == step_by_step(there, interval, hold, keep)
