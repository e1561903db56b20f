"""Good repairs where messages of a topic do not reach who reads them: whoever takes or spoils them is stopped."""

from aiops_gym.catalog.faults import borrowed_group, poisoned_topic
from aiops_gym.testing.adversary.repairs.words import CONTAINER, NS, edit_object, list_rows, make_anew, merge, operate

VIEWER, CHECK = borrowed_group.NAME, poisoned_topic.NAME
GROUP = f"{CONTAINER}/command/6"
WITHOUT = ".spec.template.spec.containers[0].command |= .[:5]"
RECIPES = list_rows(
    "borrowed_group",
    "sleep 30",
    {
        "deleted": f"kubectl delete deployment {VIEWER} {NS}",
        "deleted by a label": f"kubectl delete deployment {NS} $(kubectl get rs {NS} -l run={VIEWER} "
        "-o jsonpath='{.items[0].metadata.ownerReferences[0].name}')",
        "scaled to none": f"kubectl scale deployment/{VIEWER} {NS} --replicas=0",
        "none by a patch": merge('{"spec": {"replicas": 0}}', name=VIEWER),
        "another group": operate({"op": "replace", "path": GROUP, "value": "viewer"}, name=VIEWER),
        "a group of its own": edit_object("deployment", VIEWER, WITHOUT),
        "another topic": operate({"op": "replace", "path": f"{CONTAINER}/command/4", "value": "other"}, name=VIEWER),
        "late": f"sleep 240\nkubectl delete deployment/{VIEWER} {NS} --wait=false",
    },
)

EDITED = '.spec.jobTemplate.spec.template.spec.containers[0].command[6] = "checks"'
NONE = '{"spec": {"suspend": true}}'
TOPIC = "/spec/jobTemplate/spec/template/spec/containers/0/command/6"
RECIPES += list_rows(
    "poisoned_topic",
    "sleep 30",
    {
        "deleted": f"kubectl delete cronjob {CHECK} {NS}",
        "deleted with its runs": f"kubectl delete cronjob {CHECK} {NS} --cascade=foreground",
        "deleted, its runs kept": f"kubectl delete cronjob {CHECK} {NS} --cascade=orphan",
        "suspended": merge(NONE, "cronjob", CHECK),
        "suspended by an editor": edit_object("cronjob", CHECK, ".spec.suspend = true"),
        "suspended by a JSON patch": operate(
            {"op": "add", "path": "/spec/suspend", "value": True}, kind="cronjob", name=CHECK
        ),
        "deleted as a file": f"kubectl get cronjob {CHECK} {NS} -o yaml | kubectl delete -f -",
        "deleted with all that it made": f"kubectl delete cronjob {CHECK} {NS}\nkubectl delete jobs {NS} --all",
        "made anew for another topic": make_anew("cronjob", CHECK, EDITED),
        "another topic by an editor": edit_object("cronjob", CHECK, EDITED),
        "another topic": operate({"op": "replace", "path": TOPIC, "value": "checks"}, kind="cronjob", name=CHECK),
        "deleted, and the pod, too": f"kubectl delete cronjob {CHECK} {NS}\n"
        f"kubectl delete pod {NS} -l {{selector}}={{target}}",
        "late": f"sleep 240\nkubectl delete cronjob {CHECK} {NS}",
    },
)
