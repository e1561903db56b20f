"""`kubectl get` prints tables, objects and refusals as kubectl 1.32 does."""

import json
import re

import pytest

HEAD = "NAME     READY   STATUS             RESTARTS   AGE\n"
PODS = (
    HEAD
    + "geo-1    1/1     Running            0          60s\n"
    + "geo-2    0/1     CrashLoopBackOff   3          60s\n"
    + "rate-1   2/2     Running            0          60s\n"
)


@pytest.mark.parametrize(
    "words",
    [
        ("get", "pods", "-n", "shop"),
        ("-n", "shop", "get", "po"),
        ("--namespace=shop", "get", "pod"),
        ("get", "-nshop", "pods"),
        ("get", "Pods", "-n=shop", "--chunk-size", "5"),
    ],
)
def test_pods_are_a_table(kubectl, words):
    assert kubectl(*words) == (PODS, "", 0)


def test_an_empty_namespace_says_so_on_the_error_stream(kubectl):
    assert kubectl("get", "pods") == ("", "No resources found in default namespace.\n", 0)
    assert kubectl("get", "nodes") == ("", "No resources found\n", 0)
    assert kubectl("get", "svc", "-A") == ("", "No resources found\n", 0)


def test_several_kinds_are_parted_by_a_line_and_prefixed(kubectl):
    out = kubectl("-n", "shop", "get", "po,deploy").stdout
    assert out.startswith("NAME         READY   STATUS             RESTARTS   AGE\npod/geo-1    1/1 ")
    assert out.endswith(
        "\n\nNAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n"
        "deployment.apps/geo   1/2     2            0           60s\n"
    )
    assert kubectl("-n", "shop", "get", "all").stdout == out


def test_named_objects_share_one_table(kubectl):
    out, err, code = kubectl("-n", "shop", "get", "pod", "geo-1", "nope", "rate-1")
    assert out.splitlines()[0].startswith("NAME ") and len(out.splitlines()) == 3
    assert (err, code) == ('Error from server (NotFound): pods "nope" not found\n', 1)


def test_a_missing_namespace_is_told_before_the_missing_pod(kubectl):
    assert kubectl("-n", "nope", "get", "pod", "x").stderr == (
        'Error from server (NotFound): namespaces "nope" not found\n'
    )
    assert [(r.resource, r.name) for r in kubectl.cluster.asked] == [("pods", "x"), ("namespaces", "nope")]


def test_labels_columns_and_headers(kubectl):
    assert (
        kubectl("-n", "shop", "get", "pods", "-l", "app=geo", "--show-labels")
        .stdout.splitlines()[1]
        .endswith("app=geo")
    )
    assert kubectl("-n", "shop", "get", "pods", "-L", "app,x").stdout.splitlines()[0].endswith("AGE   APP    X")
    assert kubectl("-n", "shop", "get", "pods", "--no-headers").stdout.startswith("geo-1    1/1   Running")
    assert kubectl("get", "pods", "-A").stdout.startswith("NAMESPACE   NAME     READY")


def test_one_object_is_itself_and_several_are_a_list(kubectl):
    one = json.loads(kubectl("-n", "shop", "get", "cm", "conf", "-o", "json").stdout)
    many = json.loads(kubectl("-n", "shop", "get", "cm", "-o", "json").stdout)
    assert one["kind"] == "ConfigMap" and many["kind"] == "List" and many["metadata"] == {"resourceVersion": ""}
    assert many["items"] == [one]
    assert kubectl("-n", "shop", "get", "cm", "-o", "yaml").stdout.startswith(
        "apiVersion: v1\nitems:\n- apiVersion: v1\n"
    )


@pytest.mark.parametrize(
    ("output", "text"),
    [
        ("name", "pod/geo-1\npod/geo-2\npod/rate-1\n"),
        ("jsonpath={.items[*].metadata.name}", "geo-1 geo-2 rate-1"),
        ("go-template={{range .items}}{{.metadata.name}};{{end}}", "geo-1;geo-2;rate-1;"),
        (
            "custom-columns=N:.metadata.name,C:.spec.containers[*].name,X:.nope",
            "N        C     X\ngeo-1    app   <none>\ngeo-2    app   <none>\nrate-1   a,b   <none>\n",
        ),
    ],
)
def test_machine_formats(kubectl, output, text):
    assert kubectl("-n", "shop", "get", "pods", "-o", output) == (text, "", 0)


def test_events_are_sorted_by_a_time(kubectl):
    out = kubectl("-n", "shop", "get", "events", "--sort-by=.lastTimestamp").stdout
    assert re.findall(r"^(\d+s)", out, re.M) == ["40s", "30s", "10s"]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (("get", "foo"), 'error: the server doesn\'t have a resource type "foo"\n'),
        (
            ("get", "pods", "--sort-by=.foo", "-n", "shop", "-o", "name"),
            'error: couldn\'t find any field with path "{.foo}" in the list of objects\n',
        ),
        (
            ("get", "pods", "--field-selector", "foo=bar"),
            'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", '
            'field selector "foo=bar": field label not supported: foo\n',
        ),
        (
            ("get", "pods", "-o", "foo", "-n", "shop"),
            'error: unable to match a printer suitable for the output format "foo", allowed formats are: '
            "custom-columns,custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,"
            "jsonpath-file,name,template,templatefile,wide,yaml\n",
        ),
        (("get", "pods", "-o", "jsonpath={.a"), "error: error parsing jsonpath {.a, unclosed action\n"),
        (("get", "pods", "x", "-A"), "error: a resource cannot be retrieved by name across all namespaces\n"),
        (("get", "pods", "x", "-l", "a=b"), "error: name cannot be provided when a selector is specified\n"),
        (("get", "a/b/c"), "error: arguments in resource/name form may not have more than one slash\n"),
        (
            ("get", "pods", "--show-labels", "-o", "json"),
            "error: --show-labels option cannot be used with json printer\n",
        ),
        (("get", "pods", "--foo"), "error: unknown flag: --foo\nSee 'kubectl get --help' for usage.\n"),
    ],
)
def test_refusals(kubectl, words, error):
    assert kubectl(*words) == ("", error, 1)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("go-template={{" + "(" * 5_000 + "}}", "max expression depth exceeded"),
        ("go-template={{if .a}}" + "{{else if .a}}" * 5_000 + "{{end}}", "nested too deeply"),
        ("jsonpath=" + "{range .items[*]}" * 5_000, "nested too deeply"),
        ("jsonpath={" + "[" * 50_000 + "}", "unterminated array"),
        ("custom-columns=A:" + "[" * 50_000, "unterminated array"),
    ],
)
def test_expressions_without_a_bottom_are_refused(kubectl, output, told):
    out, error, code = kubectl("get", "pods", "-n", "shop", "-o", output)
    assert (out, code) == ("", 1)
    assert told in error


def test_get_alone_says_what_is_missing(kubectl):
    assert kubectl("get").stderr == (
        'You must specify the type of resource to get. Use "kubectl api-resources" for a complete list of supported '
        "resources.\n\nerror: Required resource not specified.\n"
        'Use "kubectl explain <resource>" for a detailed description of that resource (e.g. kubectl explain pods).\n'
        "See 'kubectl get -h' for help and examples\n"
    )


def test_not_found_may_be_ignored(kubectl):
    assert kubectl("-n", "shop", "get", "pod", "nope", "--ignore-not-found") == ("", "", 0)


def test_a_watch_prints_changes_until_its_time_is_up(kubectl):
    def crash(world):
        pod = dict(world.store.get("pods", "shop", "geo-1"))
        world.store.put("pods", {**pod, "status": {**pod["status"], "phase": "Failed", "containerStatuses": []}})

    kubectl.cluster.budget = 10
    kubectl.cluster.later.append((kubectl.cluster.now() + 3, crash))
    out = kubectl("-n", "shop", "get", "pods", "-w").stdout
    assert out == PODS + "geo-1    0/1     Failed             0          63s\n"


def test_a_watch_shows_a_deleted_object_once_more(kubectl):
    kubectl.cluster.budget = 10
    kubectl.cluster.later.append(
        (kubectl.cluster.now() + 3, lambda world: world.store.remove("configmaps", "shop/conf"))
    )
    out = kubectl("-n", "shop", "get", "cm", "-w").stdout.splitlines()
    assert [line.split()[:2] for line in out] == [["NAME", "DATA"], ["conf", "1"], ["conf", "1"]]


@pytest.mark.parametrize("line", ["get pods -w --request-timeout=2s", "events --watch --request-timeout 2"])
def test_a_watch_ends_with_its_request(kubectl, line):
    kubectl.cluster.budget, began = 10, kubectl.cluster.now()
    assert kubectl("-n", "shop", *line.split()).code == 0
    assert kubectl.cluster.now() - began == 2


def test_raw_paths(kubectl):
    raw = kubectl("get", "--raw", "/api/v1/namespaces/shop/configmaps/conf").stdout
    assert json.loads(raw)["data"] == {"a": "x\ny\n"}
    assert kubectl("get", "--raw", "/readyz").stdout == "ok"
    assert kubectl("get", "--raw", "/nope").stderr == (
        "Error from server (NotFound): the server could not find the requested resource\n"
    )


def test_objects_of_a_file_are_fetched(kubectl):
    kubectl.files.write("/root/x.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: conf, namespace: shop}\n")
    assert kubectl("get", "-f", "/root/x.yaml", "-o", "name").stdout == "configmap/conf\n"
    assert kubectl("get", "-f", "nope.yaml").stderr == 'error: the path "nope.yaml" does not exist\n'
