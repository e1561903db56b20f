"""Single fields written by hand that once raised or held the process, in the commands that wrote them."""

from __future__ import annotations

import json

import pytest
from fuzzing import PROBLEMS, start
from readings import shell

STATUS = "kubectl patch -n shop {} --subresource=status --type=merge -p '{}'"
BARE = [{"type": t, "status": s} for t in ("Ready", "Available", "Progressing", "Complete") for s in ("True", "False")]
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def _cron(schedule: str, last: str, **spec: object) -> str:
    """A CronJob of this schedule that says to have run last then."""
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "old", "namespace": "shop"},
        "spec": {
            **spec,
            "schedule": schedule,
            "jobTemplate": {
                "spec": {
                    "template": {
                        "spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "busybox:1.36"}]}
                    }
                }
            },
        },
    }
    patch = json.dumps({"status": {"lastScheduleTime": last}})
    return f"kubectl create -f - <<'EOF'\n{json.dumps(cron)}\nEOF\n{STATUS.format('cronjob old', patch)}"


@pytest.fixture
def env():
    return start(PROBLEMS[0]).fork()[0]


def typed(env, script: str) -> str:
    """What the shell prints."""
    return env.step(shell(script))[0]


NEWEST_SET = "$(kubectl get rs -n shop -l app=web -o name | head -1)"


@pytest.mark.parametrize(
    "what", ["deployment web", "pod once", "job report", "hpa web", "pdb web", "statefulset db", NEWEST_SET]
)
def test_a_condition_needs_neither_reason_nor_time(env, what):
    for condition in BARE:
        patch = json.dumps({"status": {"conditions": [condition]}})
        answer = typed(
            env, f"{STATUS.format(what, patch)}; kubectl describe -n shop {what}; kubectl get -n shop {what}"
        )
        assert "Name:" in answer
    typed(env, "sleep 60")


def test_a_schedule_last_met_in_1970_is_met_once_more_and_says_so(env):
    typed(env, f"{_cron('* * * * *', '1970-01-01T00:00:00Z')}; sleep 70")
    assert "too many missed start times" in typed(
        env, "kubectl get events -n shop --field-selector=reason=TooManyMissedTimes"
    )
    started = typed(env, "kubectl get jobs -n shop --no-headers").count("old-")
    assert 1 <= started <= 3


def test_a_schedule_looks_no_further_back_than_its_deadline(env):
    typed(env, f"{_cron('* * * * *', '1970-01-01T00:00:00Z', startingDeadlineSeconds=120)}; sleep 70")
    assert "No resources found" in typed(env, "kubectl get events -n shop --field-selector=reason=TooManyMissedTimes")
    assert "old-" in typed(env, "kubectl get jobs -n shop")


@pytest.mark.parametrize("schedule", ["0 0 30 2 *", "* * * 1 *", "@every 1s", "0 0 29 2 *"])
@pytest.mark.parametrize("last", ["1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-02T00:00:00Z"])
def test_any_schedule_and_any_time_end(env, schedule, last):
    assert "patched" in typed(env, _cron(schedule, last))
    typed(env, "sleep 30; kubectl describe cronjob -n shop; kubectl get cronjob -n shop")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('"annotations": "x"', "string into Go struct field ObjectMeta.metadata.annotations of type map[string]string"),
        ('"annotations": 1', "number into Go struct field ObjectMeta.metadata.annotations of type map[string]string"),
        ('"annotations": {"a": 1}', "number into Go struct field ObjectMeta.metadata.annotations of type string"),
        ('"labels": [1]', "array into Go struct field ObjectMeta.metadata.labels of type map[string]string"),
        ('"generation": 1.5', "number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64"),
    ],
)
@pytest.mark.parametrize("verb", ["create", "apply", "replace", "create --save-config", "apply --server-side"])
def test_metadata_of_the_wrong_type_is_refused_where_the_real_kubectl_reads_it(env, verb, body, told):
    text = (
        f'{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "settings", "namespace": "shop", {body}}}}}'
    )
    answer = typed(env, f"kubectl {verb} -f - <<'EOF'\n{text}\nEOF")
    assert answer == f'error: unable to decode "STDIN": json: cannot unmarshal {told}\n[exit code 1]'


@pytest.mark.parametrize("value", ["x", "[]", "1", '"s"'])
def test_what_apply_remembers_may_have_been_written_over(env, value):
    lines = (
        f"kubectl annotate -n shop --overwrite cm settings '{LAST}={value}'",
        "kubectl create cm settings -n shop --dry-run=client -o yaml > cm.yaml",
        "kubectl diff -f cm.yaml; kubectl apply view-last-applied -n shop cm settings",
        "kubectl apply -f cm.yaml",
    )
    answer = typed(env, "\n".join(lines))
    assert f"original:\n{value}\nmodified:\n" in answer
    assert "for:: invalid JSON document\n[exit code 1]" in answer


REFUSED = (
    (
        "daemonset agent",
        '{"spec": {"updateStrategy": {"rollingUpdate": {"maxSurge": "http", "maxUnavailable": 0}}}}',
        "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value",
    ),
    (
        "hpa web",
        '{"spec": {"metrics": [{"type": "Resource", "resource": {"name": "cpu", "target": {"type": '
        '"Utilization", "averageUtilization": 0}}}]}}',
        "averageUtilization: Invalid value: 0: must be greater than 0",
    ),
    (
        "endpoints byhand",
        '{"subsets": [{"addresses": [{"ip": "10.9.9.9"}], "ports": [{"port": 0}]}]}',
        "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
    ),
    (
        "endpoints byhand",
        '{"subsets": [{"addresses": [{"ip": "x"}], "ports": [{"port": 80}]}]}',
        'subsets[0].addresses[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ),
    (
        "endpoints byhand",
        '{"subsets": [{"addresses": [{"ip": "10.9.9.9"}], "ports": [{"port": "http"}]}]}',
        "cannot unmarshal string into Go struct field EndpointPort.subsets.ports.port of type int32",
    ),
    (
        "endpoints byhand",
        '{"subsets": [{"ports": [{"port": 80}]}]}',
        "subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`",
    ),
)
STATUS_REFUSED = (
    ("deployment web", '{"replicas": -1}', "status.replicas: Invalid value: -1: must be greater than or equal to 0"),
    (
        "deployment web",
        '{"replicas": 1, "readyReplicas": 2, "availableReplicas": 0, "updatedReplicas": 0}',
        "status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas",
    ),
    ("pod duo", '{"podIP": "x", "podIPs": null}', 'status.podIPs[0]: Invalid value: "x": must be a valid IP address'),
    (
        "pod once",
        '{"containerStatuses": [{"name": "work", "image": "a", "imageID": "", "ready": true, "restartCount": 0, '
        '"state": {"running": {}}}]}',
        "status.containerStatuses[0].state: Forbidden: may not be transitioned to",
    ),
    ("pod duo", '{"conditions": [{"type": "a b", "status": "True"}]}', "metadata.conditions[0].Type: Invalid value"),
    (
        "job report",
        '{"completionTime": null}',
        "completionTime: Required value: completionTime is required for Complete",
    ),
    (
        "pdb web",
        '{"currentHealthy": -1}',
        "status.currentHealthy: Invalid value: -1: must be greater than or equal to 0",
    ),
    ("service web", '{"loadBalancer": {"ingress": [{"ip": "x"}]}}', 'ingress[0].ip: Invalid value: "x"'),
    ("namespace shop", '{"phase": "Terminating"}', "may only be 'Active' if `deletionTimestamp` is empty"),
)


@pytest.mark.parametrize(("what", "patch", "told"), REFUSED)
def test_the_server_validates_what_the_real_one_does(env, what, patch, told):
    assert told in typed(env, f"kubectl patch -n shop {what} --type=merge -p '{patch}'")


def test_a_pod_without_a_node_may_have_an_address(env):
    typed(
        env, 'kubectl run -n shop nowhere --image=busybox:1.36 --overrides=\'{"spec": {"nodeSelector": {"a": "b"}}}\''
    )
    for address in ("10.244.9.9", "::1"):
        patch = f'{{"status": {{"podIP": "{address}", "podIPs": [{{"ip": "{address}"}}]}}}}'
        assert "patched" in typed(env, STATUS.format("pod nowhere", patch))
        answer = typed(env, "sleep 60; kubectl get pod -n shop nowhere -o wide; kubectl describe pod -n shop nowhere")
        assert address in answer


def test_a_pod_may_have_an_address_of_six_groups_alone(env):
    patch = '{"status": {"podIP": "::1", "podIPs": [{"ip": "::1"}]}}'
    script = f"""name=$(kubectl get pods -n kube-system -l k8s-app=kube-dns -o name | head -1)
kubectl patch -n kube-system $name --subresource=status --type=merge -p '{patch}'
kubectl get -n kube-system $name -o wide
kubectl rollout restart -n kube-system deployment coredns
sleep 60"""
    for _ in range(2):
        assert "::1" in typed(env, script)


def test_a_slice_without_ports_outlives_a_rollout(env):
    script = """kubectl get endpointslices -A --no-headers | while read -r space name rest
do kubectl patch endpointslice -n $space $name --type=merge -p '{"ports": null}'
done
kubectl rollout restart deployment -n kube-system coredns
kubectl rollout status deployment -n kube-system coredns --timeout=90s"""
    answer = typed(env, script)
    assert "patched" in answer
    assert "successfully rolled out" in answer
    typed(env, "sleep 60; kubectl describe endpointslices -A; kubectl describe services -A")
    assert "53" in typed(env, "kubectl get endpointslices -n kube-system -o jsonpath='{.items[*].ports[*].port}'")


def test_a_schedule_forgets_a_run_without_a_name(env):
    typed(env, _cron("* * * * *", "1970-01-01T00:00:00Z", concurrencyPolicy="Replace"))
    assert "patched" in typed(env, STATUS.format("cronjob old", '{"status": {"active": [{}]}}'))
    answer = typed(
        env,
        "kubectl describe cronjob -n shop old; sleep 130; kubectl get cronjob -n shop old; kubectl get jobs -n shop",
    )
    assert "old-" in answer


def test_a_list_of_lists_is_no_patch(env):
    patch = '{"metadata": {"finalizers": [[]]}}'
    assert "lists of lists are not supported" in typed(env, f"kubectl patch -n shop pvc data -p '{patch}'")


@pytest.mark.parametrize(("what", "patch", "told"), STATUS_REFUSED)
def test_the_server_validates_a_status(env, what, patch, told):
    assert told in typed(env, STATUS.format(what, f'{{"status": {patch}}}'))
