"""An answer by number can name several components: those that were noted, and one more."""

from __future__ import annotations

import numpy as np
from played_world import PlayedEnv

from aiops_gym.tools import parse
from aiops_gym.wrappers import MacroActions, Symptoms
from aiops_gym.wrappers.symptoms import COMPONENT

PROMPT = "Namespace: shop\nSupported Operations:\n- Buy\n"
DEPLOYMENTS = """\
NAME   READY   UP-TO-DATE   AVAILABLE   AGE
cart   1/1     1            1           5h
pay    0/1     1            0           5h
user   1/1     1            1           5h
"""


def test_an_answer_names_all_that_were_noted_and_what_stands_in_its_slot():
    inside = PlayedEnv([PROMPT, DEPLOYMENTS, ""], "localization")
    inside.offered = "all"
    env = Symptoms(MacroActions(inside, slots=4, looks_first=False))
    env.reset(seed=0)
    names = env.get_wrapper_attr("macro_names")
    env.step(names.index("status"))
    cart, pay, user = (env.named().index(name) for name in ("cart", "pay", "user"))

    def answer(slot):
        return parse(env.get_wrapper_attr("meaning")(names.index(f"submit {slot}"))).args[0]

    assert answer(user) == ["user"]
    for slot in (pay, cart):
        seen = env.step(names.index(f"suspect {slot}"))[0]
    assert [parse(said).args[0] for said in inside.said[1:]] == ["echo pay >> suspects", "echo cart >> suspects"]
    assert (answer(user), answer(pay)) == (["pay", "cart", "user"], ["pay", "cart"])
    noted = seen["components"].reshape(4, len(COMPONENT))[:, COMPONENT.index("suspected")]
    assert set(np.flatnonzero(noted)) == {pay, cart}
    assert [bool(env.get_wrapper_attr("action_masks")()[names.index(f"suspect {at}")]) for at in (pay, user)] == [0, 1]
    env.reset(seed=0)
    assert env.get_wrapper_attr("suspects") == ()
