"""Flower in its containers: a run in rounds, what breaks it, and that whoever repairs it sees it work."""

import json
import re

import gymnasium as gym
import pytest

from aiops_gym.adapters.aiopslab.registry import ProblemRegistry
from aiops_gym.backends import Simulated, open_backend
from aiops_gym.catalog import registry
from aiops_gym.errors import BackendError
from aiops_gym.testing import check_problem

STOPPED, MISFIT = "flower_node_stop-detection", "flower_model_misconfig-detection"
LEVEL = re.compile("\033\\[\\d+m(\\w+) \033\\[0m: +")
SIZES = (
    "\tsize mismatch for fc3.weight: copying a param with shape torch.Size([10, 84]) from checkpoint, "
    "the shape in current model is torch.Size([10, 80])."
)
START = "docker start supernode-1; sleep 30; docker compose -p flower up -d"  # whoever was at work for it has ended
SED = "docker exec clientapp-1 sh -c \"sed -i '24s/80/84/' /app/.flwr/apps/*/task.py\""


@pytest.fixture(scope="module")
def calm():
    return Simulated(registry.find_problem("noop_detection_flower-1"), 3, noise=False)


@pytest.fixture(scope="module", params=[1, 2, 5])
def stopped(request):
    return Simulated(registry.find_problem(STOPPED), request.param)


@pytest.fixture(scope="module", params=[1, 2])
def misfit(request):
    return Simulated(registry.find_problem(MISFIT), request.param)


def run(backend, script, timeout=600):
    done = backend.shell.run(script, timeout)
    assert done.code == 0, done.output
    return done.output


def log(backend, name, *options):
    return [LEVEL.sub(r"\1 ", line) for line in run(backend, f"docker logs {name} {' '.join(options)}").splitlines()]


def wait_for(backend, name, text, seconds=400):
    """Until a line that holds a text comes after those that are there now: the new lines."""
    begin = backend.now()
    while backend.now() < begin + seconds:
        backend.spend(5)
        found = log(backend, name, f"--since {begin:.3f}")
        if any(text in line for line in found):
            return found
    raise AssertionError(f"{text!r} is not in the log of {name}: {found[-5:]}")


@pytest.mark.parametrize("problem", [STOPPED, MISFIT, "noop_detection_flower-1"])
def test_a_problem_keeps_its_promises(problem):
    check_problem(problem, seeds=(1, 2, 3))


def test_a_run_has_three_rounds_in_which_both_clients_train_and_test(calm):
    twin = calm.fork()
    wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    found = wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    begin = next(at for at, line in enumerate(found) if "Starting Flower ServerApp" in line)
    said = [re.sub(r"\d+\.\d+", "N", line) for line in found[begin:] if line.strip() != "INFO"]
    fit = (
        "INFO configure_fit: strategy sampled 2 clients (out of 2)",
        "INFO aggregate_fit: received 2 results and 0 failures",
    )
    test = tuple(line.replace("_fit", "_evaluate") for line in fit)
    assert said[:10] == [
        "INFO Starting Flower ServerApp, config: num_rounds=3, no round_timeout",
        "INFO [INIT]",
        "INFO Using initial global parameters provided by strategy",
        "INFO Starting evaluation of initial global parameters",
        "INFO Evaluation returned no results (`None`)",
        "INFO [ROUND 1]",
        *fit,
        "WARNING No fit_metrics_aggregation_fn provided",
        test[0],
    ]
    assert said[10:12] == [test[1], "WARNING No evaluate_metrics_aggregation_fn provided"]
    assert said[12:] == [
        *("INFO [ROUND 2]", *fit, *test),
        *("INFO [ROUND 3]", *fit, *test),
        *("INFO [SUMMARY]", "INFO Run finished 3 round(s) in Ns", "INFO \tHistory (loss, distributed):"),
        *(f"INFO \t\tround {number}: N" for number in (1, 2, 3)),
    ]
    losses = [float(line.split()[-1]) for line in found if "\t\tround" in line]
    assert losses == sorted(losses, reverse=True)
    assert sum("Training completed" in line for line in log(twin, "clientapp-2", "--since 150s")) >= 3


def test_a_stopped_node_is_missed_by_its_client_and_by_the_run(stopped):
    twin = stopped.fork()
    assert run(twin, "docker ps -a -f status=exited -f network=flower_default --format '{{.Names}}'") == "supernode-1\n"
    assert log(twin, "supernode-1", "-n 1") == ["INFO SuperNode terminated gracefully."]
    assert "Connection attempt failed, retrying in " in log(twin, "clientapp-1", "-n 1")[0]
    assert any("[Fleet.DeleteNode] Delete node_id=" in line for line in log(twin, "superlink", "--since 3m"))
    twin.spend(160)
    last = log(twin, "serverapp", "-n 1")[0]
    twin.spend(300)
    assert re.match(r"INFO (\[ROUND \d\]|aggregate_fit: .*)|WARNING No fit", last)
    assert log(twin, "serverapp", "-n 1") == [last]


def test_who_starts_it_again_sees_the_run_go_on(stopped):
    twin = stopped.fork()
    twin.spend(160)
    run(twin, START)
    wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    found = wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    assert not [line for line in found if "failures" in line and "0 failures" not in line]
    assert any(
        "Connection successful after " in line or "Start `flwr-clientapp`" in line for line in log(twin, "clientapp-1")
    )


def test_a_wrong_size_fails_in_the_client_that_has_it_and_in_no_other(misfit):
    lines = log(misfit.fork(), "clientapp-1")
    at = lines.index("RuntimeError: Error(s) in loading state_dict for Net:")
    assert lines[at + 1] == SIZES
    assert "ERROR ClientApp raised an exception" in lines[:at]
    assert '/task.py", line 94, in set_weights' in "\n".join(lines[:at])
    assert not [line for line in log(misfit.fork(), "clientapp-2") if "ERROR" in line]
    assert any("received 1 results and 1 failures" in line for line in log(misfit.fork(), "serverapp", "--since 5m"))


def test_who_puts_it_right_sees_it_work_a_message_later(misfit):
    twin = misfit.fork()
    run(twin, SED)
    found = wait_for(twin, "clientapp-1", "Training completed")
    assert sum(line == SIZES for line in found) <= 1
    twin.spend(30)
    found = wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    found = wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    assert not [line for line in found if "failures" in line and "0 failures" not in line]


def test_another_mistake_has_another_error(calm):
    twin = calm.fork()
    run(
        twin,
        "docker exec clientapp-1 sh -c \"sed -i '23s/84/90/' /app/.flwr/apps/*/task.py\"; docker restart clientapp-1",
    )
    found = wait_for(twin, "clientapp-1", "RuntimeError")
    assert sum("size mismatch for fc2" in line for line in found) == 2
    run(twin, "docker exec clientapp-1 sh -c 'rm /app/.flwr/apps/*/task.py'; docker restart clientapp-1")
    assert wait_for(twin, "clientapp-1", "LoadClientAppError")


@pytest.mark.parametrize("name", ["clientapp-2", "supernode-2", "superlink", "serverapp"])
def test_each_container_is_missed_when_it_is_stopped(calm, name):
    twin = calm.fork()
    run(twin, f"docker stop {name}")
    twin.spend(400)
    begin = twin.now()
    twin.spend(400)
    assert not [line for line in log(twin, "serverapp", f"--since {begin}") if "Run finished" in line]


def test_the_hub_forgets_its_nodes_and_they_have_to_be_started_again(calm):
    twin = calm.fork()
    run(twin, "docker restart superlink; sleep 300")
    assert not any("configure_fit" in line for line in log(twin, "serverapp", "--since 100s"))
    run(twin, "docker restart supernode-1 supernode-2; sleep 60; docker compose -p flower up -d")
    wait_for(twin, "serverapp", "Run finished 3 round(s) in ")


def test_logs_are_collected_by_name_and_following_is_refused(calm):
    env = gym.make("aiops_gym/Detection-v0", problem=STOPPED)
    prompt, _ = env.reset(seed=1)
    assert "Namespace: docker" in prompt
    answers = {
        'get_logs("docker", "supernode-1")': "SuperNode terminated gracefully.",
        'get_logs("docker", "nope")': "Error: Your service does not exist",
        'exec_shell("docker logs -f supernode-1")': "Error: Cannot use `docker logs -f`. Use `docker logs` instead.",
        'exec_shell("kubectl get pods -n docker")': "No resources found in docker namespace.",
    }
    for call, expected in answers.items():
        observation, *_ = env.step(f"```\n{call}\n```")
        assert expected in observation


def test_a_real_cluster_is_not_asked_for_it():
    with pytest.raises(BackendError, match="runs in Docker beside a cluster"):
        open_backend("kubernetes", registry.find_problem(STOPPED), 1, context="lab")


def test_aiopslab_s_registry_tells_what_runs_on_docker():
    known = ProblemRegistry()
    assert [known.get_problem_deployment(each) for each in (STOPPED, MISFIT)] == ["docker", "docker"]
    assert {known.get_problem_deployment(each) for each in ("revoke_auth_mongodb-detection-1", "no such")} == {"k8s"}


def test_an_episode_goes_on_from_bytes_as_it_would_have(stopped):
    again, twin = Simulated.restored(stopped.snapshot()), stopped.fork()
    script = "docker start supernode-1; sleep 100; docker ps -a; docker logs -t clientapp-1; docker logs -t superlink"
    assert run(again, script) == run(twin, script)
    assert len(stopped.snapshot()) < 1 << 20
    assert again.snapshot() == twin.snapshot()


def test_what_was_logged_is_not_rewritten_by_what_comes(calm):
    twin, other = calm.fork(), calm.fork()
    run(twin, "docker stop supernode-2")
    twin.spend(20)
    other.spend(35)
    begin = f"--until {calm.now():.3f}"
    for name in ("superlink", "supernode-2", "clientapp-2", "serverapp"):
        texts = [run(each, f"docker logs {begin} {name}") for each in (calm.fork(), twin, other)]
        assert all(texts[0].endswith(text) and len(text) > 5_000 for text in texts)  # of a long log the oldest goes


def test_nothing_that_can_be_read_names_what_is_wrong(misfit):
    texts = run(
        misfit.fork(),
        "docker inspect $(docker ps -aq); docker events --since 1h --until 0s; env; ls -laR; docker ps -a",
    )
    assert not re.search("misconfig|node_stop|container_stop", texts)
    assert json.loads(run(misfit.fork(), "docker inspect clientapp-1"))[0]["State"]["Status"] == "running"


def test_a_worker_that_is_ended_takes_its_message_along(calm):
    twin = calm.fork()
    wait_for(twin, "clientapp-2", "Starting training...")
    run(twin, "docker restart clientapp-2; sleep 200")
    assert not [line for line in log(twin, "serverapp", "--since 190s") if "aggregate" in line]
    run(twin, "docker restart supernode-2")
    found = wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    assert any("received 1 results and 1 failures" in line for line in found)


def test_a_client_tries_once_at_a_time_however_often_its_node_goes(calm):
    twin = calm.fork()
    wait_for(twin, "serverapp", "Run finished 3 round(s) in ")
    again = "docker kill supernode-1; sleep 2"
    run(twin, f"for i in 1 2 3 4; do {again}; docker start supernode-1; done; {again}")
    begin = twin.now()
    twin.spend(300)
    assert 10 < len(log(twin, "clientapp-1", f"--since {begin}")) < 60
