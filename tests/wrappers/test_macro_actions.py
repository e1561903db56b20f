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
from toy_world import ToyEnv

from aiops_gym import wrappers
from aiops_gym.catalog import registry
from aiops_gym.shell import make_shell
from aiops_gym.tools import parse
from aiops_gym.wrappers import HashedText, History, MacroActions, RewardShaping, Symptoms
from aiops_gym.wrappers.macro_actions import UNFILLED
from aiops_gym.wrappers.reading import settings as settings_
from aiops_gym.wrappers.reading.fields import FIELDS
from aiops_gym.wrappers.reading.macros import AROUND, MACROS, NAMES, lay_out

PROMPT = "Namespace: shop\nSupported Operations:\n- Buy\n"
DEPLOYMENTS = """\
NAME   READY   UP-TO-DATE   AVAILABLE   AGE
cart   1/1     1            1           5h
pay    0/1     1            0           5h
user   1/1     1            1           5h
"""
REPLICASETS = """\
NAME              DESIRED   CURRENT   READY   AGE
cart-5f6d888fff   1         1         1       3m
cart-84db68bc68   0         0         0       5h
pay-7794665c85    1         1         0       5h
"""
MANIFESTS = (
    'cart\t1\t{"app":"cart"}\t{"containers":[{"command":["cart"],"image":"shop:v1","ports":[{"containerPort":80}]}]}\n'
    'pay\t0\t{"app":"pay"}\t{"containers":[{"command":["pay"],"image":"shop:v2","ports":[{"containerPort":81}]}],'
    '"nodeSelector":{"disk":"ssd"}}\n'
    'user\t1\t{"app":"user"}\t{"containers":[{"command":["user"],"image":"shop:v1","ports":[{"containerPort":82}]}]}\n'
)
SERVICES = (
    'cart\t{"ports":[{"port":80,"targetPort":80}],"selector":{"app":"cart"}}\n'
    'pay\t{"ports":[{"port":81,"targetPort":9999}],"selector":{"app":"pay"}}\n'
    'user\t{"ports":[{"port":82,"targetPort":82}],"selector":{"app":"user"}}\n'
)
QUOTA = "NAME     AGE   REQUEST      LIMIT\nbudget   5m    pods: 9/9    \n"
NODES = "NODE   TAINTS                        UNSCHEDULABLE\nw1     node.kubernetes.io/x,repair   true\n"
RELEASE = "NAME\tNAMESPACE\tREVISION\tUPDATED\tSTATUS\tCHART\tAPP VERSION\nweb\tshop\t4\tnow\tdeployed\tweb-1\t\n"


def played(*texts, task="mitigation", **kwargs):
    env = MacroActions(PlayedEnv([PROMPT, *texts], task), slots=4, **kwargs)
    env.reset(seed=0)
    for _ in texts:
        env.step(0)
    return env


def focused(name, *texts, **kwargs):
    """The last text but one is what is printed when a component, or `other` the first other object, is looked at."""
    env = played(*texts, **kwargs)
    env.unwrapped.texts.append("")
    slot = f"focus {env.named().index(name)}" if name in env.seen.components else "focus other 0"
    env.step(env.macro_names.index(slot))
    return env


def commands(env):
    """What can be done now, by name: the command lines."""
    texts = zip(env.macro_names, env.meanings(), strict=True)
    return {name: str(parse(text).args[0]) for name, text in texts if text and parse(text).args}


def test_at_first_only_the_namespace_is_known():
    assert {name for name in commands(played()) if name.startswith(("focus", "match", "unset", "logs"))} == set()
    assert commands(played())["status"] == "kubectl get deployments,replicasets,pods,endpoints -n shop"


def test_slots_never_move():
    env = played(DEPLOYMENTS)
    assert env.named() == ["cart", "pay", "user"]
    env.unwrapped.texts.append(DEPLOYMENTS.replace("1/1  ", "0/0  "))
    env.step(0)
    assert env.named() == ["cart", "pay", "user"]


def test_every_object_of_a_lived_in_cluster_has_a_slot():
    env = MacroActions(gym.make("aiops_gym/Mitigation-v0", split="train"))
    for seed in range(4):
        env.reset(seed=seed)
        for look in ("status", "manifests", "others", "nodes"):
            env.step(env.macro_names.index(look))
        assert len(env.seen.components) == len(env.named())
        assert len(env.seen.others) == len(env.others())
        assert "node" in {other.kind for _, other in env.others()}


def test_only_texts_can_be_acted_by():
    with pytest.raises(
        TypeError, match=r"MacroActions acts by text, and Discrete\(\d+\) is none: put it further inside"
    ):
        MacroActions(HashedText(played(), size=8))


@pytest.mark.parametrize("action", [-1, 10**6, 1.0, "status", None, np.array([0])])
def test_what_is_no_action_is_refused_and_changes_nothing(action):
    env = played(DEPLOYMENTS)
    with pytest.raises(ValueError, match=r"an action is a whole number from 0 to \d+, not "):
        env.step(action)
    with pytest.raises(ValueError, match="whole number"):
        env.meaning(action)
    assert (env.focus, len(env.seen.said)) == (("", ""), 1)


def test_whole_numbers_of_all_kinds_are_actions():
    for action in (0, np.int64(0), np.array(0)):
        env = played()
        env.unwrapped.texts.append(DEPLOYMENTS)
        env.step(action)
        assert env.named() == ["cart", "pay", "user"]


def test_more_names_than_slots_are_cut():
    rows = "".join(f"a{i}     1/1     1            1           5h\n" for i in range(9))
    assert played(f"NAME   READY   UP-TO-DATE   AVAILABLE   AGE\n{rows}").named() == ["a0", "a1", "a2", "a3"]


def test_looking_at_a_component_makes_it_what_the_verbs_are_about():
    env = focused("pay", DEPLOYMENTS)
    assert env.focus == ("component", "pay")
    assert commands(env)["restart"] == "kubectl rollout restart deployment/pay -n shop"
    env.step(env.macro_names.index("focus 0"))
    assert commands(env)["restart"] == "kubectl rollout restart deployment/cart -n shop"


def test_only_what_has_an_older_revision_is_undone():
    assert "undo" in commands(focused("cart", DEPLOYMENTS, REPLICASETS))
    assert "undo" not in commands(focused("pay", DEPLOYMENTS, REPLICASETS))


def test_each_field_that_differs_from_the_peers_can_be_made_like_theirs():
    found = commands(focused("pay", DEPLOYMENTS, MANIFESTS, SERVICES))
    image = '[{"op":"add","path":"/spec/template/spec/containers/0/image","value":"shop:v1"}]'
    ports = '[{"op":"add","path":"/spec/ports","value":[{"port":81,"targetPort":81}]}]'
    node = '[{"op":"remove","path":"/spec/template/spec/nodeSelector"}]'
    assert {name: text for name, text in found.items() if name.startswith("match")} == {
        "match replicas": "kubectl scale deployment pay --replicas=1 -n shop",
        "match container image": f"kubectl patch deployment pay -n shop --type json -p '{image}'",
        "match pod nodeSelector": f"kubectl patch deployment pay -n shop --type json -p '{node}'",
        "match service ports": f"kubectl patch service pay -n shop --type json -p '{ports}'",
    }


def test_only_what_no_peer_has_is_taken_away():
    pay, cart = (commands(focused(name, DEPLOYMENTS, MANIFESTS, SERVICES)) for name in ("pay", "cart"))
    assert [name for name in pay if name.startswith("unset")] == ["unset pod nodeSelector"]
    assert not [name for name in cart if name.startswith(("unset", "match"))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QUOTA, {"delete": "kubectl delete resourcequota budget -n shop"}),
        (NODES, {"untaint": "kubectl taint nodes w1 repair-", "uncordon": "kubectl uncordon w1"}),
    ],
)
def test_another_object_in_focus_has_verbs_of_its_own(text, expected):
    found = commands(focused("other", text))
    verbs = ("delete", "untaint", "uncordon", "roll back", "restart", "undo")
    assert {name: found[name] for name in verbs if name in found} == expected


def test_a_release_rolls_back_to_the_revision_before_the_one_that_was_seen():
    env = played(RELEASE)
    env.focus = ("other", "web")
    env.step(0)
    assert commands(env)["roll back"] == "helm rollback web 3 -n shop"


def test_what_was_done_is_not_done_again_until_something_changes():
    env = focused("cart", DEPLOYMENTS)
    env.unwrapped.texts.append("restarted")
    assert not env.action_masks()[0]
    env.step(env.macro_names.index("restart"))
    assert env.action_masks()[0]
    assert not env.action_masks()[env.macro_names.index("restart")]
    assert env.used_actions()[0]


def test_a_repair_is_not_submitted_before_anything_was_changed():
    env = focused("cart", DEPLOYMENTS)
    submit = env.macro_names.index("submit repaired")
    assert not env.action_masks()[submit]
    env.unwrapped.texts.append("restarted")
    env.step(env.macro_names.index("restart"))
    assert env.action_masks()[submit]


@pytest.mark.parametrize("task", ["detection", "localization", "analysis"])
def test_nobody_answers_without_having_looked_around(task):
    env = MacroActions(gym.make(f"aiops_gym/{task.capitalize()}-v0"))
    env.reset(seed=1)
    answers = [a for a, name in enumerate(env.macro_names) if name.startswith("submit")]
    for name in AROUND:
        assert not env.action_masks()[answers].any(), name
        env.step(env.macro_names.index(name))
    assert env.action_masks()[answers].any()


def test_a_stack_with_few_looks_asks_for_those_only():
    env = played(DEPLOYMENTS, task="detection", macros=["status", "events", "submit yes"])
    assert not env.action_masks()[2]
    env.step(1)
    assert env.action_masks()[2]


def test_repairs_wait_for_the_looks_too_where_they_are_asked_to():
    env = played(DEPLOYMENTS, macros=["status", "events", "focus", "restart"], before_repairs=True)
    env.step(env.macro_names.index("focus 0"))
    restart = env.macro_names.index("restart")
    assert not env.action_masks()[restart]
    for name in ("status", "events"):
        env.step(env.macro_names.index(name))
    assert env.action_masks()[restart]
    assert MacroActions(env.unwrapped, macros=["status", "restart"]).look_first(0) is None


@pytest.mark.parametrize(("share", "left"), [(1.0, ["submit repaired"]), (0.0, ["events", "submit repaired"])])
def test_a_repair_that_waited_is_submitted_as_it_is(share, left):
    macros = ["status", "events", "focus", "restart", "submit repaired"]
    env = played(DEPLOYMENTS, macros=macros, before_repairs=True, looks_first=share)
    for name in ("status", "events", "focus 0", "restart"):
        env.step(env.macro_names.index(name))
    allowed = {name for name, free in zip(env.macro_names, env.action_masks(), strict=True) if free}
    assert allowed >= set(left)
    assert (allowed == set(left)) is bool(share)


def test_answers_wait_in_as_many_episodes_as_one_asks_for():
    env = MacroActions(ToyEnv("detection", problem="container_kill-detection"), looks_first=0.3)
    answer = env.macro_names.index("submit yes")

    def free():
        return [bool(env.reset(seed=seed)[1]["action_mask"][answer]) for seed in range(40)]

    first = free()
    assert 20 <= sum(first) <= 36
    assert free() == first
    env.look_first(1)
    assert not any(free())
    env.look_first(0.0)
    assert all(free())
    with pytest.raises(ValueError, match="from 0 to 1"):
        env.look_first(1.5)


FILES = """\
file cart app.yml: 0 odd lines, 0 missing, of 3
file pay app.yml: 1 odd lines, 1 missing, of 3
file user app.yml: 0 odd lines, 0 missing, of 3
"""


def test_settings_unlike_all_others_can_be_made_like_theirs():
    env = focused("pay", DEPLOYMENTS, FILES)
    assert env.seen.components["pay"].symptoms >= {"strange_settings"}
    copy = commands(env)["match settings"]
    assert copy.startswith("kubectl patch configmap pay -n shop --type merge ")
    assert "kubectl get configmap cart -n shop" in copy
    assert copy.endswith(" && kubectl rollout restart deployment pay -n shop")
    assert "match settings" not in commands(focused("cart", DEPLOYMENTS, FILES))


def test_the_summary_of_settings_finds_the_file_that_is_unlike_the_others():
    files = {"cart": "a: 1\nb: 2\n", "pay": "a: 1\nb: 3\n", "user": "a: 1\nb: 2\n", "other": "c: 1\n"}
    printed = "".join(f"@@ {name} app.yml\n{text}\n" for name, text in files.items() if name != "other")
    script = settings_.SUMMARY.format(namespace="shop").partition(" | ")[2]
    out, err, code = make_shell({}).run(f"cat <<'END' | {script}\n{printed}@@ other x.yml\nc: 1\nEND\n")
    assert (err, code) == ("", 0)
    assert [(file.owner, file.strange) for file in settings_.parse_files(out)] == [("cart", 0), ("pay", 2), ("user", 0)]


def test_a_volume_goes_with_where_it_is_mounted():
    volume = '"nodeSelector":{"disk":"ssd"},"volumes":[{"name":"tmp"}]'
    found = commands(focused("pay", DEPLOYMENTS, MANIFESTS.replace('"nodeSelector":{"disk":"ssd"}', volume)))
    assert found["match pod volumes"].endswith(" | kubectl replace -f - -n shop")
    program = re.search(r"jq '(.*?)'", found["match pod volumes"])[1]
    mounts = '"volumeMounts":[{"name":"tmp"},{"name":"data"}]'
    made = f'{{"spec":{{"template":{{"spec":{{"containers":[{{{mounts}}},{{}}],"volumes":[{{"name":"tmp"}}]}}}}}}}}'
    out, err, code = make_shell({}).run(f"echo '{made}' | jq -c '{program}'")
    left = '{"containers":[{"volumeMounts":[{"name":"data"}]},{}],"volumes":[]}'
    assert (out.strip(), err, code) == (f'{{"spec":{{"template":{{"spec":{left}}}}}}}', "", 0)


def test_only_what_no_service_leads_to_is_removed():
    toolbox = MANIFESTS + 'box\t1\t{"app":"pay"}\t{"containers":[{"image":"shop:v1"}]}\n'
    assert commands(focused("box", toolbox, SERVICES))["remove"] == "kubectl delete deployment box -n shop"
    assert "remove" not in commands(focused("pay", toolbox, SERVICES))
    assert "remove" not in commands(focused("box", toolbox))


def test_services_are_compared_whichever_listing_comes_first():
    left, right = (commands(focused("pay", *texts)) for texts in ((MANIFESTS, SERVICES), (SERVICES, MANIFESTS)))
    assert left == right


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
def test_each_task_is_answered_in_its_own_form(task):
    env = MacroActions(gym.make(f"aiops_gym/{task.capitalize()}-v0"), slots=30)
    looks = ("status", "focus 0", "restart") if task == "mitigation" else (*AROUND, "focus 0")

    def begin():
        env.reset(seed=1)
        for name in looks:
            env.step(env.macro_names.index(name))

    begin()
    answers = [a for a, name in enumerate(env.macro_names) if name.startswith("submit") and env.meaning(a)]
    assert len(answers) == {"detection": 2, "localization": 20, "analysis": 25, "mitigation": 1}[task]
    for action in answers[:2]:
        begin()
        _, _, over, _, info = env.step(action)
        assert (over, info["error"]) == (True, "")


def test_a_masked_action_is_refused_and_nothing_worse():
    env = MacroActions(gym.make("aiops_gym/Mitigation-v0"), slots=3)
    env.reset(seed=1)
    masked = int(np.flatnonzero(~env.action_masks())[0])
    text, reward, over, _, info = env.step(masked)
    assert (reward, over, info["error"], env.spoken, env.focus) == (0.0, False, "parse", UNFILLED, ("", ""))
    assert "fenced block" in text


def test_masks_are_there_before_the_first_reset_and_never_empty():
    env = MacroActions(gym.make("aiops_gym/Mitigation-v0"))
    assert env.action_masks().any()
    bare = MacroActions(PlayedEnv(["nothing"], "detection"), macros=["status"])
    bare.reset()
    assert bare.action_masks().all()


@pytest.mark.parametrize("app", ["hotel_reservation", "social_network", "astronomy_shop"])
def test_looks_are_accepted_by_the_world_and_tell_of_every_component(app):
    problem = next(each.id for each in registry.problems("mitigation", app=app) if each.fault)
    env = MacroActions(gym.make("aiops_gym/Mitigation-v0", max_episode_steps=400))
    env.reset(seed=2, options={"problem": problem})
    for name in (*AROUND, "releases", "focus 0", "logs", "previous logs", "focus other 0", "wait"):
        while env.action_masks()[env.macro_names.index(name)]:
            _, _, _, _, info = env.step(env.macro_names.index(name))
            assert info["error"] == "", (name, env.spoken)
            if name not in AROUND:
                break
    components = set(env.seen.components)
    assert set(env.seen.deployments) == components
    assert components - set(env.seen.services) <= {"accounting", "fraud-detection"}


def test_one_may_bring_commands_of_ones_own():
    own = "kubectl get endpoints {slot} -n {namespace}"
    env = played(DEPLOYMENTS, macros=["status", own, "submit repaired"])
    assert env.action_space.n == 1 + 4 + 1
    assert "kubectl get endpoints pay -n shop" in commands(env).values()


def test_no_two_macros_have_the_same_name():
    names = [macro.name for macro in MACROS]
    assert len(set(names)) == len(names)


def test_every_name_in_a_template_is_one_that_can_be_seen():
    seen = {
        "namespace", "lines", "traces", "metrics", "changed", "looked", "component", "older", "unserved",
        "match settings", "slot", "slot resource", "other", "deletable", "taint", "cordoned", "previous", "surveyed",
        "suspects", "unsuspected",
    }  # fmt: skip
    assert {name for name in NAMES if name.partition(" ")[2] not in FIELDS} == seen


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
    before = {task: lay_out(task, 5, 2) for task in ("detection", "localization", "analysis", "mitigation")}
    fault = next(iter(registry.faults().values()))
    monkeypatch.setattr(registry, "faults", lambda: {**dict.fromkeys("abc", fault)})
    assert {task: lay_out(task, 5, 2) for task in before} == before


TEXTS = (
    *(DEPLOYMENTS, REPLICASETS, MANIFESTS, SERVICES, QUOTA, NODES, RELEASE, MANIFESTS[:150]),
    *(FILES, "", "pay: connection refused", DEPLOYMENTS[:120], "[... 5 characters left out ...]\n"),
)


def stack(env):
    return RewardShaping(History(Symptoms(HashedText(MacroActions(env, slots=4), 32))), progress=1.0)


@given(st.lists(st.sampled_from(TEXTS) | st.text(max_size=80), min_size=1, max_size=6), st.data())
@settings(max_examples=60, deadline=None)
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


NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")


@pytest.mark.parametrize("task", ["detection", "localization", "analysis", "mitigation"])
@pytest.mark.parametrize("seed", [1, 2])
def test_a_real_episode_tells_masks_and_features_nothing_beyond_its_texts(task, seed):
    env = stack(gym.make(f"aiops_gym/{task.capitalize()}-v0"))
    inner = env.get_wrapper_attr("heard")
    real = [env.reset(seed=seed)]
    texts, actions, chance = [env.get_wrapper_attr("heard")], [], np.random.default_rng(seed)
    assert inner == ""
    for _ in range(12):
        allowed = np.flatnonzero(env.get_wrapper_attr("action_masks")())
        names = env.get_wrapper_attr("macro_names")
        looks = [a for a in allowed if not names[a].startswith("submit")]
        for a in allowed:
            spoken = NAME.findall(env.get_wrapper_attr("meaning")(a))
            components = [name for name in spoken if name in env.get_wrapper_attr("seen").components]
            assert all(any(name in text for text in texts) for name in components)
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
