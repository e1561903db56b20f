"""The promises of the contract for the registered ids, over the simulated cluster."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import pickle
import subprocess
import sys

import gymnasium as gym
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env
from toy_world import block

import aiops_gym
from aiops_gym.errors import BackendError

TASKS = ("Detection", "Localization", "Analysis", "Mitigation")
LOOKS = [
    "exec_shell('kubectl get pods -A -o wide')",
    "get_logs('test-hotel-reservation', 'geo')",
    "get_metrics('test-hotel-reservation', 2)",
    "get_traces('test-hotel-reservation', 2)",
    "exec_shell('echo $RANDOM; kubectl delete pod -n test-hotel-reservation -l io.kompose.service=rate')",
    "exec_shell('ls -R metrics_output trace_output | head -50; kubectl get events -A')",
]

PLAY = f"""
import hashlib, json, gymnasium, aiops_gym
env = gymnasium.make("aiops_gym/Analysis-v0")
steps = [env.reset(seed=21)] + [env.step("```\\n" + call + "\\n```") for call in {LOOKS!r} + ["submit()"]]
print(hashlib.sha256(json.dumps(steps).encode()).hexdigest())
"""


def played(env, calls=LOOKS):
    return [env.step(block(call)) for call in calls]


@pytest.mark.parametrize("task", TASKS)
def test_gymnasium_finds_nothing_to_complain_about(task):
    check_env(gym.make(f"aiops_gym/{task}-v0").unwrapped)


@pytest.mark.full
def test_gymnasium_finds_nothing_to_complain_about_in_an_incident_with_its_arguments():
    given = {"problem": "misconfig_app_hotel_res-incident-1", "weights": {"repair": 1}, "noise": False}
    env = gym.make("aiops_gym/Incident-v0", **given)
    check_env(env.unwrapped)
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec == env.spec
    assert again.unwrapped.weights["repair"] == 1.0


@pytest.mark.parametrize("task", TASKS)
def test_a_spec_survives_json_with_its_arguments(task):
    env = gym.make(f"aiops_gym/{task}-v0", split="train", observation_limit=5000, evaluation="aiopslab")
    again = gym.make(EnvSpec.from_json(env.spec.to_json()))
    assert again.spec == env.spec
    assert again.reset(seed=2) == env.reset(seed=2)


def test_the_same_seed_gives_the_same_bytes_in_any_process():
    digests = set()
    for seed in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-c", PLAY],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.add(done.stdout)
    env = gym.make("aiops_gym/Analysis-v0")
    gym.make("aiops_gym/Detection-v0").reset(seed=1)
    steps = [env.reset(seed=21), *played(env, [*LOOKS, "submit()"])]
    digests.add(hashlib.sha256(json.dumps(steps).encode()).hexdigest() + "\n")
    assert len(digests) == 1


@pytest.mark.parametrize("moment", [0, 3, 5])
def test_a_branch_continues_byte_by_byte(moment):
    env = gym.make("aiops_gym/Mitigation-v0", problem="revoke_auth_mongodb-mitigation-2")
    env.reset(seed=5)
    played(env, LOOKS[:moment])
    inner = env.unwrapped
    saved = inner.snapshot()
    other = gym.make("aiops_gym/Mitigation-v0", problem="revoke_auth_mongodb-mitigation-2").unwrapped
    other.restore(saved)
    fork, twin = inner.fork(2)
    branches = [fork, twin, other, copy.deepcopy(inner), pickle.loads(pickle.dumps(inner)), inner]
    ends = [(played(branch, LOOKS[moment:]), branch.reset()) for branch in branches]
    assert all(end == ends[0] for end in ends)


def test_a_snapshot_continues_in_another_process(tmp_path):
    env = gym.make("aiops_gym/Detection-v0").unwrapped
    env.reset(seed=8)
    played(env, LOOKS[:3])
    (tmp_path / "saved").write_bytes(env.snapshot())
    code = f"""
import json, gymnasium, aiops_gym
env = gymnasium.make("aiops_gym/Detection-v0").unwrapped
env.restore(open("saved", "rb").read())
print(json.dumps([env.step("```\\n" + call + "\\n```") for call in {LOOKS[3:]!r}]))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == json.loads(json.dumps(played(env, LOOKS[3:])))


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_a_vector_is_not_disturbed_by_one_agents_odd_answers(mode):
    vector = gym.make_vec("aiops_gym/Localization-v0", num_envs=3, vectorization_mode=mode)
    try:
        _, info = vector.reset(seed=4)
        assert len(set(info["episode_seed"].tolist())) == 3
        calls = ("submit(5)", "submit([1])", "exec_shell('kubectl get pods -A')")
        texts, _, terminated, _, info = vector.step(tuple(map(block, calls)))
        assert texts in vector.observation_space
        assert info["error"].tolist() == ["submission", "submission", ""]
        assert not terminated.any()
        _, _, terminated, _, info = vector.step(tuple(map(block, ["submit([])", "nothing", "submit('geo')"])))
        assert terminated.tolist() == [True, False, True]
        vector.step(tuple(map(block, LOOKS[:3])))
    finally:
        vector.close()


def test_single_envs_and_vectors_play_the_same_episodes():
    vector = gym.make_vec("aiops_gym/Detection-v0", num_envs=2)
    single = gym.make("aiops_gym/Detection-v0")
    try:
        texts, _ = vector.reset(seed=4)
        assert texts[1] == single.reset(seed=5)[0]
        assert vector.step((block(LOOKS[0]),) * 2)[0][1] == single.step(block(LOOKS[0]))[0]
    finally:
        vector.close()


def test_the_step_limit_truncates_and_a_run_records_it():
    env = gym.make("aiops_gym/Detection-v0", problem="container_kill-detection")
    episode = aiops_gym.run_episode(env, lambda _: block("exec_shell('true')"), seed=1)
    assert (len(episode.steps), episode.truncated, episode.terminated, episode.success) == (30, True, False, False)


def test_files_of_the_telemetry_tools_are_files_of_the_shell():
    env = gym.make("aiops_gym/Detection-v0", problem="container_kill-detection")
    env.reset(seed=1)
    text = env.step(block("get_metrics('test-hotel-reservation', 5)"))[0]
    folder = text.splitlines()[0].rpartition(" ")[2]
    assert "kpi_container_threads.csv" in env.step(block(f"exec_shell('ls {folder}/container')"))[0]
    found = env.step(block(f"exec_shell('head -2 {folder}/container/kpi_container_threads.csv')"))[0]
    assert found.startswith("timestamp,cmdb_id,kpi_name,value\n")
    table = env.step(block(f"read_metrics('{folder}/container/kpi_container_threads.csv')"))[0]
    assert table.split()[:4] == ["timestamp", "cmdb_id", "kpi_name", "value"]


def test_a_backend_that_is_not_there_is_named():
    env = gym.make("aiops_gym/Detection-v0", backend="mainframe")
    with pytest.raises(BackendError, match="mainframe"):
        env.reset(seed=1)
