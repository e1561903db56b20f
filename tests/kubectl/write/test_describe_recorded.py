"""Descriptions of objects recorded from a real cluster, against what kubectl printed of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.kubectl.describe import View, describe
from aiops_gym.kubectl.describe.page import align
from aiops_gym.sim.kernel.objects import Obj, get, labels_of
from aiops_gym.sim.kernel.times import millis
from aiops_gym.types import Request, Response

HERE = Path(__file__).parent
TABLES = {name: [Obj(o) for o in found] for name, found in json.loads((HERE / "recorded.json").read_text()).items()}
PRINTED = dict(re.findall(r"\$ ([^\n]*)\n(.*?)(?=\Z|^\$ )", (HERE / "recorded.txt").read_text(), re.S | re.M))


class Recorded:
    """A cluster that stands still at the moment of the recording."""

    def now(self) -> float:
        return millis("2026-11-21T21:14:43Z") / 1000

    def wait(self, seconds: float) -> bool:
        return False

    def handle(self, request: Request) -> Response:
        found = [o for o in TABLES.get(request.resource, ()) if not request.namespace or here(o, request.namespace)]
        if request.verb == "get":
            named = [o for o in found if o["metadata"]["name"] == request.name]
            return Response(200, named[0]) if named else Response(404, {"reason": "NotFound"})
        labels, fields = request.query.get("labelSelector", ""), request.query.get("fieldSelector", "")
        found = [o for o in found if all(labels_of(o).get(k) == v for k, v in terms(labels, "="))]
        wanted = [(k, v) for k, v in terms(fields, "=") if not k.endswith("!")]
        return Response(200, {"items": [o for o in found if all(get(o, *k.split(".")) == v for k, v in wanted)]})


def here(obj, namespace):
    return obj["metadata"].get("namespace") == namespace


def terms(text, sign):
    return [tuple(part.split(sign, 1)) for part in text.split(",") if part]


def text_of(resource, kind, prefix, **options):
    (obj,) = [o for o in TABLES[resource] if o["metadata"]["name"].startswith(prefix)]
    return describe(View(Recorded(), **options), resource, kind, obj)


@pytest.mark.parametrize(
    ("command", "resource", "kind", "prefix"),
    [
        ("kubectl -n shop describe deploy crash", "deployments.apps", "Deployment", "crash"),
        ("kubectl -n shop describe pod -l app=crash", "pods", "Pod", "crash"),
        ("kubectl -n shop describe pod -l app=badimage", "pods", "Pod", "badimage"),
        ("kubectl -n shop describe svc ok", "services", "Service", "ok"),
    ],
)
def test_a_description_is_that_of_kubectl(command, resource, kind, prefix):
    assert text_of(resource, kind, prefix) == PRINTED[command]
    assert text_of(resource, kind, prefix) == PRINTED[command], "the second time from the memo"


def test_events_are_left_out_when_not_wanted():
    text = text_of("pods", "Pod", "crash", show_events=False)
    assert "Events" not in text
    assert text_of("pods", "Pod", "crash").startswith(text)


def test_a_node_adds_up_what_its_pods_ask_for():
    text = text_of("nodes", "Node", "node-1")
    assert "  cpu                20m (1%)   0 (0%)\n  memory             56Mi (0%)  152Mi (0%)\n" in text
    assert "ok-69d4f49cd7-lxkxj          10m (0%)      0 (0%)      16Mi (0%)        64Mi (0%)      40s\n" in text


cells = st.text(st.characters(codec="ascii", exclude_characters="\t\n\r\x1b"), max_size=6)


@given(st.lists(st.lists(cells, min_size=1, max_size=4), min_size=1, max_size=6))
def test_aligned_columns_keep_their_cells(rows):
    lines = align("\n".join("\t".join(row) for row in rows)).split("\n")
    assert len(lines) == len(rows) + 1
    for row, line in zip(rows, lines, strict=False):
        assert line.startswith(row[0] + "  " if len(row) > 1 else row[0])
        assert line.endswith(row[-1])
        assert len(line) >= sum(map(len, row))
