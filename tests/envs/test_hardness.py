"""No one-line rule solves Detection, and no bad input ends an episode."""

import re

import gymnasium as gym
import pytest

import aiops_gym

NS = "test-hotel-reservation"


def _act(call: str) -> str:
    return f"```\n{call}\n```"


def _looks(env: gym.Env, seed: int) -> tuple[list[list[str]], str]:
    """What `kubectl get pods` shows as an episode begins, as cells (none beside Kubernetes), and the problem."""
    _, info = env.reset(seed=seed)
    place = env.get_wrapper_attr("app").namespace
    text = env.step(_act(f'exec_shell("kubectl get pods -n {place} --no-headers")'))[0]
    rows = [line.split() for line in text.splitlines() if line.strip() and not line.startswith("No resources found")]
    return rows, info["problem"]


def _restarted(row: list[str]) -> bool:
    return row[3] != "0"


def _not_ready(row: list[str]) -> bool:
    ready, all_ = row[1].split("/")
    return ready != all_


RULES = {
    "any restart": lambda rows: any(map(_restarted, rows)),
    "any pod not ready": lambda rows: any(map(_not_ready, rows)),
    "any status but Running": lambda rows: any(row[2] != "Running" for row in rows),
    "several restarts": lambda rows: sum(int(row[3]) for row in rows) > 6,
    "always": lambda rows: True,
    "never": lambda rows: False,
}


EPISODES = 200


@pytest.mark.full
def test_no_one_line_rule_wins_detection():
    env = gym.make("aiops_gym/Detection-v0")
    right = dict.fromkeys(RULES, 0)
    faulty = 0
    for seed in range(EPISODES):
        rows, problem = _looks(env, seed)
        truth = "noop" not in problem
        faulty += truth
        for name, rule in RULES.items():
            right[name] += rule(rows) == truth
    shares = {name: count / EPISODES for name, count in right.items()}
    assert 0.5 <= faulty / EPISODES <= 0.7
    assert max(shares.values()) < 0.8, shares


BAD = {
    "a megabyte": "x" * 1_000_000,
    "a megabyte in a call": _act(f'exec_shell("echo {"x" * 1_000_000}")'),
    "control characters": _act('exec_shell("echo \\x00\\x01\\x1b[31m\\x7f")'),
    "an endless loop": _act('exec_shell("while true; do :; done")'),
    "an endless loop that sleeps": _act('exec_shell("while true; do echo tick; sleep 5; done")'),
    "a fork bomb": _act('exec_shell(":(){ :|:& };:")'),
    "deep JSON": _act(f"exec_shell(\"kubectl patch deploy geo -n {NS} -p '{'[' * 3000}{']' * 3000}'\")"),
    "binary in a patch": _act(f"exec_shell(\"kubectl patch deploy geo -n {NS} -p $'\\xff\\xfe\\x00'\")"),
    "absurd flags": _act('exec_shell("kubectl get --tail=-1 --sort-by=[[[ -o jsonpath={..} --limit=-5 -l ,,=!= --")'),
    "absurd numbers": _act(f'exec_shell("kubectl scale deploy geo -n {NS} --replicas=99999999999999999999")'),
    "a huge output": _act('exec_shell("yes | head -c 100000000; seq 1 100000000")'),
    "lone surrogates": "```\nexec_shell('\ud800')\n```",
    "an unknown api": _act("rm_rf('/')"),
    "wrong arguments": _act("get_logs(1, 2, 3)"),
    "nothing": "",
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_gives_one_clear_message_and_the_episode_lives_on(name):
    env = gym.make("aiops_gym/Mitigation-v0", problem="wrong_bin_usage-mitigation-1")
    env.reset(seed=1)
    text, reward, terminated, truncated, _ = env.step(BAD[name])
    assert text.strip()
    assert len(text) <= 17_000
    assert not re.search(r"Traceback|panicked|\.py\b", text), text[:500]
    assert (reward, terminated, truncated) == (0.0, False, False)
    text, *_ = env.step(_act(f'exec_shell("kubectl get deploy geo -n {NS} -o name")'))
    assert text.strip() == "deployment.apps/geo"


def test_an_unknown_problem_and_a_bad_option_are_named():
    with pytest.raises(aiops_gym.errors.CatalogError, match="did you mean"):
        gym.make("aiops_gym/Detection-v0", problem="pod_kill_hotel_res-detection-2").reset(seed=0)
    env = gym.make("aiops_gym/Detection-v0")
    with pytest.raises(ValueError, match="reset option"):
        env.reset(seed=0, options={"difficulty": 3})
