"""Pages of a list are pages of one list, whatever happens in between; parameters that make no sense are refused."""

from api_world import new_world
from hypothesis import given
from hypothesis import strategies as st

from aiops_gym.sim import kube_api
from aiops_gym.types import Request

CONFIG = "configmaps"


def filled(count=5):
    world = new_world()
    for number in range(count):
        kube_api.create(
            world, CONFIG, {"metadata": {"name": f"c{number}", "namespace": "t", "labels": {"n": str(number % 2)}}}
        )
    return world


def page(world, **query):
    return kube_api.handle(world, Request("list", CONFIG, "t", query={k: str(v) for k, v in query.items()}))


def names(answer):
    return [item["metadata"]["name"] for item in answer.body["items"]]


def following(world, answer, **query):
    return page(world, **query, **{"continue": answer.body["metadata"]["continue"]})


CHANGES = st.lists(st.tuples(st.sampled_from(("create", "delete", "label")), st.integers(0, 7)), max_size=6)


@given(changes=CHANGES, size=st.integers(1, 4), labelled=st.booleans())
def test_pages_together_are_the_list_as_it_was(changes, size, labelled):
    world, query = filled(), {"labelSelector": "n=1"} if labelled else {}
    whole = names(page(world, **query))
    answer = page(world, limit=size, **query)
    found, version = names(answer), answer.body["metadata"]["resourceVersion"]
    while "continue" in answer.body["metadata"]:
        for what, number in changes:
            change(world, what, f"c{number}")
        answer = following(world, answer, limit=size, **query)
        assert answer.body["metadata"]["resourceVersion"] == version
        found += names(answer)
    assert found == whole


def change(world, what, name):
    body = {"metadata": {"name": name, "namespace": "t", "labels": {"n": "1"}}}
    if what == "label":
        kube_api.handle(
            world, Request("patch", CONFIG, "t", name, body=body, content_type="application/merge-patch+json")
        )
    else:
        kube_api.handle(world, Request(what, CONFIG, "t", "" if what == "create" else name, body=body))


def test_the_rest_comes_without_a_limit():
    world = filled()
    assert names(following(world, page(world, limit=2))) == ["c2", "c3", "c4"]


def test_a_page_tells_how_many_are_left_only_of_whole_lists():
    world = filled()
    assert page(world, limit=2).body["metadata"]["remainingItemCount"] == 3
    assert "remainingItemCount" not in page(world, limit=1, labelSelector="n=1").body["metadata"]


def test_a_token_grows_too_old_and_offers_another_that_goes_on():
    world = filled()
    first = page(world, limit=2)
    for _ in range(1_001):
        world.store.put(CONFIG, world.store.get(CONFIG, "t", "c0"))
    late = following(world, first)
    assert (late.code, late.body["reason"]) == (410, "Expired")
    assert names(following(world, late)) == ["c2", "c3", "c4"]


def test_tokens_that_nobody_gave_are_refused():
    world = filled()
    for token in ("!", "garbage", "e30", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"):
        answer = page(world, limit=2, **{"continue": token})
        assert answer.code == 400
        assert answer.body["message"].startswith("continue key is not valid: ")


def test_parameters_that_make_no_sense_are_refused():
    world = filled()
    for query in (
        {"resourceVersionMatch": "Exact"},
        {"resourceVersionMatch": "Exact", "resourceVersion": "0"},
        {"resourceVersionMatch": "Nope", "resourceVersion": "5"},
        {"sendInitialEvents": "true"},
    ):
        answer = page(world, **query)
        assert (answer.code, answer.body["details"]["kind"]) == (422, "ListOptions")


def test_a_write_with_unknown_options_changes_nothing():
    world = filled()
    before = world.store.version
    for query in ({"dryRun": "nope"}, {"fieldValidation": "Nope"}, {"fieldManager": "x" * 129}):
        body = {"metadata": {"name": "new"}}
        answer = kube_api.handle(world, Request("create", CONFIG, "t", body=body, query=query))
        assert (answer.code, answer.body["details"]["kind"]) == (422, "CreateOptions")
    merge = "application/merge-patch+json"
    answer = kube_api.handle(
        world, Request("patch", CONFIG, "t", "c0", body={}, content_type=merge, query={"force": "true"})
    )
    assert "force: Forbidden: may not be specified for non-apply patch" in answer.body["message"]
    answer = kube_api.handle(
        world, Request("patch", CONFIG, "t", "c0", body={}, content_type="application/apply-patch+yaml")
    )
    assert "fieldManager: Required value: is required for apply patch" in answer.body["message"]
    assert world.store.version == before


def test_a_put_without_a_name_is_refused():
    answer = kube_api.handle(filled(), Request("update", CONFIG, "t", "c0", body={"metadata": {}}))
    why = "the name of the object (c0 based on URL) was undeterminable: name must be provided"
    assert (answer.code, answer.body["message"]) == (400, why)
