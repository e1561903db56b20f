"""What the agent asks the system, one command a look, each printing sections of tab-separated lines.

Only fields that a rule reads are asked for: an observation has its limit.
"""

from __future__ import annotations

SECTION = "##"
"""Begins the heading of a section: `## pods`."""

_NOISE = (
    r"""sed -E 's/"(terminationMessagePath|terminationMessagePolicy|imagePullPolicy|schedulerName)":"[^"]*",?//g; """
    r"""s/"(securityContext)":\{\},?//g; s/"terminationGracePeriodSeconds":30,?//g; s/,\}/}/g; s/,\]/]/g'"""
)
"""Drops what every object has."""

_MOUNTS = r"""sed -E 's/"volumeMounts":\[[^]]*\],?//g; s/,\}/}/g'"""
"""Drops what makes a long list longer."""

_REVISION = r".metadata.annotations.deployment\.kubernetes\.io/revision"
_STATE = ".status.containerStatuses[*].state.waiting"
_LAST = ".status.containerStatuses[*].lastState.terminated"
_SCHEDULED = '.status.conditions[?(@.type=="PodScheduled")].message'


def _table(section: str, resource: str, *fields: str, namespaced: bool = True) -> str:
    """A command that prints a section: a line an object, a cell a field."""
    cells = '{"\\t"}'.join(f"{{{field}}}" for field in (".metadata.name", *fields))
    where = " -n {namespace}" if namespaced else ""
    path = "{range .items[*]}" + cells + '{"\\n"}{end}'
    return f"echo '{SECTION} {section}'; kubectl get {resource}{where} -o jsonpath='{path}'"


DEPLOYMENTS = (
    _table(
        "deployments",
        "deployments",
        ".spec.replicas",
        ".status.readyReplicas",
        ".spec.selector.matchLabels",
        ".spec.template.spec",
    )
    + f" | {_NOISE} | {_MOUNTS}"
)

PODS = "; ".join(
    [
        _table(
            "pods",
            "pods",
            ".metadata.ownerReferences[0].name",
            ".status.phase",
            ".metadata.labels",
            ".status.containerStatuses[*].ready",
            ".status.containerStatuses[*].restartCount",
            f"{_STATE}.reason",
            f"{_LAST}.reason",
            f"{_LAST}.exitCode",
            f"{_LAST}.startedAt",
            f"{_LAST}.finishedAt",
            ".spec.containers[*].image",
            ".status.initContainerStatuses[*].ready",
            f"{_STATE}.message",
            _SCHEDULED,
            ".status.startTime",
        ),
        _table("services", "services", ".spec.selector", ".spec.ports"),
        _table("endpoints", "endpoints", ".subsets[*].addresses[*].targetRef.name", ".subsets[*].ports[*].port"),
    ]
)

_REPEATED = (
    r"""awk -F'\t' '{n[$2]++; row[NR]=$0; of[NR]=$2} END {for (i=1; i<=NR; i++) if (n[of[i]]>1) print row[i]}'"""
)
"""Keeps what has more than one revision."""

OBJECTS = "; ".join(
    [
        "date -u +'## now %Y-%m-%dT%H:%M:%SZ'",
        _table("revisions", "replicasets", ".metadata.ownerReferences[0].name", _REVISION, ".spec.template.spec")
        + f" | {_NOISE} | {_REPEATED}",
        _table("claims", "persistentvolumeclaims", ".status.phase", ".spec.storageClassName", ".spec.volumeName"),
        _table(
            "volumes",
            "persistentvolumes",
            ".status.phase",
            ".spec.claimRef.namespace",
            ".spec.claimRef.name",
            ".spec.storageClassName",
            namespaced=False,
        ),
        _table("policies", "networkpolicies", ".spec"),
        _table("quotas", "resourcequotas", ".status.hard", ".status.used"),
        _table("nodes", "nodes", ".spec.taints", ".spec.unschedulable", namespaced=False),
        _table("configmaps", "configmaps"),
        _table("secrets", "secrets"),
        f"echo '{SECTION} events'; kubectl get events -n {{namespace}} --field-selector type=Warning "
        "--sort-by=.lastTimestamp -o jsonpath='"
        '{range .items[*]}{.involvedObject.name}{"\\t"}{.reason}{"\\t"}{.count}{"\\t"}{.message}{"\\n"}{end}'
        "' | cut -c1-400 | tail -n 25",
    ]
)

_TELLING = (  # what a log line has in it when something is wrong
    "error|fail|refused|timed? ?out|unauthori|not authorized|denied|panic|fatal|FTL|PNC|no such host|no reachable"
    "|unreachable|deadline|unavailable|SSL|TLS handshake|not found|reset by peer"
)
_ACCESS = "Authentication failed|Checking authorization failed"
_TIMES = r"s/[0-9]{4}-?[0-9A-Z][0-9a-z]*-?[0-9]{2}[T ][0-9:.]+(Z|[+-][0-9:]+)?//g; s/[0-9a-f]{16,}//g"

LOGS = (
    "for name in $(kubectl get deployments -n {namespace} -o name); do "
    "ready=$(kubectl get $name -n {namespace} -o jsonpath='{.status.readyReplicas}'); "
    'since=40s; if [ -z "$ready" ]; then since=900s; fi; '
    f"echo '{SECTION} log '$name; {{ kubectl logs $name -n {{namespace}} --since=$since --tail=400; "
    f"kubectl logs $name -n {{namespace}} --since=900s --tail=400 | grep -E '{_ACCESS}'; }} 2>&1 "
    f"| grep -iE '{_TELLING}' | grep -v 'TLS disabled' | sed -E '{_TIMES}' | cut -c1-320 | sort | uniq -c | sort -rn "
    "| head -n 3; done"
)
"""Of what runs, only the last words count: a hiccup has passed. Of what does not, the last that it said.

Whom a database has sent away may have been long ago: a client that cannot start tries again less and less often.
"""

TRACES = (
    "for file in $(ls -t {folder}/*.csv | head -n 1); do echo '## spans'; awk -F, 'NR > 1 "
    '{k = $4 "\\t" $5; n[k]++; if ($8 == "True") e[k]++; d[k] += $7; if ($7 > m[k]) m[k] = $7} END '
    '{for (k in n) print k "\\t" n[k] "\\t" e[k]+0 "\\t" int(d[k]/n[k]) "\\t" m[k]}'
    "' $file | sort; done"
)
