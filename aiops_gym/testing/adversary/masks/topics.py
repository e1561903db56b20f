"""Masks where messages of a topic do not reach who reads them: what helps for a moment, or looks as if it did."""

from aiops_gym.catalog.faults import borrowed_group, poisoned_topic
from aiops_gym.testing.adversary.recipe import Recipe

NS = "-n {namespace}"
BOTH = ("borrowed_group", "poisoned_topic")
VIEWER, CHECK = borrowed_group.NAME, poisoned_topic.NAME


def _mask(name: str, layer: str, script: str, *families: str) -> Recipe:
    return Recipe(name=name, layer=layer, script=f"{script}; sleep 60", families=families or BOTH)


RECIPES = (
    _mask("who reads the topic rolled out anew", "time", f"kubectl rollout restart deployment/{{target}} {NS}"),
    _mask("the broker of the topic rolled out anew", "time", f"kubectl rollout restart deployment/{{broker}} {NS}"),
    _mask("one more of who reads the topic", "resources", f"kubectl scale deployment {{target}} {NS} --replicas=2"),
    _mask(
        "who reads the topic stopped, and after a while started again",
        "time",
        f"kubectl scale deployment {{target}} {NS} --replicas=0; sleep 40; "
        f"kubectl scale deployment {{target}} {NS} --replicas=1",
    ),
    _mask("the other reader's pod deleted", "time", f"kubectl delete pod {NS} -l run={VIEWER}", BOTH[0]),
    _mask("the other reader ended inside", "time", f"kubectl exec {NS} deploy/{VIEWER} -- sh -c 'kill 1'", BOTH[0]),
    _mask("the other reader rolled out anew", "time", f"kubectl rollout restart deployment/{VIEWER} {NS}", BOTH[0]),
    _mask("the other reader told to pause", "time", f"kubectl rollout pause deployment/{VIEWER} {NS}", BOTH[0]),
    _mask(
        "the other reader gone for a minute",
        "time",
        f"kubectl scale deployment {VIEWER} {NS} --replicas=0; sleep 60; "
        f"kubectl scale deployment {VIEWER} {NS} --replicas=1",
        BOTH[0],
    ),
    _mask("a writing job's runs deleted", "time", f"kubectl delete jobs {NS} --all", BOTH[1]),
    _mask(
        "a writing job that runs more seldom",
        "time",
        f'kubectl patch cronjob {CHECK} {NS} -p \'{{"spec": {{"schedule": "*/20 * * * *"}}}}\'',
        BOTH[1],
    ),
    _mask(
        "a writing job paused for a minute",
        "time",
        f'kubectl patch cronjob {CHECK} {NS} -p \'{{"spec": {{"suspend": true}}}}\'; sleep 60; '
        f'kubectl patch cronjob {CHECK} {NS} -p \'{{"spec": {{"suspend": false}}}}\'',
        BOTH[1],
    ),
)
