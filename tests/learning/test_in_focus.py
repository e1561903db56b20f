"""What the mask of Mitigation gives away once the right component is in focus: not the repair."""

from __future__ import annotations

from statistics import mean

import pytest

from aiops_gym.catalog import registry
from aiops_gym.learning import worlds
from aiops_gym.learning.imitation import draw_problem
from aiops_gym.learning.oracle import SUBMIT, _changes, look_around
from aiops_gym.learning.study import Study
from aiops_gym.wrappers import fork

EPISODES = 30


def _repairing(env, problem):
    """Of each change that is offered where the fault is, whether it repairs; nothing where it is in no component."""
    names, known = env.get_wrapper_attr("macro_names"), env.get_wrapper_attr("named")()
    target = registry.find_problem(problem).target
    if target not in known or not env.get_wrapper_attr("action_masks")()[names.index(f"focus {known.index(target)}")]:
        return []
    env.step(names.index(f"focus {known.index(target)}"))
    found = []
    for change in _changes(env):
        (branch,) = fork(env)
        over = any(branch.step(change)[2:4])
        found.append(not over and branch.step(names.index(SUBMIT))[4]["is_success"])
    return found


@pytest.mark.full
def test_a_change_at_random_where_the_fault_is_seldom_repairs_it(tmp_path):
    settings = Study(out=tmp_path, tasks=("mitigation",)).settings("mitigation", 0, "")
    env, found = worlds.make_world(settings), []
    for number in range(EPISODES):
        problem = draw_problem(settings, number)
        env.reset(seed=number, options={"problem": problem})
        for look in look_around(env):
            env.step(look)
        found.append(_repairing(env, problem))
    offered = [each for each in found if each]
    assert len(offered) > EPISODES / 2
    assert mean(map(len, offered)) > 4
    assert 0.05 < mean(map(mean, offered)) < 0.3
