"""Who owns which fields: conflicts between managers, and what goes when nobody asks for it any more."""

import pytest
from api_world import deployment, new_world

from aiops_gym.sim.kube_api import managed_fields

APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"
HEAD = {"apiVersion": "apps/v1", "kind": "Deployment"}
CREATED = "kubectl-client-side-apply"


@pytest.fixture
def apply(ask):
    """Apply an intent as a manager."""

    def apply(manager, force=False, **fields):
        query = {"fieldManager": manager, **({"force": "true"} if force else {})}
        body = {**HEAD, "metadata": {"name": "ok"}, **fields}
        return ask("patch", "deployments.apps", "ok", body=body, content_type=APPLY, query=query)

    return apply


def container(**fields):
    return {"template": {"spec": {"containers": [{"name": "app", **fields}]}}}


def created(ask, manager=CREATED):
    body = {**HEAD, **deployment(replicas=2)}
    assert ask("create", "deployments.apps", body=body, query={"fieldManager": manager} if manager else {}).code == 201


def test_one_conflict_names_the_field_and_its_owner(ask, apply):
    created(ask)
    answer = apply("me", spec={"replicas": 5})
    assert (answer.code, answer.body["reason"]) == (409, "Conflict")
    who = f'conflict with "{CREATED}" using apps/v1'
    assert answer.body["message"] == f"Apply failed with 1 conflict: {who}: .spec.replicas"
    cause = {"reason": "FieldManagerConflict", "message": who, "field": ".spec.replicas"}
    assert answer.body["details"] == {"causes": [cause]}
    assert ask("get", "deployments.apps", "ok").body["spec"]["replicas"] == 2


def test_several_conflicts_are_listed_by_owner(ask, apply):
    created(ask)
    answer = apply("me", spec={"replicas": 5, **container(image="x")})
    assert answer.body["message"] == (
        f'Apply failed with 2 conflicts: conflicts with "{CREATED}" using apps/v1:\n'
        '- .spec.replicas\n- .spec.template.spec.containers[name="app"].image'
    )


def test_force_takes_the_fields_over(ask, apply):
    created(ask)
    assert apply("me", force=True, spec={"replicas": 5}).body["spec"]["replicas"] == 5
    answer = apply("you", spec={"replicas": 6})
    assert answer.body["message"] == 'Apply failed with 1 conflict: conflict with "me": .spec.replicas'


def test_the_same_value_is_shared_without_a_conflict(ask, apply):
    created(ask)
    assert apply("me", spec={"replicas": 2}).code == 200


def test_what_nobody_wrote_belongs_to_nobody(ask, apply, world):
    created(ask, manager="")
    assert world.table("managers") == {}
    assert apply("me", spec={"replicas": 5, **container(image="x")}).code == 200


def test_a_field_that_is_dropped_goes_unless_another_has_it_too(ask, apply):
    created(ask, manager="")
    apply("me", metadata={"name": "ok", "labels": {"a": "1", "b": "2"}})
    apply("you", metadata={"name": "ok", "labels": {"b": "2"}})
    assert apply("me").body["metadata"]["labels"] == {"b": "2"}
    assert not apply("you").body["metadata"].get("labels")


def test_an_item_of_a_keyed_list_goes_with_its_last_owner(ask, apply):
    created(ask, manager="")
    apply("me", spec=container(env=[{"name": "A", "value": "1"}, {"name": "B", "value": "2"}]))
    answer = apply("me", spec=container(env=[{"name": "B", "value": "2"}]))
    containers = answer.body["spec"]["template"]["spec"]["containers"]
    assert [(c["name"], c["image"], c["env"]) for c in containers] == [
        ("app", "registry.local/app:1", [{"name": "B", "value": "2"}])
    ]


def test_an_update_takes_what_it_changes(ask, apply):
    created(ask, manager="")
    apply("me", spec={"replicas": 3})
    body, query = {"spec": {"replicas": 9}}, {"fieldManager": "kubectl"}
    ask("patch", "deployments.apps", "ok", body=body, content_type=MERGE, subresource="scale", query=query)
    answer = apply("me", spec={"replicas": 3})
    who = '"kubectl" with subresource "scale" using apps/v1'
    assert answer.body["message"] == f"Apply failed with 1 conflict: conflict with {who}: .spec.replicas"


def test_kubectl_hands_over_what_its_client_side_apply_had(ask, apply):
    created(ask)
    labels = {"name": "ok", "labels": {"a": "1"}}
    ask(
        "patch",
        "deployments.apps",
        "ok",
        body={"metadata": labels},
        content_type=MERGE,
        query={"fieldManager": CREATED},
    )
    same = deployment(replicas=2)["spec"]
    assert apply("kubectl", spec=same, metadata=labels).code == 200
    assert not apply("kubectl", spec=same).body["metadata"].get("labels")


def test_a_dry_run_leaves_no_owner(ask, world):
    query = {"fieldManager": "me", "dryRun": "All"}
    ask("patch", "deployments.apps", "ok", body={**HEAD, **deployment()}, content_type=APPLY, query=query)
    ask("create", "deployments.apps", body={**HEAD, **deployment()}, query=query)
    assert world.table("managers") == {}


def test_a_new_object_of_the_same_name_has_new_owners(ask, apply):
    created(ask)
    ask("delete", "deployments.apps", "ok", body={"propagationPolicy": "Background"})
    created(ask, manager="")
    assert apply("me", spec={"replicas": 5}).code == 200


def test_owners_survive_a_fork(ask, apply, world):
    created(ask)
    apply("me", force=True, spec={"replicas": 5})
    assert world.fork().table("managers") == world.table("managers") != new_world().table("managers")


@pytest.mark.parametrize(
    "given, code, words",
    [
        ({"apiVersion": "v1"}, 400, "Specified patch version: v1, expected: apps/v1"),
        ({"kind": "Nope"}, 500, "no corresponding type for apps/v1, Kind=Nope"),
        (
            {"metadata": {"name": "other"}},
            400,
            "the name of the object (other) does not match the name on the URL (ok)",
        ),
        ({"metadata": {"managedFields": [{}]}}, 400, "metadata.managedFields must be nil"),
    ],
)
def test_an_intent_for_something_else_is_refused(apply, given, code, words):
    answer = apply("me", **given)
    assert answer.code == code
    assert words in answer.body["message"]


def test_fields_are_walked_level_by_level():
    paths = managed_fields.find_owned({"spec": {"a": {"x": 1}, "b": 2}, "data": 3}, "")
    assert [managed_fields.format_path(path) for path in managed_fields.sort_paths(paths)] == [
        ".data",
        ".spec.b",
        ".spec.a.x",
    ]
