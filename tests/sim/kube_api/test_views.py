"""`events.k8s.io` shows the core events, and changes them."""

from aiops_gym.sim import kube_api
from aiops_gym.types import Request

NAME = "events.events.k8s.io"
EVENT = {
    "metadata": {"name": "e", "namespace": "t"},
    "involvedObject": {"kind": "Pod", "name": "p", "namespace": "t"},
    "reason": "Pulled",
    "message": "image is there",
    "source": {"component": "kubelet"},
    "firstTimestamp": "2026-03-02T09:00:00Z",
    "lastTimestamp": "2026-03-02T09:00:00Z",
    "count": 2,
    "type": "Normal",
}


def test_the_same_events_under_other_names(world, ask):
    kube_api.create(world, "events", EVENT)
    event = ask("get", NAME, "e").body
    assert (event["apiVersion"], event["note"], event["eventTime"]) == ("events.k8s.io/v1", "image is there", None)
    assert (event["regarding"]["name"], event["deprecatedCount"]) == ("p", 2)
    assert not {"message", "involvedObject", "count", "source"} & set(event)
    listed = ask("list", NAME).body
    assert (listed["apiVersion"], listed["kind"], [e["note"] for e in listed["items"]]) == (
        "events.k8s.io/v1",
        "EventList",
        ["image is there"],
    )


def test_selectors_name_the_fields_of_this_form(world, ask):
    kube_api.create(world, "events", EVENT)
    for selector, count in (("regarding.name=p", 1), ("regarding.name!=p", 0), ("type=Normal,regarding.kind=Pod", 1)):
        assert len(ask("list", NAME, query={"fieldSelector": selector}).body["items"]) == count


def test_tables_have_the_rows_of_core_events(world, ask):
    kube_api.create(world, "events", EVENT)
    here, there = (ask("list", name, table=True).body["rows"][0] for name in (NAME, "events"))
    assert here["cells"] == there["cells"]
    assert here["object"]["note"] == there["object"]["message"]


def test_what_is_written_here_is_read_there(world, ask):
    body = {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "metadata": {"name": "n"},
        "eventTime": "2026-03-02T09:00:00.000000Z",
        "reportingController": "me",
        "reportingInstance": "me-1",
        "action": "Looking",
        "reason": "Looked",
        "regarding": {"kind": "Pod", "name": "p", "namespace": "t"},
        "note": "nothing",
        "type": "Normal",
    }
    assert ask("create", NAME, body=body).code == 201
    assert ask("get", "events", "n").body["message"] == "nothing"
    patch = [{"op": "replace", "path": "/note", "value": "something"}]
    assert ask("patch", NAME, "n", body=patch, content_type="application/json-patch+json").body["note"] == "something"
    assert ask("delete", NAME, "n").code == 200
    gone = ask("get", NAME, "n").body
    assert (gone["message"], gone["details"]["group"]) == ('events.events.k8s.io "n" not found', "events.k8s.io")


def test_requests_are_not_changed(world):
    request = Request("list", NAME, "t", query={"fieldSelector": "regarding.name=p"})
    kube_api.handle(world, request)
    assert request.query == {"fieldSelector": "regarding.name=p"}
