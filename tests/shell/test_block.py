"""AIOpsLab's blocked commands: all ways to write them, and nothing else."""

from __future__ import annotations

import pytest

from aiops_gym.shell.block import DOCKER_LOGS, EDIT, LOGS, PORT_FORWARD, refuse

BLOCKED = {
    EDIT: [
        "kubectl edit svc web",
        "kubectl -n shop edit svc",
        "kubectl --namespace=shop edit deploy/web",
        "kubectl --context kind edit cm a",
        "sudo -u root kubectl edit svc",
        "echo a; x=$(kubectl edit svc a)",
        "for s in a b; do kubectl -n x edit svc $s; done",
        "f() { kubectl edit svc; }; f",
        "sh -c 'kubectl edit svc'",
        'bash -xc "sleep 1 && kubectl edit svc"',
        "echo a b | xargs -n 1 kubectl edit svc",
        "EDITOR=cat KUBE=1 kubectl edit svc",
        "env EDITOR=sed kubectl edit svc",
        "timeout -s KILL 5 kubectl edit svc",
        "cat <(kubectl edit svc)",
        "`kubectl edit svc`",
        'echo "$(kubectl edit svc)"',
        "if kubectl edit svc; then :; fi",
        "/usr/local/bin/kubectl edit svc",
        "kubectl apply edit-last-applied deploy/a",
        "find . -name a -exec kubectl edit {} \\;",
        "eval 'kubectl edit svc'",
        "watch 'kubectl edit svc'",
        "true &&\n  kubectl \\\n  edit svc",
    ],
    PORT_FORWARD: [
        "kubectl port-forward svc/a 80",
        "kubectl -n b port-forward a 1:2 &",
        "nohup kubectl port-forward a 1 &",
    ],
    LOGS: [
        "kubectl logs -f a",
        "kubectl logs a -f",
        "kubectl logs a -n b --follow",
        "kubectl logs a --follow=true",
        "kubectl logs -pf a",
        "kubectl logs a --tail 5 -f | grep x",
        "kubectl -n b logs deploy/a -c main -f &",
    ],
    DOCKER_LOGS: [
        "docker logs -f a",
        "docker logs a --follow",
        "docker container logs -f a",
        "sudo docker logs --tail 5 -f a",
    ],
}
ALLOWED = [
    'grep "edit svc" notes.txt',
    "echo 'kubectl edit svc'",
    "echo kubectl port-forward is not allowed",
    "kubectl get pods # kubectl edit",
    "kubectl get pods -l app=edit",
    "kubectl -n edit get svc",
    "kubectl logs a --tail=5",
    "kubectl logs -l app=f",
    "kubectl logs a -n f",
    "kubectl logs a -c -f",
    "kubectl logs a --follow=false",
    "kubectl apply -f a.yaml",
    "kubectl describe svc edit",
    "kubectl exec a -- tail -f /var/log/x",
    "kubectl exec a -- sh -c 'echo edit'",
    "kubectl delete -f logs",
    "docker logs a",
    "cat <<E\nkubectl edit svc\nE",
    "kubectl edit 'unterminated",
    "",
    "tail -f x",
    "sh -c",
]


@pytest.mark.parametrize(("script", "text"), [(s, text) for text, scripts in BLOCKED.items() for s in scripts])
def test_a_blocked_command_is_found(script, text):
    assert refuse(script) == text


@pytest.mark.parametrize("script", ALLOWED)
def test_what_only_looks_like_one_is_let_through(script):
    assert refuse(script) is None
