"""Which of an application's settings are unlike their kind: files of ConfigMaps, compared line by line."""

from __future__ import annotations

import re
from dataclasses import dataclass

SUMMARY = (
    "kubectl get configmaps -n {namespace} -o go-template='{{{{range .items}}}}{{{{$n := .metadata.name}}}}"
    '{{{{range $k, $v := .data}}}}{{{{"@@ "}}}}{{{{$n}}}} {{{{$k}}}}{{{{"\\n"}}}}{{{{$v}}}}{{{{"\\n"}}}}'
    "{{{{end}}}}{{{{end}}}}' | awk '"
    '$1 == "@@" {{ id = $2 " " $3; key[id] = $3; files[$3]++; next }} '
    '$0 != "" && !((id, $0) in has) {{ has[id, $0] = 1; n[key[id], $0]++ }} '
    "END {{ for (id in key) {{ if (files[key[id]] < 3) continue; "
    "for (at in n) {{ split(at, part, SUBSEP); if (part[1] != key[id]) continue; "
    "if ((id, part[2]) in has) {{ if (n[at] == 1) odd[id]++ }} else if (n[at] == files[part[1]] - 1) gone[id]++ }} "
    'print "file " id ": " odd[id] + 0 " odd lines, " gone[id] + 0 " missing, of " files[key[id]] }} }}'
    "' | sort"
)
"""How many lines of each file stand in no other file of its name, and how many that all others have it lacks."""

_ROW = re.compile(r"^file ([a-z0-9.-]+) (\S+): (\d+) odd lines, (\d+) missing, of (\d+)$", re.MULTILINE)


@dataclass(frozen=True)
class File:
    """One file of a ConfigMap.

    Attributes:
        owner: name of the ConfigMap.
        key: name of the file.
        strange: lines in which it is unlike all others of its name.
    """

    owner: str
    key: str
    strange: int


def parse_files(text: str) -> list[File]:
    """The rows of a summary.

    >>> parse_files("file cart app.yml: 1 odd lines, 2 missing, of 4")
    [File(owner='cart', key='app.yml', strange=3)]
    """
    return [File(owner, key, int(odd) + int(gone)) for owner, key, odd, gone, _ in _ROW.findall(text)]


def write_copy_command(namespace: str, component: str, file: File, like: File) -> str:
    """The command line that makes a file what it is in another ConfigMap, and starts its component anew."""
    data = f'\'{{data: {{("{file.key}"): .data["{file.key}"]}}}}\''
    source = f"kubectl get configmap {like.owner} -n {namespace} -o json | jq -c {data}"
    change = f'kubectl patch configmap {file.owner} -n {namespace} --type merge -p "$({source})"'
    return f"{change} && kubectl rollout restart deployment {component} -n {namespace}"
