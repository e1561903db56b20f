"""A grammar of command lines: verb, resource, names, selectors, outputs and flags, in every state, drawn by hypothesis.

`{pod:x}` and `{rs:x}` stand for generated names, see `live.named`. Left out is what blocks, and what the real kubectl
itself answers differently each time.
"""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st
from sides import Case
from wordings import changes

Words = list[str]
Drawn = st.SearchStrategy[Words]

STATES = ("healthy", "broken", "moving")
NAMES = {
    "pods": ("{pod:web}", "{pod:crash}", "{pod:pull}", "{pod:starting}", "duo", "once", "twice", "held", "db-0"),
    "deployments": ("web", "api", "zero", "crash", "halfway"),
    "replicasets": ("{rs:web}", "{rs:api}"),
    "statefulsets": ("db",),
    "daemonsets": ("agent",),
    "jobs": ("report", "pair", "fails", "long"),
    "cronjobs": ("nightly", "often"),
    "services": ("web", "web-node", "db", "outside", "nowhere", "balanced", "toobad"),
    "endpoints": ("web", "db", "nowhere"),
    "ingresses": ("front",),
    "networkpolicies": ("guard", "deny-all"),
    "configmaps": ("settings", "blob"),
    "secrets": ("login", "cert"),
    "serviceaccounts": ("reader", "builder", "default"),
    "persistentvolumeclaims": ("data", "stuck"),
    "horizontalpodautoscalers": ("web",),
    "poddisruptionbudgets": ("web", "db"),
    "resourcequotas": ("budget",),
    "limitranges": ("sizes",),
    "roles": ("look",),
    "rolebindings": ("look",),
    "nodes": ("kind-worker", "kind-control-plane"),
    "namespaces": ("shop", "empty", "limited", "going"),
    "persistentvolumes": ("vol-1", "vol-free"),
    "storageclasses": ("disk", "standard"),
    "priorityclasses": ("urgent", "system-node-critical"),
    "ingressclasses": ("nginx",),
    "clusterroles": ("see-nodes",),
    "clusterrolebindings": ("see-nodes",),
    "events": (),
    "leases": (),
    "endpointslices": (),
    "controllerrevisions": (),
}
"""Objects of each kind, some of which are there in some states only."""

SPELLINGS = {
    "pods": ("po", "pod", "Pods", "pods.v1."),
    "deployments": ("deploy", "deployment", "deployments.apps", "deployment.v1.apps", "Deployment"),
    "replicasets": ("rs", "replicaset"),
    "statefulsets": ("sts",),
    "daemonsets": ("ds",),
    "services": ("svc", "service"),
    "configmaps": ("cm", "configmap"),
    "nodes": ("no", "node"),
    "namespaces": ("ns",),
    "events": ("ev", "event"),
    "endpoints": ("ep",),
    "jobs": ("job", "jobs.batch"),
    "persistentvolumeclaims": ("pvc",),
    "horizontalpodautoscalers": ("hpa",),
}
ODD = ("nonsense", "pods.apps", "widgets.example.com", "all", "po,svc", "deploy,rs", "cm,secrets", "POD", "nodes.v1")
LABELS = ("app", "app=web", "app==web", "app!=web", "app in (web,api)", "app notin (web)", "!app", "tier=front", "a=b")
BAD_LABELS = ("app=", "=web", "app in web", "app in (", "a b", "app,,tier", "!", "-x=y", "app=we b", "x>1")
FIELDS = ("metadata.name=web", "metadata.namespace=shop", "status.phase=Running", "status.phase!=Running")
BAD_FIELDS = ("spec.nonsense=1", "metadata.labels.app=web", "status.phase", "type=Warning", "spec.nodeName=kind-worker")
OUTPUTS = (
    *("wide", "name", "json", "yaml", "jsonpath={.metadata.name}", "jsonpath={.items[*].metadata.name}"),
    *("jsonpath={.items[0].kind}", "jsonpath={.items[-1:].metadata.name}", "jsonpath={.metadata.labels}"),
    "jsonpath={range .items[*]}{.metadata.name}{'\\t'}{.status.phase}{'\\n'}{end}",
    *("jsonpath={.items[?(@.metadata.name=='web')].kind}", "jsonpath-as-json={.metadata.labels}"),
    *("custom-columns=N:.metadata.name,K:.kind,L:.metadata.labels", "custom-columns=X:.spec.replicas"),
    *("go-template={{.kind}}", "go-template={{range .items}}{{.metadata.name}} {{end}}"),
    "go-template={{len .items}}",
)
BAD_OUTPUTS = ("nonsense", "jsonpath", "jsonpath={.a", "jsonpath={.items[9].x}", "custom-columns=", "go-template={{.a")
SHOP = ["-n", "shop"]
WHERE = (SHOP, SHOP, SHOP, ["--namespace=shop"], ["-n", "empty"], ["-nabsent"], [], ["-A"])
COLUMNS = (
    *(["--no-headers"], ["--show-labels"], ["--show-kind"], ["-L", "app"], ["-Lapp,tier"], ["--label-columns=app"]),
    *(["--sort-by=.metadata.name"], ["--sort-by={.metadata.creationTimestamp}"], ["--sort-by=.spec.nope"]),
    *(["--ignore-not-found"], ["--chunk-size=2"], ["--show-managed-fields"], ["--server-print=false"], ["--sort-by=x"]),
)
MISTAKES = (["--nonsense"], ["-Z"], ["--tail"], ["--no-headers=maybe"], ["-l"], ["--request-timeout=5s"], ["--", "x"])


def one_of(*words: str) -> st.SearchStrategy[str]:
    return st.sampled_from(words)


def some(options: Sequence[Words], most: int = 2) -> Drawn:
    """A few of these options, one after another."""
    chosen = st.lists(st.sampled_from(options), max_size=most, unique_by=tuple)
    return chosen.map(lambda found: [word for option in found for word in option])


@st.composite
def resources(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(sorted(NAMES)))
    return draw(st.sampled_from((kind, kind, *SPELLINGS.get(kind, ()))))


@st.composite
def objects(draw: st.DrawFn, *kinds: str) -> Words:
    """A kind and a name or two of it, in one of the ways in which they can be written; seldom something wrong."""
    kind = draw(st.sampled_from(kinds or tuple(kind for kind in sorted(NAMES) if NAMES[kind])))
    word = draw(st.sampled_from((kind, kind, *SPELLINGS.get(kind, ()))))
    names = draw(st.lists(st.sampled_from((*NAMES[kind], *NAMES[kind], "absent")), min_size=1, max_size=2))
    slashed = [f"{word}/{name}" for name in names]
    return draw(st.sampled_from(([word, names[0]], slashed[:1], [word, *names], slashed)))


@st.composite
def chosen(draw: st.DrawFn) -> Words:
    """All objects of a kind, or those that selectors choose."""
    words = [draw(st.one_of(resources(), resources(), resources(), st.sampled_from(ODD)))]
    if draw(st.integers(0, 2)) == 0:
        words += [draw(one_of("-l", "--selector")), draw(st.sampled_from((*LABELS, *LABELS, *BAD_LABELS)))]
    if draw(st.integers(0, 4)) == 0:
        words += ["--field-selector", draw(st.sampled_from((*FIELDS, *BAD_FIELDS)))]
    return words


@st.composite
def reading(draw: st.DrawFn) -> Words:
    """`get` with everything."""
    words = ["get", *draw(st.one_of(chosen(), objects())), *draw(some(COLUMNS))]
    if draw(st.booleans()):
        output = draw(st.sampled_from((*OUTPUTS, *OUTPUTS, *BAD_OUTPUTS)))
        words += draw(st.sampled_from((["-o", output], [f"-o={output}"], [f"--output={output}"], [f"-o{output}"])))
    return words


@st.composite
def describing(draw: st.DrawFn) -> Words:
    options = some((["--show-events=false"], ["--chunk-size=1"], ["--show-events"]), 1)
    words = draw(st.one_of(objects(), st.lists(resources(), min_size=1, max_size=1), chosen()))
    return ["describe", *words, *draw(options)]


@st.composite
def logs(draw: st.DrawFn) -> Words:
    kinds = ("pods", "pods", "pods", "deployments", "jobs", "statefulsets", "services", "configmaps")
    named = draw(objects(*kinds))
    of = [named[-1]] if named[0] in ("pods", "po", "pod") else ["/".join(named[:2]), "--pod-running-timeout=1s"]
    options = (
        *(["--tail=2"], ["--tail", "0"], ["--tail=-5"], ["--previous"], ["-p"], ["--since=5m"], ["--since=1h"]),
        *(["--timestamps"], ["--prefix"], ["-c", "app"], ["-c", "second"], ["-cnope"], ["--limit-bytes=7"]),
        *(["--since=nonsense"], ["--since-time=2020-01-01T00:00:00Z"], ["--since-time=x"], ["--ignore-errors"]),
        *(["first"], ["--limit-bytes=-1"], ["--tail=x"]),
    )
    return ["logs", *of, *draw(some(options, 3))]


@st.composite
def looking(draw: st.DrawFn) -> Words:
    """The other verbs that change nothing."""
    of = draw(objects("deployments", "daemonsets", "statefulsets", "pods", "services"))
    output = draw(some((["-o", "json"], ["-o", "yaml"], ["-o", "name"], ["-owide"], ["-o", "x"]), 1))
    revision = draw(some((["--revision=1"], ["--revision=9"], ["--revision=0"], ["--revision=-1"]), 1))
    labels = draw(some([["-l", label] for label in (*LABELS, *BAD_LABELS)], 1))
    about = draw(one_of("pod.spec", "deploy.spec.replicas", "svc.spec.ports", "cm", "nonsense", "pod.x", "jobs.status"))
    verbs = draw(one_of("get", "list", "delete", "nonsense", "*"))
    kind = draw(resources())
    states = ("condition=Available", "condition=Ready=false", "delete", "jsonpath={.kind}=Pod", "nope", "create")
    when = draw(one_of(*states))
    seconds = draw(one_of("0s", "-0", "nope"))
    lines: Sequence[Words] = (
        ["events", *labels[:0], *draw(some((["--types=Warning"], ["--types=x"], ["--no-headers"]), 2)), *output],
        ["events", "--for", "/".join(of[:2]), *output],
        ["rollout", "history", *of, *revision, *(output if revision else [])],
        ["rollout", "status", *of[:2], "--watch=false", *revision],
        ["explain", about, *draw(some((["--recursive"], ["--api-version=apps/v1"], ["--output=x"]), 1))],
        ["auth", "can-i", verbs, kind, *draw(some((["-q"], ["--subresource=log"], ["--as=ann"]), 1))],
        ["api-resources", *draw(some((["--namespaced"], ["--no-headers"], ["-o", "name"], ["--verbs=get"]), 2))],
        ["top", "pods", *labels, *draw(some((["--no-headers"], ["--containers"], ["--sum"]), 2))],
        ["wait", *of, f"--for={when}", f"--timeout={seconds}"],
    )
    return list(draw(st.sampled_from(lines)))


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A command line in a state."""
    state = draw(st.sampled_from(STATES))
    writes = draw(st.integers(0, 9)) < 5
    strategies = (reading(), reading(), describing(), logs(), looking())
    words, files = draw(changes(objects)) if writes else (draw(st.one_of(strategies)), {})
    where = draw(st.sampled_from(WHERE if words[0] in ("get", "describe", "events") else WHERE[:-1]))
    wrong = draw(st.sampled_from(MISTAKES)) if draw(st.integers(0, 24)) == 0 else []
    words = [*words, *where, *wrong]
    return Case(f"{state}: {' '.join(words)}", state, words, files=files, writes=writes)
