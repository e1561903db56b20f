"""Lives of pods, held against recordings of a real 1.32 cluster: the order of states, and when they came."""

from __future__ import annotations

import json

from small_cluster import SmallCluster, deployment, near, shell


def _times(cluster: SmallCluster, wanted: str, prefix: str = "web") -> list[float]:
    return [time for time, state in cluster.states(prefix) if state == wanted]


def test_a_healthy_pod_runs_within_two_seconds_and_says_so() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(25)
    assert [s for _, s in cluster.states()] == ["Pending", "Pending app:ContainerCreating:0", "Running app:R:0"]
    assert near(_times(cluster, "Running app:R:0")[0], 1.4)
    status = cluster.pod()["status"]
    assert [c["type"] for c in status["conditions"]] == [
        "PodReadyToStartContainers",
        "Initialized",
        "Ready",
        "ContainersReady",
        "PodScheduled",
    ]
    assert {c["status"] for c in status["conditions"]} == {"True"}
    assert status["podIP"].startswith("10.244.0.")
    assert status["hostIP"] == "172.18.0.2"
    assert status["containerStatuses"][0]["containerID"].startswith("containerd://")
    assert status["containerStatuses"][0]["image"] == "docker.io/library/app:1"
    assert list(cluster.events("web-")) and set(cluster.events("web-").values()) == {1}


def test_a_crashing_container_restarts_at_once_and_then_ever_later() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", command=shell("echo boom; exit 1")))
    cluster.at(420)
    recorded = {1: 2.77, 3: 46.13, 4: 87.11, 5: 179.86, 6: 341.81}
    for restarts, time in recorded.items():
        seen = [t for t, s in cluster.states() if s.endswith(f":{restarts}")]
        assert abs(seen[0] - time) < 15, (restarts, seen[0])  # each sync comes 10 to 15 s after the one before
    shown = [s for _, s in cluster.states() if "ContainerCreating" not in s]
    assert shown[1] == "Running app:Error/1:0"
    for restarts in range(1, 7):
        order = [s for s in shown if s.endswith(f":{restarts}")]
        assert order[-2:] == [f"Running app:Error/1:{restarts}", f"Running app:CrashLoopBackOff:{restarts}"]
    waiting = cluster.pod()["status"]["containerStatuses"][0]["state"]["waiting"]["message"]
    assert waiting.startswith("back-off 5m0s restarting failed container=app pod=web-")
    counts = cluster.events("web-")
    assert next(n for text, n in counts.items() if text.startswith("BackOff Back-off restarting")) in (25, 26)
    assert counts["Started Started container app"] == 7


def test_the_exit_is_shown_for_ten_to_fifteen_seconds_before_the_back_off() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", command=shell("sleep 3; exit 1")))
    cluster.at(100)
    states = cluster.states()
    gaps = [
        states[i + 1][0] - time
        for i, (time, state) in enumerate(states[:-1])
        if state == "Running app:Error/1:1" and "CrashLoop" in states[i + 1][1]
    ]
    assert gaps and all(9.5 <= gap <= 16 for gap in gaps)


def test_a_missing_image_alternates_between_two_reasons() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", image="missing:9"))
    cluster.at(130)
    waiting = [(t, s) for t, s in cluster.states() if "Pull" in s]
    assert [s.split(":")[1] for _, s in waiting] == ["ErrImagePull", "ImagePullBackOff"] * 4
    for (time, _), recorded in zip(waiting, [1.21, 14.95, 25.83, 37.88, 49.86, 64.86], strict=False):
        assert abs(time - recorded) < 7, (time, recorded)
    message = cluster.pod()["status"]["containerStatuses"][0]["state"]["waiting"]["message"]
    error = "docker.io/library/missing:9: not found"
    assert message.startswith('Back-off pulling image "missing:9": ErrImagePull: ') and message.endswith(error)
    counts = cluster.events("web-")
    assert (counts['Pulling Pulling image "missing:9"'], counts["Failed Error: ErrImagePull"]) == (4, 4)
    assert counts['BackOff Back-off pulling image "missing:9"'] == counts["Failed Error: ImagePullBackOff"] == 8
    assert cluster.pod()["status"]["podIP"]


def test_a_registry_that_nobody_knows_takes_ten_seconds_to_say_so() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", image="far.example/x:1"))
    cluster.at(40)
    times = [t for t, s in cluster.states() if "Pull" in s]
    assert near(times[0], 11.96) and near(times[1], 23.31)


def test_an_image_that_is_not_there_is_pulled_once_for_each_node() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", image="big:1"))
    cluster.at(30)
    cluster.apply(deployment("two", image="big:1"))
    cluster.at(60)
    first = [text for text in cluster.events("web-") if text.startswith("Pulled")]
    assert first[0].startswith('Pulled Successfully pulled image "big:1" in ')
    assert first[0].endswith(" including waiting). Image size: 400000000 bytes.")
    assert 'Pulled Container image "big:1" already present on machine' in cluster.events("two-")
    assert 6 < _times(cluster, "Running app:R:0")[0] < 20


def test_a_command_that_does_not_exist_is_a_run_container_error() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", command=["/nope"]))
    cluster.at(30)
    shown = [s for _, s in cluster.states() if "ContainerCreating" not in s][1:]
    assert shown[:4] == [
        "Running app:RunContainerError:0",
        "Running app:RunContainerError:1",
        "Running app:CrashLoopBackOff:1",
        "Running app:RunContainerError:2",
    ]
    last = cluster.pod()["status"]["containerStatuses"][0]["lastState"]["terminated"]
    assert (last["reason"], last["exitCode"], last["startedAt"]) == ("StartError", 128, "1970-01-01T00:00:00Z")
    assert any("stat /nope: no such file or directory: unknown" in text for text in cluster.events("web-"))


def test_images_that_may_not_or_cannot_be_pulled_have_reasons_of_their_own() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", image="absent:1", imagePullPolicy="Never"))
    cluster.apply(deployment("inv", image="Bad//Name"))
    cluster.at(15)
    assert cluster.states("web")[-1][1] == "Pending app:ErrImageNeverPull:0"
    assert cluster.states("inv")[-1][1] == "Pending app:InvalidImageName:0"
    wrong = (
        'couldn\'t parse image name "Bad//Name": invalid reference format: repository name (/Name) must be lowercase'
    )
    assert f'InspectFailed Failed to apply default image tag "Bad//Name": {wrong}' in cluster.events("inv-")


def test_configuration_that_is_missing_is_asked_for_again_and_again() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web", envFrom=[{"configMapRef": {"name": "absent"}}]))
    volume = {"name": "v", "configMap": {"name": "absent"}}
    mount = {"name": "v", "mountPath": "/d"}
    cluster.apply(deployment("vol", volumes=[volume], volumeMounts=[mount]))
    cluster.at(150)
    assert cluster.states("web")[-1][1] == "Pending app:CreateContainerConfigError:0"
    assert cluster.states("vol")[-1][1] == "Pending app:ContainerCreating:0"
    assert 11 <= cluster.events("web-")['Failed Error: configmap "absent" not found'] <= 15
    text = 'FailedMount MountVolume.SetUp failed for volume "v" : configmap "absent" not found'
    assert cluster.events("vol-")[text] == 9
    cluster.apply({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "absent"}, "data": {"a": "b"}})
    cluster.at(300)
    assert cluster.states("web")[-1][1] == cluster.states("vol")[-1][1] == "Running app:R:0"


def test_init_containers_run_one_after_the_other_before_the_rest() -> None:
    cluster = SmallCluster()
    inits = [{"name": n, "image": "app:1", "command": shell("sleep 2")} for n in ("one", "two")]
    cluster.apply(deployment("web", initContainers=inits))
    cluster.at(60)
    assert [s for _, s in cluster.states()][1:] == [
        "Pending one:PodInitializing:0 two:PodInitializing:0 app:PodInitializing:0",
        "Pending one:r:0 two:PodInitializing:0 app:PodInitializing:0",
        "Pending one:Completed/0:0 two:PodInitializing:0 app:PodInitializing:0",
        "Pending one:Completed/0:0 two:r:0 app:PodInitializing:0",
        "Pending one:Completed/0:0 two:Completed/0:0 app:PodInitializing:0",
        "Running one:Completed/0:0 two:Completed/0:0 app:R:0",
    ]


def test_a_failing_init_container_keeps_the_pod_pending() -> None:
    cluster = SmallCluster()
    init = {"name": "setup", "image": "app:1", "command": shell("echo x; exit 3")}
    cluster.apply(deployment("web", initContainers=[init]))
    cluster.at(60)
    ends = {"Pending setup:Error/3:0 app:PodInitializing:0", "Pending setup:CrashLoopBackOff:2 app:PodInitializing:0"}
    assert ends <= {s for _, s in cluster.states()}
    assert cluster.pod()["status"]["phase"] == "Pending"
    starts = [t for t, s in cluster.states() if s.startswith("Pending setup:Error/3:3")]
    assert abs(starts[0] - 47.67) < 15


def test_a_pod_that_ignores_the_signal_is_killed_after_its_grace() -> None:
    cluster = SmallCluster()
    ignore = shell("trap '' TERM; while true; do sleep 1; done")
    cluster.apply(deployment("web", command=ignore, terminationGracePeriodSeconds=8))
    cluster.at(6)
    name = cluster.pod()["metadata"]["name"]
    cluster.delete("pods", name)
    cluster.at(30)
    gone = [(t, s) for t, s in cluster.states(name) if t >= 6]
    assert [s for _, s in gone] == ["Deleting app:R:0", "Deleting app:Error/137:0", "gone"]
    assert near(gone[1][0], 15.64) and near(gone[2][0], 15.9)
    assert len(cluster.pods()) == 1 and cluster.pod()["metadata"]["name"] != name


def test_a_pod_deleted_by_force_is_gone_at_once() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(5)
    name = cluster.pod()["metadata"]["name"]
    cluster.delete("pods", name, grace=0)
    assert cluster.pods() == []
    assert not any(key.startswith(name) for key in cluster.world.table("kubelet"))
    cluster.at(10)
    assert cluster.states("web")[-1][1] == "Running app:R:0"


def test_a_changed_image_restarts_the_container_in_place() -> None:
    cluster = SmallCluster()
    cluster.apply(deployment("web"))
    cluster.at(5)
    pod = cluster.pod()
    containers = [{**pod["spec"]["containers"][0], "image": "app:2"}]
    cluster.world.store.put("pods", {**pod, "spec": {**pod["spec"], "containers": containers}})
    cluster.at(10)
    assert cluster.states()[-1][1] == "Running app:R:1"
    assert cluster.pod()["metadata"]["uid"] == pod["metadata"]["uid"]
    assert cluster.events("web-")["Killing Container app definition changed, will be restarted"] == 1


def test_pods_that_shall_not_restart_end() -> None:
    cluster = SmallCluster()
    for name, code in (("good", 0), ("bad", 2)):
        container = {"name": "app", "image": "app:1", "command": shell(f"sleep 2; exit {code}")}
        spec = {"restartPolicy": "Never", "containers": [container]}
        cluster.apply({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec})
    cluster.at(60)
    assert cluster.states("good")[-1][1] == "Succeeded app:Completed/0:0"
    assert cluster.states("bad")[-1][1] == "Failed app:Error/2:0"
    reasons = {c["type"]: c.get("reason") for c in cluster.pod("good")["status"]["conditions"]}
    assert reasons["Ready"] == "PodCompleted"


def test_a_quiet_hour_costs_nothing() -> None:
    cluster = SmallCluster(nodes=2)
    probe = {"httpGet": {"path": "/", "port": 8080}}
    cluster.apply(deployment("web", replicas=3, readinessProbe=probe, livenessProbe=probe))
    cluster.at(700)
    version = cluster.world.store.version
    due = [entry for entry in cluster.world.heap if entry[0] < cluster.world.now + 2_800_000]
    assert due == []
    cluster.at(3_500)
    assert cluster.world.store.version == version


def test_the_same_seed_gives_the_same_lives() -> None:
    def play(seed: int) -> list[tuple[float, str, str]]:
        cluster = SmallCluster(seed)
        cluster.apply(deployment("web", replicas=2, command=shell("sleep 1; exit 1")))
        cluster.at(60)
        return cluster.seen

    assert play(3) == play(3)
    assert play(3) != play(4)


def test_a_world_put_into_data_and_back_lives_on_in_the_same_way() -> None:
    cluster = SmallCluster()
    baseline = cluster.world.fork()
    cluster.apply(deployment("web", replicas=2, command=shell("sleep 4; exit 1")))
    cluster.apply(deployment("bad", image="missing:9"))
    probe = {"httpGet": {"path": "/x", "port": 8080}, "periodSeconds": 3}
    cluster.apply(deployment("live", livenessProbe=probe))
    cluster.at(31)
    twin = baseline.fork()
    twin.become(json.loads(json.dumps(cluster.world.difference(baseline))))
    cluster.at(200)
    twin.run_until(cluster.world.now)
    mine, theirs = ({name: t for name, t in w.tables.items() if t} for w in (twin, cluster.world))
    assert mine == theirs and twin.heap == cluster.world.heap
