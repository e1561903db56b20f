"""Discrete actions hold what was seen, and nothing that comes from a fault."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from played_world import PlayedEnv

from aiops_gym import wrappers
from aiops_gym.catalog import registry
from aiops_gym.tools import parse
from aiops_gym.wrappers import HashedText, History, MacroActions, RewardShaping, Symptoms
from aiops_gym.wrappers.macro_actions import UNFILLED
from aiops_gym.wrappers.macros import MACROS, layout

PROMPT = "Namespace: shop\nSupported Operations:\n- Buy\n"
DEPLOYMENTS = """\
NAME   READY   UP-TO-DATE   AVAILABLE   AGE   CONTAINERS   IMAGES    SELECTOR
cart   1/1     1            1           5h    app          cart:v2   app=cart
pay    0/1     1            0           5h    app          pay:v1    app=pay
"""
REPLICASETS = """\
NAME              DESIRED   CURRENT   READY   AGE   CONTAINERS   IMAGES    SELECTOR
cart-5f6d888fff   1         1         1       3m    app          cart:v2   app=cart
cart-84db68bc68   0         0         0       5h    app          cart:v1   app=cart
pay-7794665c85    1         1         0       5h    app          pay:v1    app=pay
"""
SERVICES = """\
NAME   TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)    AGE   SELECTOR
cart   ClusterIP   10.96.1.1    <none>        80/TCP     5h    app=cart
pay    ClusterIP   10.96.1.2    <none>        8000/TCP   5h    app=pay
"""
DESCRIBED = """\
Name:                   pay
Labels:                 app=pay
Selector:               app=pay
StrategyType:           RollingUpdate
Pod Template:
  Containers:
   app:
    Image:      pay:v1
    Port:       8080/TCP
    Host Port:  0/TCP
"""
SERVICE = """\
Name:              pay
Selector:          app=pay
Port:              8000  8000/TCP
TargetPort:        9999/TCP
"""


def played(*texts, task="mitigation", **kwargs):
    env = MacroActions(PlayedEnv([PROMPT, *texts], task), slots=3, **kwargs)
    env.reset(seed=0)
    for _ in texts:
        env.step(0)
    return env


def commands(env):
    """What can be done now, by name: the command lines."""
    texts = zip(env.macro_names, env.meanings(), strict=True)
    return {name: str(parse(text).args[0]) for name, text in texts if text and parse(text).args}


def test_at_first_only_the_namespace_is_known():
    assert {name for name in commands(played()) if name[-1].isdigit()} == set()
    assert commands(played())["pods"] == "kubectl get pods -n shop"


def test_the_most_suspicious_component_comes_first():
    seen = commands(played(DEPLOYMENTS))
    assert seen["undo 0"] == "kubectl rollout undo deployment/pay -n shop"
    assert seen["undo 1"] == "kubectl rollout undo deployment/cart -n shop"
    assert "undo 2" not in seen


def test_fixed_slots_never_move():
    env = played(DEPLOYMENTS, order="first")
    before = commands(env)
    env.unwrapped.texts.append(DEPLOYMENTS.replace("1/1  ", "0/0  "))
    env.step(0)
    assert env.seen.components["cart"].signs == {"scaled_to_zero"}
    assert {name: commands(env)[name] for name in before} == before


def test_more_names_than_slots_are_cut_by_their_order():
    rows = "".join(f"a{i}     1/1     1            1           5h\n" for i in range(9))
    crowd = f"NAME   READY   UP-TO-DATE   AVAILABLE   AGE\n{rows}zz     0/1     1            0           5h\n"
    assert played(crowd).ranked() == ["zz", "a0", "a1"]
    assert played(crowd, order="first").ranked() == ["a0", "a1", "a2"]


def test_an_older_image_is_one_that_was_seen_in_the_history():
    seen = commands(played(DEPLOYMENTS, REPLICASETS))
    images = {name: text for name, text in seen.items() if name.startswith("older image")}
    assert list(images.values()) == ["kubectl set image deployment cart app=cart:v1 -n shop"]


def test_a_target_port_is_that_of_the_container():
    env = played(DEPLOYMENTS, SERVICES, SERVICE, DESCRIBED)
    seen = commands(env)
    patch = 'kubectl patch service pay -n shop -p \'{"spec": {"ports": [{"port": 8000, "targetPort": 8080}]}}\''
    assert [text for name, text in seen.items() if name.startswith("target port")] == [patch]
    assert "port_differs" in env.seen.components["pay"].signs
    assert env.ranked()[0] == "pay"


def test_a_release_rolls_back_to_the_revision_before_the_one_that_was_seen():
    env = played(
        "NAME\tNAMESPACE\tREVISION\tUPDATED\tSTATUS\tCHART\tAPP VERSION\nweb\tshop\t4\tnow\tdeployed\tweb-1\t\n"
    )
    assert commands(env)["roll back 0"] == "helm rollback web 3 -n shop"


def test_logs_blame_whom_they_name():
    env = played(DEPLOYMENTS)
    env.unwrapped.texts.append("12:00 ERR PayHandler Charge failed\n12:01 INF cart is well\n")
    env.step(env.macro_names.index("logs 1"))
    assert "blamed" in env.seen.components["pay"].signs
    assert env.seen.components["cart"].signs == {"errors"}
    assert env.seen.components["cart"].looks == {"logs_read"}


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
def test_each_task_is_answered_in_its_own_form(task):
    env = gym.make(f"aiops_gym/{task.capitalize()}-v0")
    wrapped = MacroActions(env, slots=3)
    wrapped.reset(seed=1)
    wrapped.step(0)
    answers = [a for a, name in enumerate(wrapped.macro_names) if name.startswith("submit") and wrapped.meaning(a)]
    assert len(answers) == {"detection": 2, "localization": 4, "analysis": 25, "mitigation": 1}[task]
    for action in answers[:3]:
        wrapped.reset(seed=1)
        wrapped.step(0)
        _, _, over, _, info = wrapped.step(action)
        assert (over, info["error"]) == (True, "")


def test_a_masked_action_is_refused_and_nothing_worse():
    env = MacroActions(gym.make("aiops_gym/Mitigation-v0"), slots=3)
    env.reset(seed=1)
    masked = int(np.flatnonzero(~env.action_masks())[0])
    text, reward, over, _, info = env.step(masked)
    assert (reward, over, info["error"], env.spoken) == (0.0, False, "parse", UNFILLED)
    assert "fenced block" in text


def test_masks_are_there_before_the_first_reset_and_never_empty():
    env = MacroActions(gym.make("aiops_gym/Mitigation-v0"))
    assert env.action_masks().any()
    bare = MacroActions(PlayedEnv(["nothing"], "detection"), macros=["pods"])
    bare.reset()
    assert bare.action_masks().all()


@pytest.mark.parametrize("order", ["relevance", "first"])
def test_unmasked_looks_are_accepted_by_the_world(order):
    env = MacroActions(gym.make("aiops_gym/Mitigation-v0", max_episode_steps=400), slots=3, order=order)
    env.reset(seed=2)
    for action in range(env.action_space.n):
        if env.action_masks()[action] and not env.macro_names[action].startswith("submit"):
            _, _, _, _, info = env.step(action)
            assert info["valid_action"], (env.spoken, info["error"])


def test_one_may_bring_commands_of_ones_own():
    env = played(DEPLOYMENTS, macros=["pods", "kubectl get endpoints {component} -n {namespace}", "submit"])
    assert env.action_space.n == 1 + 3 + 1
    assert "kubectl get endpoints pay -n shop" in commands(env).values()


def test_every_name_in_a_template_is_one_that_can_be_seen():
    known = {
        "namespace", "traces", "released", "component", "container", "image", "older_image", "selector", "service",
        "service_port", "container_port", "policy", "quota", "node", "taint", "release", "previous",
    }  # fmt: skip
    for macro in MACROS:
        assert set(macro.needs) <= known, macro.name


def normal(text):
    """A command line with its names left open, so that only what it does is compared."""
    return " ".join(re.sub(r"\{\{|\}\}|\{\w+\}|<\w+>", "_", text).replace("deployments", "deployment").split())


GENERIC = {"kubectl rollout undo deployment/_ -n _", "kubectl rollout restart deployment/_ -n _"}
"""Verbs that name nothing of what is wrong: what anybody tries first."""


def test_no_template_is_a_repair_of_the_catalogue():
    ours = {normal(line) for macro in MACROS for line in str(macro.command).split("\n")}
    repairs = {
        normal(line) for fault in registry.faults().values() for script in fault.fixes for line in script.split("\n")
    }
    assert len(repairs) > 50
    assert ours & repairs <= GENERIC


def test_the_wrappers_know_no_fault_and_no_application():
    folder = Path(wrappers.__file__).parent
    names = {
        *registry.faults(),
        *registry.apps(),
        *(name for app in registry.apps().values() for name in app.components),
    }
    for path in folder.glob("*.py"):
        tree = ast.parse(path.read_text())
        imported = {
            name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
        }
        assert not any(name.startswith(("aiops_gym.catalog.faults", "aiops_gym.catalog.apps")) for name in imported)
        if path.name != "curriculum.py":
            assert not any(name.startswith(("aiops_gym.catalog", "aiops_gym.backends")) for name in imported), path
        words = {
            word
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and ">>>" not in node.value
            for word in re.findall(r"[a-z][a-z0-9_-]{5,}", node.value)
        }
        assert not words & {name for name in names if "_" in name or "-" in name}, path


def test_adding_a_fault_adds_no_action(monkeypatch):
    before = {task: layout(task, 5) for task in ("detection", "localization", "analysis", "mitigation")}
    fault = next(iter(registry.faults().values()))
    monkeypatch.setattr(registry, "faults", lambda: {**dict.fromkeys("abc", fault)})
    assert {task: layout(task, 5) for task in before} == before


TEXTS = (
    *(DEPLOYMENTS, REPLICASETS, SERVICES, SERVICE, DESCRIBED),
    *("", "pay: connection refused", DEPLOYMENTS[:120], "[... 5 characters left out ...]\n"),
)


def stack(env):
    return RewardShaping(History(Symptoms(HashedText(MacroActions(env, slots=3), 32))), progress=1.0)


@given(st.lists(st.sampled_from(TEXTS) | st.text(max_size=80), min_size=1, max_size=6), st.data())
@settings(max_examples=80, deadline=None)
def test_equal_histories_have_equal_masks_and_features_whatever_is_hidden(texts, data):
    left, right = (stack(PlayedEnv([PROMPT, *texts], hidden=hidden)) for hidden in ("a secret", ["another"]))
    begun = [env.reset(seed=0) for env in (left, right)]
    turns = [(begun[0], begun[1])]
    for _ in texts:
        action = data.draw(st.integers(0, int(left.action_space.n) - 1))
        turns.append((left.step(action), right.step(action)))
    for a, b in turns:
        assert all(np.array_equal(a[0][name], b[0][name]) for name in a[0])
        assert np.array_equal(a[-1]["action_mask"], b[-1]["action_mask"])
        assert a[0] in left.observation_space


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_real_episode_tells_masks_and_features_nothing_beyond_its_texts(task, seed):
    env = stack(gym.make(f"aiops_gym/{task.capitalize()}-v0"))
    inner = env.get_wrapper_attr("heard")
    real = [env.reset(seed=seed)]
    texts, actions, chance = [env.get_wrapper_attr("heard")], [], np.random.default_rng(seed)
    assert inner == ""
    for _ in range(10):
        allowed = np.flatnonzero(env.get_wrapper_attr("action_masks")())
        looks = [a for a in allowed if not env.get_wrapper_attr("macro_names")[a].startswith("submit")]
        actions.append(int(chance.choice(looks)))
        real.append(env.step(actions[-1]))
        texts.append(env.get_wrapper_attr("heard"))
    again = stack(PlayedEnv(texts, task))
    replayed = [again.reset(seed=seed), *(again.step(action) for action in actions)]
    for a, b in zip(real, replayed, strict=True):
        for name in a[0]:
            assert np.array_equal(a[0][name], b[0][name]), name
        assert np.array_equal(a[-1]["action_mask"], b[-1]["action_mask"])


@given(st.text(max_size=300) | st.sampled_from(TEXTS), st.text(max_size=40))
@settings(max_examples=100, deadline=None)
def test_any_text_can_be_read(text, action):
    env = Symptoms(PlayedEnv([PROMPT + text, text]), slots=2)
    assert env.reset()[0] in env.observation_space
    assert env.step(action)[0] in env.observation_space


def test_looking_leads_to_the_component_that_is_wrong():
    ids = (
        "container_kill-localization",
        "scale_pod_zero_social_net-localization-1",
        "misconfig_app_hotel_res-localization-1",
    )
    env = MacroActions(gym.make("aiops_gym/Localization-v0"))
    for id_ in ids:
        env.reset(seed=1, options={"problem": id_})
        for name in ("deployments", "endpoints", "pods", "warnings", "traces", "spans"):
            env.step(env.macro_names.index(name))
        assert env.ranked()[0] == registry.problem(id_).target
