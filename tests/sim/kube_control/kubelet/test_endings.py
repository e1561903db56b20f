"""Hooks, sidecars, deadlines, disks and rejections: how pods begin and end that are more than a process."""

from __future__ import annotations

from typing import Any

from small_cluster import SmallCluster, near, shell

from aiops_gym.shell.inside import run_utility

Json = Any
CRASH = "back-off 10s restarting failed container=app"


def _pod(name: str, *containers: Json, **spec: Json) -> dict[str, Json]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": list(containers), **spec},
    }


def _container(name: str = "app", **fields: Json) -> dict[str, Json]:
    return {"name": name, "image": "app:1", **fields}


def _hook(when: str, script: str) -> dict[str, Json]:
    return {"lifecycle": {when: {"exec": {"command": shell(script)}}}}


def _run(*pods: Json, seconds: float = 40) -> SmallCluster:
    cluster = SmallCluster()
    for pod in pods:
        cluster.apply(pod)
    cluster.at(seconds)
    return cluster


def _count(cluster: SmallCluster, text: str) -> int:
    return sum(n for key, n in cluster.events().items() if key.startswith(text))


def test_a_container_is_not_running_before_its_start_hook_is_over() -> None:
    cluster = _run(_pod("p", _container(**_hook("postStart", "sleep 5; touch /tmp/x"))), seconds=20)
    running = [t for t, s in cluster.states("p") if s.startswith("Running")]
    assert 5.5 < running[0] < 8


def test_a_start_hook_that_fails_costs_the_container_its_life() -> None:
    cluster = _run(_pod("p", _container(**_hook("postStart", "echo no; exit 1")), terminationGracePeriodSeconds=3))
    shown = [s for _, s in cluster.states("p")][2:5]
    assert shown == [f"Running app:{r}" for r in ("PostStartHookError:0", "PostStartHookError:1", "CrashLoopBackOff:1")]
    assert _count(cluster, "FailedPostStartHook PostStartHook failed") == 3
    assert _count(cluster, "Killing FailedPostStartHook") == 3


def test_the_message_of_a_failed_start_hook_tells_what_it_printed() -> None:
    hook = _hook("postStart", "echo no; echo bad >&2; exit 1")
    cluster = _run(_pod("p", _container(**hook), terminationGracePeriodSeconds=3), seconds=5)
    waiting = cluster.pod("p")["status"]["containerStatuses"][0]["state"]["waiting"]
    assert waiting["message"].endswith('exited with 1: bad\n, message: "no\\nbad\\n"')


def test_a_stop_hook_runs_before_the_signal_and_its_failure_is_told() -> None:
    script = shell("trap 'exit 0' TERM; while true; do sleep 1; done")
    pod = _pod("p", _container(command=script, **_hook("preStop", "sleep 3; exit 4")))
    cluster = _run(pod, seconds=5)
    cluster.delete("pods", "p")
    cluster.at(20)
    gone = [(t, s) for t, s in cluster.states("p") if t > 5]
    assert [s for _, s in gone] == ["Deleting app:Completed/0:0", "gone"] and near(gone[0][0], 9.5)
    assert _count(cluster, "FailedPreStopHook PreStopHook failed") == 1


def test_a_stop_hook_that_never_ends_has_the_grace_and_two_seconds() -> None:
    pod = _pod("p", _container(command=shell("sleep 999"), **_hook("preStop", "tail -f /dev/null")))
    cluster = _run({**pod, "spec": {**pod["spec"], "terminationGracePeriodSeconds": 6}}, seconds=5)
    cluster.delete("pods", "p")
    cluster.at(30)
    assert near(next(t for t, s in cluster.states("p") if s == "gone"), 14)


def test_disk_limits_evict_and_the_pod_stays() -> None:
    fill = shell("sleep 1; dd if=/dev/zero of=/d/f bs=1M count=40; sleep 600")
    mount = {"volumeMounts": [{"name": "v", "mountPath": "/d"}]}
    volume = {"volumes": [{"name": "v", "emptyDir": {"sizeLimit": "10Mi"}}]}
    limited = _container(
        command=shell("dd if=/dev/zero of=/tmp/f bs=1M count=40; sleep 600"),
        resources={"limits": {"ephemeral-storage": "20Mi"}},
    )
    cluster = _run(_pod("own", limited), _pod("vol", _container(command=fill, **mount), **volume))
    texts = {
        "own": "Pod ephemeral local storage usage exceeds the total limit of containers 20Mi. ",
        "vol": 'Usage of EmptyDir volume "v" exceeds the limit "10Mi". ',
    }
    for name, text in texts.items():
        status = cluster.pod(name)["status"]
        assert (status["phase"], status["reason"], status["message"]) == ("Failed", "Evicted", text)
        assert cluster.states(name)[-1][1] == "Failed app:Error/137:0"
        assert cluster.events(name)[f"Evicted {text}"] == 1
        assert 13 < cluster.states(name)[-1][0] < 19


def test_a_pod_that_is_active_for_too_long_fails() -> None:
    pod = _pod("p", _container(command=shell("sleep 999")), activeDeadlineSeconds=8, terminationGracePeriodSeconds=3)
    status = _run(pod).pod("p")["status"]
    assert (status["phase"], status["reason"]) == ("Failed", "DeadlineExceeded")
    assert status["message"] == "Pod was active on the node longer than the specified deadline"


def test_a_sidecar_starts_before_the_rest_and_ends_after_it() -> None:
    inits = [_container("side", restartPolicy="Always"), _container("init", command=shell("sleep 1"))]
    pod = _pod("p", _container(command=shell("sleep 5")), restartPolicy="Never", initContainers=inits)
    states = [s for _, s in _run(pod).states("p")]
    assert "Pending side:R:0 init:r:0 app:PodInitializing:0" in states
    assert "Running side:R:0 init:Completed/0:0 app:R:0" in states
    assert states[-1] == "Succeeded side:Completed/0:0 init:Completed/0:0 app:Completed/0:0"


def test_a_sidecar_that_dies_is_started_again() -> None:
    inits = [_container("side", restartPolicy="Always", command=shell("sleep 3; exit 1"))]
    states = [s for _, s in _run(_pod("p", _container(), initContainers=inits), seconds=9).states("p")]
    assert "Running side:R:1 app:R:0" in states


def test_what_is_written_to_a_volume_outlives_the_container() -> None:
    script = shell("if [ -f /d/done ]; then exit 0; fi; touch /d/done; exit 2")
    mounted = _container(command=script, volumeMounts=[{"name": "v", "mountPath": "/d"}])
    pod = _pod("p", mounted, restartPolicy="OnFailure", volumes=[{"name": "v", "emptyDir": {}}])
    assert _run(pod).states("p")[-1][1] == "Succeeded app:Completed/0:1"


def test_termination_messages_come_from_a_file_or_the_log() -> None:
    written = _container(command=shell("echo why > /dev/termination-log; exit 1"))
    logged = _container(command=shell("echo said; exit 1"), terminationMessagePolicy="FallbackToLogsOnError")
    cluster = _run(_pod("a", written, restartPolicy="Never"), _pod("b", logged, restartPolicy="Never"))
    found = [cluster.pod(n)["status"]["containerStatuses"][0]["state"]["terminated"]["message"] for n in "ab"]
    assert found == ["why\n", "said\n"]


def test_a_pod_bound_to_a_node_that_is_too_small_is_rejected() -> None:
    pod = _pod("p", _container(resources={"requests": {"cpu": "100"}}), nodeName="node-1")
    cluster = _run(pod, seconds=5)
    status = cluster.pod("p")["status"]
    text = "Node didn't have enough resource: cpu, requested: 100000, used: 0, capacity: 2000"
    assert (status["phase"], status["reason"], status["message"]) == ("Failed", "OutOfcpu", f"Pod was rejected: {text}")
    assert cluster.events("p") == {f"OutOfcpu {text}": 1}


def test_a_probe_sees_the_files_that_the_script_makes_and_removes() -> None:
    script = shell("touch /tmp/ok; sleep 10; rm /tmp/ok; sleep 600")
    probe = {"exec": {"command": ["cat", "/tmp/ok"]}, "periodSeconds": 2}
    cluster = _run(_pod("p", _container(command=script, readinessProbe=probe)), seconds=20)
    states = [s for _, s in cluster.states("p")]
    assert states[-2:] == ["Running app:R:0", "Running app:r:0"]


def test_a_probe_that_takes_too_long_fails() -> None:
    probe = {"exec": {"command": shell("sleep 5")}, "periodSeconds": 10, "timeoutSeconds": 2}
    cluster = _run(_pod("p", _container(readinessProbe=probe)), seconds=30)
    text = 'Unhealthy Readiness probe failed: command timed out: "/bin/sh -c sleep 5" timed out after 2s'
    assert cluster.events("p")[text] >= 2


def test_a_container_that_fails_its_probe_has_two_seconds_at_least() -> None:
    probe = {"exec": {"command": ["/bin/false"]}, "periodSeconds": 2, "failureThreshold": 1}
    pod = _pod("p", _container(command=shell("sleep 999"), livenessProbe=probe), terminationGracePeriodSeconds=1)
    cluster = _run(pod, seconds=8)
    killed = next(t for t, s in cluster.states("p") if s.endswith(":1"))
    assert 4 < killed < 6


def test_a_container_that_shall_not_restart_is_only_killed_by_its_probe() -> None:
    probe = {"exec": {"command": ["/bin/false"]}, "periodSeconds": 2, "failureThreshold": 1}
    pod = _pod("p", _container(command=shell("sleep 999"), livenessProbe=probe), restartPolicy="Never")
    cluster = _run({**pod, "spec": {**pod["spec"], "terminationGracePeriodSeconds": 3}}, seconds=15)
    assert cluster.states("p")[-1][1] == "Failed app:Error/137:0"
    assert cluster.events("p")["Killing Container app failed liveness probe"] == 1


def test_a_pod_whose_preparation_failed_for_good_is_failed_and_not_initialized() -> None:
    init = _container("init", command=shell("exit 3"))
    pod = _run(_pod("p", _container(), restartPolicy="Never", initContainers=[init]), seconds=10).pod("p")
    conditions = {c["type"]: (c["status"], c.get("reason")) for c in pod["status"]["conditions"]}
    assert pod["status"]["phase"] == "Failed"
    assert conditions["Initialized"] == ("False", "ContainersNotInitialized")
    assert conditions["Ready"] == ("False", "PodFailed")


def test_a_stop_hook_that_outlasts_the_container_has_failed() -> None:
    pod = _pod("p", _container(command=shell("sleep 999"), **_hook("preStop", "sleep 60")))
    cluster = _run({**pod, "spec": {**pod["spec"], "terminationGracePeriodSeconds": 3}}, seconds=5)
    cluster.delete("pods", "p")
    cluster.at(9.5)
    assert _count(cluster, "FailedPreStopHook") == 0
    cluster.at(30)
    assert _count(cluster, "FailedPreStopHook PreStopHook failed") == 1


def test_sidecars_of_a_deleted_pod_wait_until_the_rest_has_ended() -> None:
    polite = shell("trap 'exit 0' TERM; while true; do sleep 1; done")
    inits = [_container(name, restartPolicy="Always", command=polite) for name in ("one", "two")]
    cluster = _run(_pod("p", _container(command=shell("sleep 999")), initContainers=inits), seconds=8)
    uid = cluster.pod("p")["metadata"]["uid"]
    cluster.delete("pods", "p", grace=6)
    running = {}
    for second in (8, 13, 14.5, 17):
        cluster.at(second)
        running[second] = [n for n in ("app", "one", "two") if _runs(cluster, uid, n)]
    assert running == {8: ["app", "one", "two"], 13: ["app", "one", "two"], 14.5: ["one", "two"], 17: []}


def _runs(cluster: SmallCluster, uid: str, name: str) -> bool:
    return bool(cluster.world.table("processes").get(f"{uid}/{name}", {}).get("running"))


def test_a_pod_that_ends_by_itself_says_so_before_its_sandbox_is_gone() -> None:
    pod = _pod("p", _container(command=shell("sleep 2")), restartPolicy="Never")
    states = [s for _, s in _run(pod).states("p")]
    assert states[-2:] == ["Running app:Completed/0:0", "Succeeded app:Completed/0:0"]


def test_what_never_ran_counts_as_failed_once_a_deleted_pod_is_down() -> None:
    waiting = _pod("w", _container(image="missing:9"))
    preparing = _pod("i", _container(), initContainers=[_container("init", command=shell("exit 1"))])
    cluster = _run(waiting, preparing, seconds=15)
    for name in "wi":
        cluster.delete("pods", name)
    seen: list[tuple[str, str]] = []
    tell = cluster.world.store.observer

    def observe(resource: str, old: Json, new: Json) -> None:
        if resource == "pods" and new is not None:
            seen.append((new["status"]["phase"], str(new["status"]["containerStatuses"][0]["state"])))
        tell(resource, old, new)

    cluster.world.store.observer = observe
    cluster.at(20)
    phases = [(phase, next(w for w in ("Unknown", "Initializing", "Creating") if w in text)) for phase, text in seen]
    assert ("Failed", "Unknown") in phases and ("Failed", "Initializing") in phases


def test_a_volume_of_memory_is_full_where_one_of_the_disk_evicts() -> None:
    script = shell("dd if=/dev/zero of=/d/f bs=1M count=30 2> /dev/termination-log")
    mounted = _container(command=script, volumeMounts=[{"name": "v", "mountPath": "/d"}])
    volumes = [{"name": "v", "emptyDir": {"medium": "Memory", "sizeLimit": "10Mi"}}]
    status = _run(_pod("p", mounted, restartPolicy="Never", volumes=volumes)).pod("p")["status"]
    ended = status["containerStatuses"][0]["state"]["terminated"]
    assert "reason" not in status and (ended["exitCode"], ended["message"]) == (
        1,
        "dd: error writing '/d/f': No space left on device\n",
    )


def test_a_container_that_must_not_be_root_is_not_created_as_root() -> None:
    texts = {
        "a": ({"runAsNonRoot": True}, "container has runAsNonRoot and image will run as root"),
        "b": ({"runAsNonRoot": True, "runAsUser": 0}, "container's runAsUser breaks non-root policy"),
    }
    pods = [_pod(name, _container(securityContext=context)) for name, (context, _) in texts.items()]
    cluster = _run(*pods, _pod("c", _container(securityContext={"runAsNonRoot": True, "runAsUser": 5})), seconds=5)
    for name, (_, text) in texts.items():
        waiting = cluster.pod(name)["status"]["containerStatuses"][0]["state"]["waiting"]
        uid = cluster.pod(name)["metadata"]["uid"]
        assert waiting["reason"] == "CreateContainerConfigError"
        assert waiting["message"] == f'{text} (pod: "{name}_ns({uid})", container: app)'
        assert _count(cluster, f"Failed Error: {waiting['message']}") >= 1
    assert cluster.states("c")[-1][1] == "Running app:R:0"


def test_a_probe_that_times_out_has_failed_when_its_time_is_over() -> None:
    probe = {"exec": {"command": shell("sleep 30")}, "periodSeconds": 10, "timeoutSeconds": 6, "failureThreshold": 1}
    pod = _pod("p", _container(livenessProbe=probe), terminationGracePeriodSeconds=1)
    cluster = _run(pod, seconds=14)
    assert _count(cluster, "Unhealthy") == 0
    cluster.at(17)
    assert _count(cluster, "Unhealthy Liveness probe failed: command timed out") == 1


def test_a_probe_that_cannot_be_made_says_so_each_time_and_changes_nothing() -> None:
    probe = {"exec": {"command": ["/nope"]}, "periodSeconds": 2, "failureThreshold": 1}
    cluster = SmallCluster()
    cluster.world.dynamics.utility = run_utility
    cluster.apply(_pod("p", _container(command=shell("sleep 99"), livenessProbe=probe)))
    cluster.at(9)
    told = [text for text in cluster.events("p") if text.startswith("Unhealthy Liveness probe errored: rpc error")]
    assert len(told) == 4 and cluster.states("p")[-1][1] == "Running app:R:0"


def test_a_condition_that_a_readiness_gate_waits_for_keeps_a_pod_unready() -> None:
    cluster = _run(_pod("p", _container(), readinessGates=[{"conditionType": "example.com/x"}]), seconds=5)
    ready = {c["type"]: c for c in cluster.pod("p")["status"]["conditions"]}
    text = 'corresponding condition of pod readiness gate "example.com/x" does not exist.'
    assert (ready["ContainersReady"]["status"], ready["Ready"]["reason"]) == ("True", "ReadinessGatesNotReady")
    assert ready["Ready"]["message"] == text
