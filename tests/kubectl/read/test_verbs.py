"""The other reading verbs: logs, exec, events, top, wait, auth, config, version, and what is no verb."""

import pytest

from aiops_gym.kubectl.verbs import load_verbs
from aiops_gym.sim.kube_api.descriptions import describe
from aiops_gym.types import Output, Response

LINES = "2026-03-02T09:00:01.000000001Z one\n2026-03-02T09:00:02.000000001Z two\n"


def logs_answer(kubectl, text):
    kubectl.cluster.answers["get", "pods", "log"] = Response(200, text)


def test_logs_of_a_workload_come_from_its_best_pod(kubectl):
    logs_answer(kubectl, "hello\n")
    assert kubectl("-n", "shop", "logs", "deploy/geo") == ("hello\n", "Found 2 pods, using pod/geo-1\n", 0)


def test_logs_choose_the_first_container_and_say_so(kubectl):
    logs_answer(kubectl, "hello\n")
    assert kubectl("-n", "shop", "logs", "rate-1").stderr == 'Defaulted container "a" out of: a, b\n'
    assert kubectl("-n", "shop", "logs", "rate-1", "-c", "b") == ("hello\n", "", 0)
    assert kubectl("-n", "shop", "logs", "rate-1", "x").stderr == "error: container x is not valid for pod rate-1\n"


def test_logs_of_a_selector_are_short_and_may_be_prefixed(kubectl):
    logs_answer(kubectl, "x\ny\n")
    out = kubectl("-n", "shop", "logs", "-l", "app=rate", "--prefix", "--all-containers").stdout
    assert out == "".join(f"[pod/rate-1/{c}] {line}\n" for c in "ab" for line in "xy")
    assert kubectl.cluster.asked[-1].query["tailLines"] == "10"


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("nope",), 'error: error from server (NotFound): pods "nope" not found in namespace "shop"\n'),
        (
            ("deploy/nope",),
            'error: error from server (NotFound): deployments.apps "nope" not found in namespace "shop"\n',
        ),
        (
            ("-l", "app=geo", "geo-1"),
            "error: only a selector (-l) or a POD name is allowed\nSee 'kubectl logs -h' for help and examples\n",
        ),
        (("cm/conf",), "error: cannot get the logs from *v1.ConfigMap: selector for *v1.ConfigMap not implemented\n"),
        (("geo-1", "--tail=-2"), "error: --tail must be greater than or equal to -1\n"),
        (
            ("geo-1", "--since=1m", "--since-time=2026-03-02T09:00:00Z"),
            "error: at most one of `sinceTime` or `sinceSeconds` may be specified\n",
        ),
        (
            ("geo-1", "--since-time=x"),
            'error: parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006"\n',
        ),
        (
            ("geo-1", "--since-time=2024"),
            'error: parsing time "2024" as "2006-01-02T15:04:05Z07:00": cannot parse "" as "-"\n',
        ),
    ],
)
def test_logs_refusals(kubectl, words, error):
    assert kubectl("-n", "shop", "logs", *words) == ("", error, 1)


def test_following_prints_what_is_added_and_ends_with_the_time(kubectl):
    kubectl.cluster.budget = 5
    logs_answer(kubectl, LINES)
    more = LINES + "2026-03-02T09:01:03.000000001Z three\n"
    kubectl.cluster.later.append((kubectl.cluster.now() + 2, lambda _: logs_answer(kubectl, more)))
    assert kubectl("-n", "shop", "logs", "-f", "geo-1") == ("one\ntwo\nthree\n", "", 0)


def test_exec_passes_on_output_and_exit_code(kubectl):
    kubectl.cluster.answers["create", "pods", "exec"] = Response(200, Output("out\n", "err\n", 3))
    done = kubectl("-n", "shop", "exec", "-it", "geo-1", "--", "sh", "-c", "exit 3", stdin="in")
    assert done.code == 3 and done.stdout == "out\n"
    assert done.stderr == (
        "Unable to use a TTY - input is not a terminal or the right kind of file\nerr\n"
        "command terminated with exit code 3\n"
    )
    assert kubectl.cluster.asked[-1].body == {"command": ["sh", "-c", "exit 3"], "stdin": "in"}


@pytest.mark.parametrize(
    ("words", "error"),
    [
        ((), "error: pod, type/name or --filename must be specified\n"),
        (("geo-1",), "error: you must specify at least one command for the container\n"),
        (
            ("geo-1", "ls"),
            "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\n"
            "See 'kubectl exec -h' for help and examples\n",
        ),
        (("nope", "--", "ls"), 'Error from server (NotFound): pods "nope" not found\n'),
    ],
)
def test_exec_refusals(kubectl, words, error):
    assert kubectl("-n", "shop", "exec", *words) == ("", error, 1)


def test_events_are_told_with_their_span(kubectl):
    assert kubectl("-n", "shop", "events").stdout == (
        "LAST SEEN           TYPE      REASON    OBJECT       MESSAGE\n"
        "40s                 Normal    Pulled    Pod/rate-1   Pulled\n"
        "30s                 Normal    Started   Pod/geo-1    Pulled\n"
        "10s (x4 over 50s)   Warning   Pulled    Pod/geo-1    Pulled\n"
    )
    assert len(kubectl("-n", "shop", "events", "--types=Warning").stdout.splitlines()) == 2
    assert len(kubectl("-n", "shop", "events", "--for", "pod/rate-1").stdout.splitlines()) == 2
    assert kubectl("events").stderr == "No events found in default namespace.\n"


def metrics(name, **containers):
    usage = [{"name": c, "usage": {"cpu": cpu, "memory": memory}} for c, (cpu, memory) in containers.items()]
    return {"metadata": {"name": name, "namespace": "shop"}, "containers": usage}


def test_top_pods_sums_containers_and_leaves_trailing_blanks(kubectl):
    items = [metrics("b", x=("1500n", "10Mi")), metrics("a", x=("10m", "1Gi"), y=("5m", "1048575"))]
    kubectl.cluster.answers["list", "pods.metrics.k8s.io", ""] = Response(200, {"items": items})
    assert kubectl("-n", "shop", "top", "pods").stdout == (
        "NAME   CPU(cores)   MEMORY(bytes)   \n"
        "a      15m          1024Mi          \n"
        "b      1m           10Mi            \n"
    )
    by_cpu = kubectl("-n", "shop", "top", "po", "--containers", "--no-headers").stdout.splitlines()
    assert [line.split() for line in by_cpu] == [
        ["a", "x", "10m", "1024Mi"],
        ["a", "y", "5m", "0Mi"],
        ["b", "x", "1m", "10Mi"],
    ]
    assert kubectl("top", "pods", "--sort-by=x").stderr == "error: --sort-by accepts only cpu or memory\n"


def test_top_nodes_shows_shares_of_what_is_allocatable(kubectl):
    node = {"metadata": {"name": "n1"}, "status": {"allocatable": {"cpu": "4", "memory": "8Gi"}}}
    used = {"metadata": {"name": "n1"}, "usage": {"cpu": "250m", "memory": "2Gi"}}
    kubectl.cluster.answers["list", "nodes", ""] = Response(200, {"items": [node]})
    kubectl.cluster.answers["list", "nodes.metrics.k8s.io", ""] = Response(200, {"items": [used]})
    assert kubectl("top", "nodes").stdout == (
        "NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)   \n"
        "n1     250m         6%       2048Mi          25%         \n"
    )


def test_waiting_passes_the_clusters_time(kubectl):
    before = kubectl.cluster.now()
    done = kubectl("-n", "shop", "wait", "--for=condition=ready", "pod", "-l", "app=geo", "--timeout=7s")
    assert done == ("pod/geo-1 condition met\n", "error: timed out waiting for the condition on pods/geo-2\n", 1)
    assert kubectl.cluster.now() - before == 7


def test_waiting_ends_when_the_condition_holds(kubectl):
    kubectl.cluster.later.append((kubectl.cluster.now() + 3, lambda world: world.store.remove("pods", "shop/geo-1")))
    before = kubectl.cluster.now()
    assert kubectl("-n", "shop", "wait", "--for=delete", "pod/geo-1").stdout == "pod/geo-1 condition met\n"
    assert kubectl.cluster.now() - before == pytest.approx(3, abs=0.5)


@pytest.mark.parametrize(
    ("words", "out", "error"),
    [
        (("--for=delete", "pod/nope"), "", ""),
        (("--for=condition=ready", "pod/nope"), "", 'Error from server (NotFound): pods "nope" not found\n'),
        (("--for=condition=ready", "pod", "-l", "app=zz"), "", "error: no matching resources found\n"),
        (("--for=jsonpath={.status.phase}=Running", "pod/geo-1"), "pod/geo-1 condition met\n", ""),
        (("--for=nope", "pod/geo-1"), "", 'error: unrecognized condition: "nope"\n'),
        (("--for=condition=ready", "--timeout=0", "pod/geo-2"), "", "error: condition not met for pods/geo-2\n"),
    ],
)
def test_wait_forms(kubectl, words, out, error):
    assert kubectl("-n", "shop", "wait", *words) == (out, error, int(bool(error)))


def test_the_namespace_of_the_context_counts_from_the_next_command_on(kubectl):
    assert kubectl("config", "set-context", "--current", "--namespace=shop").stdout == 'Context "kind-kind" modified.\n'
    assert kubectl("get", "cm", "-o", "name").stdout == "configmap/conf\n"
    assert kubectl("config", "get-contexts").stdout == (
        "CURRENT   NAME        CLUSTER     AUTHINFO    NAMESPACE\n*         kind-kind   kind-kind   kind-kind   shop\n"
    )
    assert kubectl("config", "current-context").stdout == "kind-kind\n"
    assert "DATA+OMITTED" in kubectl("config", "view").stdout


def test_can_i_answers_and_warns(kubectl):
    assert kubectl("auth", "can-i", "delete", "pods") == ("yes\n", "", 0)
    assert kubectl("auth", "can-i", "get", "nodes").stderr == "Warning: resource 'nodes' is not namespace scoped\n\n"
    assert kubectl("auth", "can-i", "get").stderr.startswith("error: you must specify two arguments")


def test_what_the_server_has(kubectl):
    assert kubectl("version").stdout.startswith(
        "Client Version: v1.32.1\nKustomize Version: v5.5.0\nServer Version: v1.32"
    )
    apps = kubectl("api-resources", "--api-group=apps", "-o", "name").stdout.split()
    assert apps == [
        f"{n}.apps" for n in ("controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets")
    ]
    assert kubectl("api-versions").stdout.splitlines()[-1] == "v1"
    assert kubectl("cluster-info").stdout.startswith("Kubernetes control plane is running at https://127.0.0.1:6443\n")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("gett",), 'error: unknown command "gett" for "kubectl"\n\nDid you mean this?\n\tset\n\tget\n'),
        (("proxy",), 'error: "kubectl proxy" is not available in this environment\n'),
        (("podd",), 'error: unknown command "podd" for "kubectl"\n'),
        (("list",), 'error: unknown command "list" for "kubectl"\n\nDid you mean this?\n\tget\n\twait\n'),
        (("top", "foo"), "error: unknown command \"foo\"\nSee 'kubectl top -h' for help and examples\n"),
        (("--foo", "get"), "error: unknown flag: --foo\nSee 'kubectl --help' for usage.\n"),
    ],
)
def test_what_is_no_command(kubectl, words, error):
    assert kubectl(*words) == ("", error, 1)


def test_help_is_printed_for_all_verbs(kubectl):
    assert kubectl().stdout.startswith("kubectl controls the Kubernetes cluster manager.")
    for name in load_verbs():
        done = kubectl(name, "--help")
        assert done.code == 0 and "Usage:\n  kubectl " in done.stdout


def test_explain_tells_what_fields_are_and_mean(kubectl):
    out = kubectl("explain", "pod.spec.containers").stdout
    assert out.startswith("KIND:       Pod\nVERSION:    v1\n\nFIELD: containers <[]Container>\n\n\nDESCRIPTION:\n    ")
    told = out.partition("FIELDS:\n")[0]
    assert describe("PodSpec", "containers") in " ".join(told.split()) and describe("Container") in told
    assert "  command\t<[]string>\n    The program to run" in out and "  name\t<string> -required-\n" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "  user\t<string>\n    <no description>\n\n" in kubectl("explain", "pv.spec.rbd").stdout
    assert kubectl("explain", "pod.nope").stderr == 'error: field "nope" does not exist\n'
    assert "    containers\t<[]Container> -required-\n" in kubectl("explain", "deploy", "--recursive").stdout.replace(
        "      ", "    "
    )


def test_files_are_copied_out_of_a_container(kubectl):
    kubectl.cluster.answers["create", "pods", "exec"] = Response(200, Output("text\n"))
    assert kubectl("-n", "shop", "cp", "geo-1:/etc/conf", "here").code == 0
    assert kubectl.files.texts == {"here": "text\n"}
    assert kubectl("cp", "a", "b").stderr == "error: one of src or dest must be a remote file specification\n"
