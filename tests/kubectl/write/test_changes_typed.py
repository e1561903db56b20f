"""Changes of objects, typed into a shell beside a cluster."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.clients import gojson

MISSING = "Warning: resource deployments/web is missing the kubectl.kubernetes.io/last-applied-configuration annotation"


def test_patch_three_ways(web):
    assert web("""patch deploy web -p '{"spec":{"replicas":3}}'""") == "deployment.apps/web patched\n"
    assert web("""patch deploy web -p '{"spec":{"replicas":3}}'""") == "deployment.apps/web patched (no change)\n"
    json_patch = """[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"app:2"}]"""
    assert web(f"patch deploy web --type=json -p '{json_patch}'") == "deployment.apps/web patched\n"
    merge = """{"metadata":{"labels":{"tier":null}}}"""
    assert web(f"patch deploy/web --type merge -p '{merge}' -o jsonpath='{{.metadata.labels}}'") in ("", "{}")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (
            "-p '{bad'",
            "Error from server (BadRequest): invalid character 'b' looking for beginning of object key string",
        ),
        (
            "--type=merge -p '{\"a\":'",
            "Error from server (BadRequest): error decoding patch: unexpected end of JSON input",
        ),
        ("-p 'spec: [1'", "error: unable to parse \"spec: [1\": yaml: line 1: did not find expected ',' or ']'"),
        (
            """-p '{"spec":{"replicas":"x"}}'""",
            'The request is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32',
        ),
    ],
)
def test_a_patch_that_is_none(web, arguments, error):
    assert web.fails(f"patch deploy web {arguments}").rstrip("\n") == error


def test_apply_creates_configures_and_leaves_alone(desk):
    assert desk("apply -f web.yaml") == "deployment.apps/web created\n"
    assert desk("apply -f web.yaml") == "deployment.apps/web unchanged\n"
    assert desk("apply -f web.yaml --dry-run=client") == "deployment.apps/web configured (dry run)\n"
    desk.files["web.yaml"] = desk.files["web.yaml"].replace("replicas: 2", "replicas: 1")
    assert desk("apply -f web.yaml --dry-run=server") == "deployment.apps/web configured (server dry run)\n"
    assert desk("apply -f -", stdin=desk.files["web.yaml"]) == "deployment.apps/web configured\n"
    assert desk("get deploy web -o jsonpath={.spec.replicas}") == "1"


def test_apply_keeps_what_others_set_and_drops_what_it_set_itself(desk):
    desk.files["web.yaml"] = desk.files["web.yaml"].replace("tier: front", "tier: front, old: x")
    desk("apply -f web.yaml")
    desk("label deploy web mine=yes")
    desk.files["web.yaml"] = desk.files["web.yaml"].replace(", old: x", "")
    assert desk("apply -f web.yaml") == "deployment.apps/web configured\n"
    assert desk("get deploy web -o jsonpath={.metadata.labels}") == '{"mine":"yes","tier":"front"}'


def test_apply_warns_about_objects_it_did_not_make(desk):
    desk("create -f web.yaml")
    output = desk.run("apply -f web.yaml")
    assert output.stdout == "deployment.apps/web configured\n"
    assert output.stderr.startswith(MISSING)


def test_several_documents_and_lists(desk):
    text = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\nkind: List\nitems:\n"
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: b}\n  data: {on: x}\n"
    )
    assert desk("apply -f -", stdin=text) == "configmap/a created\nconfigmap/b created\n"
    assert desk("get cm b -o jsonpath={.data}") == '{"true":"x"}'
    assert desk("delete -f -", stdin=text) == 'configmap "a" deleted\nconfigmap "b" deleted\n'


def test_files_that_are_not_manifests(desk):
    desk.files |= {"a.yaml": "a: b: c", "b.yaml": "metadata: {name: x}"}
    parsing = "error: error parsing a.yaml: error converting YAML to JSON: yaml: "
    assert desk.fails("apply -f a.yaml").startswith(parsing)
    assert desk.fails("apply -f b.yaml") == (
        'error: error validating "b.yaml": error validating data: [apiVersion not set, kind not set]; '
        "if you choose to ignore these errors, turn validation off with --validate=false\n"
    )
    assert desk.fails("apply -f nope.yaml") == 'error: the path "nope.yaml" does not exist\n'


def test_create_and_replace(web):
    exists = (
        'Error from server (AlreadyExists): error when creating "web.yaml": deployments.apps "web" already exists\n'
    )
    assert web.fails("create -f web.yaml") == exists
    assert web("replace -f web.yaml") == "deployment.apps/web replaced\n"
    assert web("replace --force -f web.yaml") == 'deployment.apps "web" deleted\ndeployment.apps/web replaced\n'
    assert web("create cm c --from-literal=a=b") == "configmap/c created\n"
    twice = 'error: failed to create configmap: configmaps "c" already exists\n'
    assert web.fails("create cm c --from-literal=a=b") == twice


def test_an_object_made_for_show_can_be_applied(desk):
    text = desk("create deployment shown --image=app:1 --dry-run=client -o yaml")
    assert desk("apply -f -", stdin=text) == "deployment.apps/shown created\n"
    text = desk("run pod1 --image=app:1 --dry-run=client -o yaml")
    assert desk("apply -f -", stdin=text) == "pod/pod1 created\n"


def test_diff_shows_what_apply_would_do(web):
    assert web("diff -f web.yaml") == ""
    web.files["web.yaml"] = web.files["web.yaml"].replace("app:1", "app:2")
    output = web.run("diff -f web.yaml")
    assert output.code == 1
    assert "-      - env:" not in output.stdout
    assert "-        image: app:1\n+        image: app:2\n" in output.stdout


def test_set(web):
    assert web("set image deploy/web app=app:2") == "deployment.apps/web image updated\n"
    assert web("set image deploy/web app=app:2") == ""
    assert web.fails("set image deploy/web nope=x") == 'error: unable to find container named "nope"\n'
    assert web("set env deploy/web B=2 A-") == "deployment.apps/web env updated\n"
    assert web("set env deploy/web --list") == "# Deployment web, container app\nB=2\n"
    assert web("set env deploy/web C=3 --list") == "# Deployment web, container app\nB=2\nC=3\n"
    assert web("set resources deploy web --limits=cpu=1") == "deployment.apps/web resource requirements updated\n"
    assert web("get deploy web -o jsonpath={..resources}") == '{"limits":{"cpu":"1"}}'
    assert web("set sa deploy web robot") == "deployment.apps/web serviceaccount updated\n"
    web("create cm c --from-literal=some-key=b")
    web("set env deploy/web --from=configmap/c")
    assert "# SOME_KEY from configmap c, key some-key\n" in web("set env deploy/web --list")


def test_a_service_gets_other_pods(web):
    assert web("expose deploy web --port=80 --target-port=8080") == "service/web exposed\n"
    assert web("set selector svc web app=other") == "service/web selector updated\n"
    assert web("get svc web -o jsonpath={.spec.selector}") == '{"app":"other"}'
    assert "TargetPort:               8080/TCP\n" in web("describe svc web")


def test_labels_and_annotations(web):
    assert web("label deploy web x=y") == "deployment.apps/web labeled\n"
    assert web.fails("label deploy web x=z") == "error: 'x' already has a value (y), and --overwrite is false\n"
    assert web("label deploy web x=z --overwrite") == "deployment.apps/web labeled\n"
    assert web("label deploy --all x-") == "deployment.apps/web unlabeled\n"
    assert web("label deploy web x-") == 'label "x" not found.\ndeployment.apps/web not labeled\n'
    assert web("annotate deploy web a=1") == "deployment.apps/web annotated\n"
    assert web("annotate deploy web a-") == "deployment.apps/web annotated\n"


def test_describe_by_prefix_and_of_nothing(web):
    both = web("describe pod web")
    assert both.count("Name:             web-") == 2
    assert both.endswith("\n\n")
    assert web.fails("describe pod nope") == 'Error from server (NotFound): pods "nope" not found\n'
    empty = web.run("describe ingress")
    assert (empty.stderr, empty.code) == ("No resources found in ns namespace.\n", 0)


def test_everything_can_be_described(web):
    web("expose deploy web --port=80")
    web("autoscale deploy web --max=3 --cpu-percent=50")
    web("create role r --verb=get --resource=pods")
    web("create rolebinding b --role=r --serviceaccount=ns:default")
    web("create quota q --hard=pods=9")
    web("create ingress i --rule=x/y=web:80")
    web("create pdb p --selector=app=web --min-available=1")
    web("create secret generic s --from-literal=a=b")
    web.wait(1)
    words = "deploy,rs,svc,ep,endpointslice,cm,secret,sa,role,rolebinding,quota,ingress,pdb,hpa,ev"
    for kind in words.split(","):
        text = web(f"describe {kind}")
        assert text.startswith("Name:"), kind
    assert web("describe ns ns").startswith("Name:         ns\n")
    assert web("describe node node-1").startswith("Name:               node-1\n")


def test_what_needs_a_person_is_refused(web):
    assert web.fails("edit deploy web") == 'error: unable to launch the editor "vi"\n'
    assert web.fails("port-forward svc/web 80") == 'Error from server (NotFound): services "web" not found\n'
    assert web.fails("apply -k .").startswith("error: unable to find one of 'kustomization.yaml'")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(),
        lambda s: st.lists(s) | st.dictionaries(st.text(), s),
    )
)
def test_json_is_read_as_python_reads_it(value):
    assert gojson.loads(json.dumps(value)) == value


@given(st.text(st.sampled_from('{}[]:,"\\ tfn01ab-'), max_size=12))
def test_any_text_is_json_or_gets_gos_words(text):
    try:
        value = gojson.loads(text)
    except ValueError as error:
        assert str(error).startswith(("invalid character", "unexpected end of JSON input"))
    else:
        assert value == json.loads(text)
