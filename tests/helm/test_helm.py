"""Helm in the shell: the same words, releases and objects as the real one, which is asked too where it is there."""

import os
import re
import shutil
import subprocess

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.backends import Simulated
from aiops_gym.catalog import registry
from aiops_gym.catalog.apps.social_network import chart
from aiops_gym.helm import charts, render
from aiops_gym.helm.errors import HelmError
from aiops_gym.helm.storage import make_secret, pack_release, unpack_release
from aiops_gym.helm.values import coalesce_values, merge_values, parse_set
from aiops_gym.serve import door

NS = "test-social-network"
RELEASE = "social-network"
TLS = "url-shorten-mongodb.tls"
MONGO = "url-shorten-mongodb"
TIME = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z| \+0000 UTC) *"
    r"|(?<=UPDATED) +|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}"
)


@pytest.fixture(scope="module")
def incident():
    return Simulated(registry.find_problem("noop_detection_social_network-1"), 7, noise=False)


@pytest.fixture
def shell(incident):
    return incident.fork().shell


def said(shell, words, code=0):
    done = shell.run(f"helm {words} -n {NS}")
    assert done.code == code, done.output
    return done.output


def test_the_app_is_the_first_revision_of_a_release(shell):
    lines = said(shell, "list").splitlines()
    assert [cell.strip() for cell in lines[0].split("\t")][-2:] == ["CHART", "APP VERSION"]
    assert [cell.strip() for cell in lines[1].split("\t")][:3] == [RELEASE, NS, "1"]
    assert said(shell, f"get values {RELEASE}") == "USER-SUPPLIED VALUES:\nnull\n"
    assert "STATUS: deployed\nREVISION: 1\nTEST SUITE: None\n" in said(shell, f"status {RELEASE}")


def test_an_upgrade_changes_what_it_is_about_and_nothing_else(shell):
    objects = f"kubectl get cm,svc,deploy -n {NS} -o json | jq -S '[.items[] | [.kind, .metadata.name, .spec, .data]]'"
    before = shell.run(objects).stdout
    told = said(shell, f"upgrade {RELEASE} socialnetwork --reuse-values --set {TLS}.mode=preferTLS")
    assert told.startswith(f'Release "{RELEASE}" has been upgraded. Happy Helming!\nNAME: {RELEASE}\n')
    text = shell.run(f"kubectl get cm {MONGO} -n {NS} -o jsonpath='{{.data.mongod\\.conf}}'").stdout
    assert text == "net:\n  tls:\n    mode: preferTLS\n"
    assert shell.run(objects).stdout.replace("preferTLS", "disabled") == before


def test_a_rollback_brings_back_what_was_there(shell):
    text = f"kubectl get cm {MONGO} -n {NS} -o jsonpath='{{.data}}'"
    before = shell.run(text).stdout
    said(shell, f"upgrade {RELEASE} socialnetwork --set {TLS}.mode=requireTLS")
    assert shell.run(text).stdout != before
    assert said(shell, f"rollback {RELEASE}") == "Rollback was a success! Happy Helming!\n"
    assert shell.run(text).stdout == before
    states = [line.split("\t")[2].strip() for line in said(shell, f"history {RELEASE}").splitlines()[1:]]
    assert states == ["superseded", "superseded", "deployed"]


def test_what_people_changed_by_hand_is_put_right_by_the_next_revision(shell):
    scale = f"kubectl scale deploy user-service -n {NS} --replicas=0"
    patch = f"kubectl patch svc text-service -n {NS} --type=json -p "
    shell.run(f"""{scale}; {patch} '[{{"op": "replace", "path": "/spec/ports/0/targetPort", "value": 9999}}]'""")
    said(shell, f"rollback {RELEASE} 1")
    assert shell.run(f"kubectl get deploy user-service -n {NS} -o jsonpath='{{.spec.replicas}}'").stdout == "1"
    port = f"kubectl get svc text-service -n {NS} -o jsonpath='{{.spec.ports[0].targetPort}}'"
    assert shell.run(port).stdout == "9090"


def test_waiting_takes_the_time_that_the_pods_take(shell):
    before = shell.cluster.now()
    replicas = "user-service.replicas=2"
    said(shell, f"upgrade {RELEASE} socialnetwork --set {replicas} --wait")
    ready = shell.run(f"kubectl get deploy user-service -n {NS} -o jsonpath='{{.status.readyReplicas}}'").stdout
    assert ready == "2"
    assert shell.cluster.now() > before


def test_a_chart_is_installed_and_removed(shell):
    shell.write_file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.2.3\nappVersion: 'seven'\n")
    shell.write_file("web/values.yaml", "text: hello\n")
    shell.write_file(
        "web/templates/cm.yaml",
        "{{- if .Values.text }}\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-cm\n"
        "data:\n  text: {{ .Values.text | upper | quote }}\n{{- end }}\n",
    )
    assert "REVISION: 1" in said(shell, "install mine web --set text=bye")
    assert shell.run(f"kubectl get cm mine-cm -n {NS} -o jsonpath='{{.data.text}}'").stdout == "BYE"
    assert "cannot re-use a name" in said(shell, "install mine web", 1)
    assert said(shell, "uninstall mine") == 'release "mine" uninstalled\n'
    assert "NotFound" in shell.run(f"kubectl get cm mine-cm -n {NS}").output
    assert said(shell, "status mine", 1) == "Error: release: not found\n"


def test_objects_of_others_are_not_taken_over(shell):
    shell.write_file("web/Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.2.3\n")
    shell.write_file("web/templates/cm.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: notes\n")
    shell.run(f"kubectl create configmap notes -n {NS}")
    told = said(shell, "install mine web", 1)
    assert f'ConfigMap "notes" in namespace "{NS}" exists and cannot be imported into the current release' in told


IFS, ENDS = "{{ if 1 }}" * 90, "{{ end }}" * 90
DOUBLING = (
    "".join(
        f'{{{{ define "a{n}" }}}}{{{{ include "a{n + 1}" . }}}}{{{{ include "a{n + 1}" . }}}}{{{{ end }}}}'
        for n in range(40)
    )
    + '{{ define "a40" }}x{{ end }}{{ include "a0" . }}'
)


@pytest.mark.parametrize(
    ("template", "message"),
    [
        ("{{ .Values.x | nosuch }}", 'function "nosuch" not defined'),
        ("{{ if }}", "missing value for if"),
        ("a: [1", "YAML parse error on broken/templates/a.yaml"),
        ('{{ required "say it" .Values.x }}', "say it"),
        ('{{- define "a" }}{{ include "a" . }}{{ end -}}{{ include "a" . }}', "nested"),
        ("{{ " + "(" * 5_000 + "1" + ")" * 5_000 + " }}", "max expression depth exceeded"),
        ("{{ if 0 }}" + "{{ else if 0 }}" * 5_000 + "{{ end }}", "nested too deeply"),
        (
            f'{{{{ define "a" }}}}{IFS}{{{{ include "a" . }}}}{ENDS}{{{{ end }}}}{{{{ include "a" . }}}}',
            "maximum template depth",
        ),
        (DOUBLING, "out of memory"),
        ('{{ "a" | nindent 1000000000 }}', "out of memory"),
        ('{{ $a := printf "%900000d" 1 }}{{ replace " " $a $a }}', "out of memory"),
        ('{{ $a := printf "%900000d" 1 }}{{ join $a (list $a $a $a $a $a $a $a $a $a $a) }}', "out of memory"),
    ],
)
def test_a_template_that_is_wrong_is_refused_with_its_name(template, message):
    files = {"Chart.yaml": "apiVersion: v2\nname: broken\nversion: 0.1.0\n", "templates/a.yaml": template}
    with pytest.raises(HelmError, match=re.escape(message)):
        render.render_chart(charts.of_files(files), {}, {})


NAMES = st.text("abcdefgh-_", min_size=1, max_size=6).filter(lambda name: not name.startswith("-"))
PLAIN = st.integers(-(10**9), 10**9) | st.booleans() | st.none() | st.text("xyz.,={}\\ ", min_size=1, max_size=8)
TREES = st.dictionaries(
    NAMES, st.recursive(PLAIN, lambda inner: st.dictionaries(NAMES, inner, min_size=1), max_leaves=8)
)


def _words(tree, path=()):
    for name, value in tree.items():
        if isinstance(value, dict):
            yield from _words(value, (*path, name))
        else:
            plain = (
                {None: "null", True: "true", False: "false"}.get(value, value)
                if not isinstance(value, int) or (isinstance(value, bool))
                else value
            )
            yield ".".join((*path, name)) + "=" + re.sub(r"([\\,.={}])", r"\\\1", str(plain))


@settings(max_examples=40)
@given(TREES)
def test_settings_on_a_command_line_come_out_as_they_went_in(tree):
    found = {}
    for word in _words(tree):
        parse_set(word, found)
    assert found == tree


@settings(max_examples=40)
@given(TREES, TREES)
def test_a_layer_of_settings_wins_where_it_says_something(under, over):
    both = merge_values(under, over)
    assert merge_values(both, over) == both
    assert coalesce_values({}, both).keys() == both.keys()
    assert coalesce_values(under, {}) == under


def test_a_release_survives_its_secret():
    release = {"name": "a", "namespace": "b", "version": 3, "info": {"status": "deployed"}, "manifest": "x\n"}
    secret = make_secret(release, 5)
    assert unpack_release(secret) == release
    assert secret["metadata"]["name"] == "sh.helm.release.v1.a.v3"
    assert pack_release(release) == pack_release(dict(release))
    assert unpack_release({"data": {"release": "nonsense"}}) is None


# --- the real one -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def helm():
    """The real program: `AIOPS_GYM_HELM`, or what is on the PATH; other releases word some answers differently."""
    program = os.environ.get("AIOPS_GYM_HELM") or shutil.which("helm")
    if (
        program is None
        or b"v3.17." not in subprocess.run([program, "version"], capture_output=True, check=False).stdout
    ):
        pytest.skip("no helm of 3.17 here")
    return program


@pytest.fixture
def folder(tmp_path):
    """The chart on a real disk."""
    for path, text in chart.FILES.items():
        file = tmp_path / chart.FOLDER / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path


LOOKS = (
    "list",
    "list -A",
    "list -o json",
    "list -o yaml",
    "list -q",
    f"status {RELEASE}",
    f"status {RELEASE} -o json",
    f"status {RELEASE} --show-desc",
    f"history {RELEASE}",
    f"history {RELEASE} -o yaml",
    f"get values {RELEASE}",
    f"get values {RELEASE} -a",
    f"get values {RELEASE} -o json",
    f"get values {RELEASE} --revision 1",
    f"get manifest {RELEASE}",
    f"get all {RELEASE}",
    f"get hooks {RELEASE}",
    f"get notes {RELEASE}",
    f"get metadata {RELEASE}",
    f"template x ./{chart.FOLDER} --set {TLS}.mode=allowTLS",
    f"show values ./{chart.FOLDER}",
    f"show chart ./{chart.FOLDER}",
    "repo list",
    "status nope",
    "get values nope",
    "history nope",
    "rollback nope",
    "uninstall nope",
    f"rollback {RELEASE} 99",
    f"upgrade nope ./{chart.FOLDER}",
    f"upgrade {RELEASE} ./nothere",
    f"install {RELEASE} ./{chart.FOLDER}",
    "status",
    "get values",
    f"upgrade {RELEASE}",
    "upgrade --foo",
    "list --foo",
    "nonsense",
    "search repo x",
    "pull foo/bar",
    "plugin list",
    f"dependency list ./{chart.FOLDER}",
    "install x foo/bar",
    "show values nope",
    "history",
    "uninstall",
    "list extra",
    f"lint ./{chart.FOLDER}",
)
CHANGES = (
    f"upgrade {RELEASE} ./{chart.FOLDER} --reuse-values --set {TLS}.mode=requireTLS,{TLS}.CAFile=/etc/tls/ca.crt",
    f"upgrade {RELEASE} ./{chart.FOLDER} --reuse-values --set-string global.replicas=1 --description nice",
    f"rollback {RELEASE} 1",
    f"upgrade {RELEASE} ./{chart.FOLDER} --reset-values",
    f"uninstall {RELEASE} --keep-history",
)


def _real(helm, folder, place, words):
    settings = {"PATH": os.environ["PATH"], "HOME": str(folder), "KUBECONFIG": str(place)}
    line = [helm, *words.split(), "-n", NS]
    done = subprocess.run(line, env=settings, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    return done.returncode, TIME.sub("TIME", done.stdout), TIME.sub("TIME", done.stderr)


def _ours(shell, words):
    done = shell.run(f"helm {words} -n {NS}")
    return done.code, TIME.sub("TIME", done.stdout), TIME.sub("TIME", done.stderr)


@pytest.mark.full
def test_the_real_helm_says_the_same_byte_for_byte(incident, helm, folder):
    ours = incident.fork()
    with door(incident.world.fork()) as place:
        for change in ("", *CHANGES):
            for words in (change, *LOOKS) if change else LOOKS:
                assert _ours(ours.shell, words) == _real(helm, folder, place, words), (change, words)


@pytest.mark.full
def test_the_real_helm_carries_on_what_ours_began_and_leaves_the_same_objects(incident, helm, folder):
    ours = incident.fork()
    look = f"kubectl get cm,svc,deploy -n {NS} -o json | jq -S '[.items[] | [.kind, .metadata.name, .spec, .data]]'"
    said(ours.shell, CHANGES[0].replace("./", ""))
    with door(ours.world.fork()) as place:
        assert _real(helm, folder, place, f"rollback {RELEASE} 1")[:2] == (
            0,
            "Rollback was a success! Happy Helming!\n",
        )
        assert "deployed" in _real(helm, folder, place, f"status {RELEASE}")[1]
    before = incident.fork().shell.run(look).stdout
    said(ours.shell, f"rollback {RELEASE} 1")
    assert ours.shell.run(look).stdout == before


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize(
    "text",
    [BOMB, "a: " + "[" * 5_000, "".join(f"{' ' * n}a:\n" for n in range(300)), "- " * 5_000 + "x", "a: [1", "{", "x"],
    ids=["aliases", "brackets", "blanks", "dashes", "open", "brace", "word"],
)
def test_hostile_settings_are_refused_and_nothing_hangs(shell, text):
    shell.write_file("/tmp/v.yaml", text)
    told = said(shell, f"upgrade {RELEASE} socialnetwork -f /tmp/v.yaml", 1)
    assert told.startswith("Error: failed to parse /tmp/v.yaml")


@pytest.mark.parametrize(
    ("flag", "message"),
    [
        ("--set " + "a." * 400 + "b=1", "nested level is greater than"),
        ("--set a[70000]=1", "is too large"),
        ("--set " + "".join(f"a{n}." for n in range(20_000)) + "b=1", "nested level is greater than"),
        ("--set a" + "[0]" * 20_000 + "=1", "nested level is greater than"),
        ("--set nothing", "has no value"),
        ("--set-json 'a=" + "[" * 400 + "'", "failed parsing --set-json data"),
        ("-f /nothere", "open /nothere: no such file or directory"),
    ],
)
def test_settings_that_make_no_sense_are_refused(shell, flag, message):
    assert message in said(shell, f"upgrade {RELEASE} socialnetwork {flag}", 1)
