"""Owners of fields, events in their newer form and pages of lists, as clients at the door meet them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from knocking import NAMESPACE, Kubectl, write

from aiops_gym.serve import Door

Json = Any
CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owned
data:
  mode: {mode}
"""
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
PATH = f"/api/v1/namespaces/{NAMESPACE}/configmaps"


def ask(place: Door, method: str, path: str, body: Json = None, **headers: str) -> tuple[int, Json]:
    """Code and body of an answer; headers with `_` for `-`."""
    data = None if body is None else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = Request(place.url + path, data, named, method=method)
    try:
        with urlopen(request, timeout=600) as answer:
            return answer.status, json.loads(answer.read().splitlines()[0])
    except HTTPError as error:
        return error.code, json.loads(error.read())


def test_a_server_side_apply_meets_the_owner_of_a_client_side_one(
    opened: Door, kubectl: Kubectl, tmp_path: Path
) -> None:
    first, second = (write(tmp_path, f"{mode}.yaml", CONFIG.format(mode=mode)) for mode in ("fast", "slow"))
    assert kubectl(opened, "apply", "-n", NAMESPACE, "-f", first).code == 0
    refused = kubectl(opened, "apply", "-n", NAMESPACE, "--server-side", "--field-manager=me", "-f", second)
    who = 'conflict with "kubectl-client-side-apply" using v1: .data.mode'
    assert refused.err.startswith(f"error: Apply failed with 1 conflict: {who}\nPlease review the fields above")
    forced = ("--server-side", "--field-manager=me", "--force-conflicts")
    assert kubectl(opened, "apply", "-n", NAMESPACE, *forced, "-f", second).code == 0
    assert kubectl(opened, "get", "cm", "owned", "-n", NAMESPACE, "-o", "jsonpath={.data.mode}").out == "slow"


def test_a_client_without_a_manager_owns_under_the_name_of_its_program(opened: Door) -> None:
    made = {"metadata": {"name": "owned"}, "data": {"mode": "fast"}}
    assert ask(opened, "POST", PATH, made, Content_Type="application/json", User_Agent="curious/1.0 (x)")[0] == 201
    intent = {"apiVersion": "v1", "kind": "ConfigMap", "data": {"mode": "slow"}}
    code, status = ask(opened, "PATCH", f"{PATH}/owned?fieldManager=me", intent, Content_Type=APPLY)
    assert (code, status["details"]["causes"][0]["message"]) == (409, 'conflict with "curious" using v1')


def test_who_owns_what_and_since_when_is_read_with_the_object(opened: Door) -> None:
    sent = {"metadata": {"name": "owned", "labels": {"a": "b"}}, "data": {"mode": "fast"}}
    code, made = ask(opened, "POST", f"{PATH}?fieldManager=me", sent, Content_Type="application/json")
    assert code == 201
    (row,) = made["metadata"]["managedFields"]
    assert (row["manager"], row["operation"], row["apiVersion"], row["fieldsType"]) == (
        "me",
        "Update",
        "v1",
        "FieldsV1",
    )
    assert row["fieldsV1"]["f:data"] == {"f:mode": {}}
    assert row["time"] == made["metadata"]["creationTimestamp"]
    answer = ask(
        opened,
        "PUT",
        f"{PATH}/owned?fieldManager=you",
        {**made, "data": {"mode": "slow"}},
        Content_Type="application/json",
    )
    assert answer[0] == 200
    assert ask(opened, "GET", f"{PATH}/owned")[1] == answer[1]
    owners = {row["manager"]: row["fieldsV1"] for row in answer[1]["metadata"]["managedFields"]}
    assert owners["you"] == {"f:data": {"f:mode": {}}} and "f:data" not in owners["me"]


def test_newer_events_can_be_watched(still: Door) -> None:
    _, event = ask(still, "GET", "/apis/events.k8s.io/v1/events?watch=true&timeoutSeconds=1")
    assert event["type"] == "ADDED"
    assert event["object"]["apiVersion"] == "events.k8s.io/v1"
    assert "note" in event["object"]
    assert "message" not in event["object"]


def test_a_page_has_no_version_of_its_own(still: Door) -> None:
    _, first = ask(still, "GET", f"{PATH}?limit=1")
    token = first["metadata"]["continue"]
    code, status = ask(still, "GET", f"{PATH}?limit=1&continue={token}&resourceVersion=1")
    assert (code, status["message"]) == (400, "specifying resource version is not allowed when using continue")


def test_unknown_options_are_refused_at_the_door(still: Door) -> None:
    body = {"metadata": {"name": "never"}}
    code, status = ask(still, "POST", f"{PATH}?dryRun=nope", body, Content_Type="application/json")
    assert (code, status["reason"]) == (422, "Invalid")
    assert ask(still, "PATCH", f"{PATH}/x?force=true", {}, Content_Type=MERGE)[0] == 422
