"""The idioms of people on call, as GNU bash and its tools answer them; a change of the interpreter shows here."""

from __future__ import annotations

import pytest

from aiops_gym.shell import make_shell

PODS = """NAME                       READY   STATUS             RESTARTS      AGE
consul-7d9c8b5f4-x2x4z     1/1     Running            0             27m
geo-5d6f7c8b9-abcde        0/1     CrashLoopBackOff   7 (2m ago)    12m
mongodb-geo-6f7d8-q2w3e    1/1     Running            0             27m
rate-84d7c-zzzzz           1/1     Running            1 (20m ago)   27m
"""
JSON = '{"items":[{"metadata":{"name":"geo"},"status":{"n":7}},{"metadata":{"name":"rate"},"status":{"n":1}}]}\n'


def kubectl(argv, stdin):
    if argv[1] == "get":
        if argv[2] == "nope":
            return "", 'Error from server (NotFound): pods "nope" not found\n', 1
        return JSON if "json" in argv else PODS, "", 0
    return f"[{' '.join(argv[1:])}]{stdin}\n", "", 0


CASES = [
    (
        "kubectl get pods | grep -v Running | cut -c1-12",
        "NAME        \ngeo-5d6f7c8b\n",
    ),
    (
        'kubectl get pods | awk \'NR>1 && $3!="Running" {print $1": "$3}\'',
        "geo-5d6f7c8b9-abcde: CrashLoopBackOff\n",
    ),
    (
        "kubectl get pods | tail -n +2 | awk '{c[$3]++} END {for (s in c) print s, c[s]}' | sort",
        "CrashLoopBackOff 1\nRunning 3\n",
    ),
    (
        "kubectl get pods | sed -n '2,3p' | cut -d' ' -f1 | rev | cut -d- -f3- | rev",
        "consul\ngeo\n",
    ),
    (
        "kubectl get pods | egrep -c 'geo|rate'; kubectl get pods | wc -l | tr -d ' '",
        "3\n5\n",
    ),
    (
        "kubectl get pods -o json | jq -r '.items[].metadata.name'",
        "geo\nrate\n",
    ),
    (
        "kubectl get pods -o json | jq -c '[.items[].status.n] | add, max'",
        "8\n7\n",
    ),
    (
        "kubectl get pods -o json | jq -r --arg n geo '.items[] | select(.metadata.name==$n) | \"\\(.status.n)x\"'",
        "7x\n",
    ),
    (
        "kubectl get pods -o json | jq -r '.items|sort_by(.status.n)[]|[.metadata.name,.status.n]|@tsv'",
        "rate\t1\ngeo\t7\n",
    ),
    (
        "kubectl get nope || echo missing",
        "missing\n",
    ),
    (
        "kubectl get nope 2>&1 | cut -c1-10",
        "Error from\n",
    ),
    (
        "kubectl get nope 2>/dev/null; echo $?",
        "1\n",
    ),
    (
        "set -o pipefail; kubectl get nope 2>/dev/null | cat; echo $?",
        "1\n",
    ),
    (
        "for s in geo rate; do kubectl scale $s; done",
        "[scale geo]\n[scale rate]\n",
    ),
    (
        "printf 'geo\\nrate\\n' | xargs -I{} kubectl scale {}",
        "[scale geo]\n[scale rate]\n",
    ),
    (
        "echo geo rate | xargs kubectl delete",
        "[delete geo rate]\n",
    ),
    (
        "printf 'a\\nb\\n' | while read -r x; do kubectl scale $x; done",
        "[scale a]b\n\n[scale b]\n",
    ),
    (
        "kubectl get pods --no-headers | while read -r n _ s _; do [[ $s != Running && $n != NAME ]] && echo $n; done",
        "geo-5d6f7c8b9-abcde\n",
    ),
    (
        "N=8098; cat <<EOF | kubectl apply -f -\nport: $N $((N+1)) $(echo x | tr x y)\nEOF",
        "[apply -f -]port: 8098 8099 y\n\n",
    ),
    (
        'kubectl patch svc a -p=\'[{"op": "replace"}]\' --type="json"',
        '[patch svc a -p=[{"op": "replace"}] --type=json]\n',
    ),
    (
        'kubectl patch svc a -p="[{\\"op\\":1}]"',
        '[patch svc a -p=[{"op":1}]]\n',
    ),
    (
        "diff <(echo a) <(echo b)",
        "1c1\n< a\n---\n> b\n",
    ),
    (
        'declare -A m=([x]=1); for k in "${!m[@]}"; do echo $k=${m[$k]}; done; p=(a b c); echo ${p[@]:1} ${#p[@]}',
        "x=1\nb c 3\n",
    ),
    (
        "x=abc.tar.gz; echo ${x%.*} ${x%%.*} ${x#*.} ${x/b/B} ${x^^} ${y:-d} ${#x}",
        "abc.tar abc tar.gz aBc.tar.gz ABC.TAR.GZ d 10\n",
    ),
    (
        "f() { local n=$1; return $((n*2)); }; f 3; echo $?; trap 'echo bye' EXIT; (exit 4) || echo $?",
        "6\n4\nbye\n",
    ),
    (
        "case geo-1 in geo*) echo g;; *) echo o;; esac; [[ abc =~ ^a(.)c$ ]] && echo ${BASH_REMATCH[1]}",
        "g\nb\n",
    ),
    (
        "i=0; until [ $i -ge 2 ]; do i=$((i+1)); sleep 1; done; echo $i; seq -s, 3; echo {1..3}",
        "2\n1,2,3\n1 2 3\n",
    ),
    (
        "printf '%-5s|%03d|%.2f\\n' a 7 3.14159; echo -e 'a\\tb' | column -t; echo YQ== | base64 -d",
        "a    |007|3.14\na  b\na",
    ),
    (
        "echo 'k: v' > a.yaml; sed -i 's/v/w/' a.yaml; cat a.yaml; ls *.yaml; [ -f a.yaml ] && rm a.yaml; ls | wc -l",
        "k: w\na.yaml\n0\n",
    ),
    (
        "echo 'echo $1-$#' > s.sh; chmod +x s.sh; ./s.sh a b; bash s.sh c; sh -c 'echo $0 $1' x y",
        "a-2\nc-1\nx y\n",
    ),
    (
        "exec 3>/tmp/f; echo hi >&3; exec 3>&-; cat /tmp/f; { echo a; echo b >&2; } 2>/dev/null | cat -n",
        "hi\n     1\ta\n",
    ),
    (
        "echo a,b,c | IFS=, read -ra p; echo ${#p[@]}; IFS=, read -ra p <<< 'a,b,c'; echo ${p[2]}",
        "0\nc\n",
    ),
    (
        "echo 'error id=42;' | grep -oP '(?<=id=)\\d+'; printf '1\\n10\\n9\\n' | sort -n | tail -1",
        "42\n10\n",
    ),
    (
        "date -u -d '2024-05-01T10:00:00Z' +%s; awk 'BEGIN{printf \"%.1f\\n\", 7/2}'; echo 'scale=2; 10/3' | bc",
        "1714557600\n3.5\n3.33\n",
    ),
]
CODES = {
    "exit 7": 7,
    "false": 1,
    "nosuch": 127,
    "set -e; false; echo no": 1,
    "kubectl get nope": 1,
    "kubectl get nope | cat": 0,
    "! true": 1,
    "(exit 5)": 5,
    "for i in": 2,
    "test a = b": 1,
}


@pytest.mark.parametrize(("script", "expected"), CASES)
def test_what_a_script_prints(script, expected):
    stdout, _, _ = make_shell({"kubectl": kubectl}).run(script)
    assert stdout == expected


@pytest.mark.parametrize("script", CODES)
def test_how_a_script_ends(script):
    _, _, code = make_shell({"kubectl": kubectl}).run(script)
    assert code == CODES[script]


def test_sources_of_chance_have_the_names_that_the_kernel_gives_them():
    shell = make_shell({"kubectl": kubectl})
    stdout, stderr, _ = shell.run("cat /dev/urandom/x; find / -name '*random' | sort")
    assert stderr.startswith("cat: /dev/urandom/x: ")
    assert "/dev/urandom\n" in stdout
    assert "/var/tmp/." not in stdout + stderr
