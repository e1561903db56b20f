"""Rollouts, scaling and deletion, typed into a shell beside a running cluster."""

from __future__ import annotations


def test_a_rollout_is_followed_to_its_end(web):
    web("set image deploy/web app=app:2")
    steps = web("rollout status deploy/web").splitlines()
    assert steps[0] == "Waiting for deployment spec update to be observed..."
    assert 'Waiting for deployment "web" rollout to finish: 1 out of 2 new replicas have been updated...' in steps
    assert steps[-1] == 'deployment "web" successfully rolled out'
    assert web("get deploy web -o jsonpath={.status.readyReplicas}") == "2"


def test_a_rollout_that_hangs_times_out(web):
    web("set image deploy/web app=missing:9")
    assert web.fails("rollout status deploy/web --timeout=20s") == "error: timed out waiting for the condition\n"


def test_following_stops_when_the_time_is_used_up(web):
    web("set image deploy/web app=missing:9")
    web.budget = 10
    output = web.run("rollout status deploy/web")
    assert output.code == 0
    assert output.stdout.endswith("new replicas have been updated...\n")


def test_a_rollout_past_its_deadline_fails(web):
    web("""patch deploy web -p '{"spec":{"progressDeadlineSeconds":30}}'""")
    web("set image deploy/web app=missing:9")
    assert web.fails("rollout status deploy/web") == 'error: deployment "web" exceeded its progress deadline\n'


def test_history_and_undo(web):
    web("set image deploy/web app=app:2")
    web("rollout status deploy/web")
    rows = "REVISION  CHANGE-CAUSE\n1         <none>\n2         <none>\n\n"
    assert web("rollout history deploy/web") == "deployment.apps/web \n" + rows
    details = web("rollout history deploy/web --revision=1")
    assert details.startswith("deployment.apps/web with revision #1\nPod Template:\n  Labels:\tapp=web\n")
    assert "    Image:\tapp:1\n" in details
    assert web("rollout undo deploy/web") == "deployment.apps/web rolled back\n"
    web("rollout status deploy/web")
    assert web("get deploy web -o jsonpath={.spec.template.spec.containers[0].image}") == "app:1"
    same = "deployment.apps/web skipped rollback (current template already matches revision 3)\n"
    assert web("rollout undo deploy/web --to-revision=3") == same
    missing = "error: unable to find specified revision 9 in history\n"
    assert web.fails("rollout undo deploy/web --to-revision=9") == missing


def test_restart_replaces_every_pod(web):
    before = web("get pods -o name")
    assert web("rollout restart deploy web") == "deployment.apps/web restarted\n"
    again = web.fails("rollout restart deploy web")
    assert again.startswith("error: failed to create patch for web: if restart has already been triggered")
    web("rollout status deploy/web")
    web.wait(3)
    assert not set(before.split()) & set(web("get pods -o name").split())


def test_pause_and_resume(web):
    assert web("rollout pause deploy/web") == "deployment.apps/web paused\n"
    assert web.fails("rollout pause deploy/web") == 'error: deployments.apps "web" is already paused\n'
    paused = 'error: deployments.apps "web" can\'t restart paused deployment (run rollout resume first)\n'
    assert web.fails("rollout restart deploy/web") == paused
    assert web("rollout resume deploy/web") == "deployment.apps/web resumed\n"
    assert web.fails("rollout resume deploy/web") == 'error: deployments.apps "web" is not paused\n'


def test_scale(web):
    assert web("scale deploy/web --replicas=3 --timeout=30s") == "deployment.apps/web scaled\n"
    assert web("get deploy web -o jsonpath={.status.replicas}") == "3"
    assert (
        web.fails("scale deploy/web --replicas=1 --current-replicas=9") == "error: Expected replicas to be 9, was 3\n"
    )
    nothing = 'error: no objects passed to scale deployments.apps "x" not found\n'
    assert web.fails("scale deploy x --replicas=1") == nothing


def test_delete_waits_until_a_pod_is_gone(web):
    name = web("get pods -o name").split()[0].removeprefix("pod/")
    assert web(f"delete pod {name}") == f'pod "{name}" deleted\n'
    assert web.fails(f"get pod {name}") == f'Error from server (NotFound): pods "{name}" not found\n'
    assert web.fails(f"delete pod {name}") == f'Error from server (NotFound): pods "{name}" not found\n'
    assert web(f"delete pod {name} --ignore-not-found") == ""


def test_delete_at_once_warns(web):
    name = web("get pods -o name").split()[0].removeprefix("pod/")
    output = web.run(f"delete pod {name} --force --grace-period=0")
    assert output.stdout == f'pod "{name}" force deleted\n'
    assert output.stderr.startswith("Warning: Immediate deletion does not wait for confirmation")


def test_delete_by_selector(web):
    assert web("delete deploy -l tier=front") == 'deployment.apps "web" deleted\n'
    assert web("delete deploy -l tier=front") == "No resources found\n"
    assert (
        web.fails("delete deploy --all -o wide")
        == "error: unexpected -o output mode: wide. We only support '-o name'\n"
    )


def test_drain_and_uncordon(web):
    lines = web("drain node-1").splitlines()
    assert lines[0] == "node/node-1 cordoned"
    assert lines[-1] == "node/node-1 drained"
    assert sum(line.endswith(" evicted") for line in lines) == 2
    assert web("cordon node-1") == "node/node-1 already cordoned\n"
    assert web("uncordon node-1") == "node/node-1 uncordoned\n"
    assert web("taint node node-1 k=v:NoSchedule") == "node/node-1 tainted\n"
    assert web.fails("taint node node-1 k=w:NoSchedule") == (
        "error: node node-1 already has k taint(s) with same effect(s) and --overwrite is false\n"
    )
    assert web("taint node node-1 k-") == "node/node-1 untainted\n"


def test_a_pod_with_rm_is_removed_when_the_time_is_used_up(desk):
    desk.budget = 10
    output = desk.run("run t --rm -i --image=app:1 --restart=Never --pod-running-timeout=30s")
    assert (output.stdout.splitlines()[-1], output.code) == ('pod "t" deleted', 0)
    desk.world.run(60_000)
    assert desk.fails("get pod t") == 'Error from server (NotFound): pods "t" not found\n'
