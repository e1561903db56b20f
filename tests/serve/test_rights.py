"""The real kubectl and ours are told the same about rights: in other people's names, of roles, of the control plane."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from knocking import Kubectl

from aiops_gym.backends import Simulated
from aiops_gym.serve import Door, door

SETTING = """
kubectl create rolebinding readers --clusterrole=view --user=jane --group=dev
kubectl create role scaler --verb=patch --resource=deployments.apps/scale --resource-name=web
kubectl create rolebinding scalers --role=scaler --serviceaccount=default:default
kubectl create clusterrolebinding lost --clusterrole=gone --user=joe
"""

LINES = """
get componentstatuses
get cs scheduler -o yaml
get cs nix
describe clusterrole view
describe clusterrole system:kube-scheduler
describe clusterrolebinding system:volume-scheduler
get clusterroles -o name
get rolebindings -A -o wide
get apiservices
get priorityclasses
get pods --as=jane
get pods --as=nobody
get pods -n kube-system --as=jane
get pods -A --as=jane
get pod x --as=nobody
get nodes --as=jane
get namespace default --as=nobody
get secrets --as=x --as-group=dev
get deployments --as=x --as-group=dev
get deployments --as=joe
get pods -n kube-system -l component=etcd --as=x --as-group=system:masters
logs x --as=nobody
delete pod x --as=jane
create configmap a --as=jane
scale deployment web --replicas=2 --as=jane
patch deployment web --subresource=scale -p {} --as=system:serviceaccount:default:default
describe pod x --as=nobody
get cm cluster-info -n kube-public --as=system:anonymous
auth can-i list pods --as=jane
auth can-i list pods --as=joe
auth can-i delete pods --as=jane
auth can-i get /version --as=jane
auth can-i get /metrics --as=jane
auth can-i --list --as=jane
auth can-i --list
auth whoami --as=jane --as-group=dev
auth whoami --as=system:serviceaccount:default:default
get pods --as-group=dev
"""


@pytest.fixture(scope="module")
def both(incident: Simulated) -> Iterator[tuple[Simulated, Door]]:
    """Two like clusters in which some rights are given: one for our kubectl, one behind a door."""
    ours = incident.fork()
    made = ours.shell.run(SETTING)
    assert made.code == 0, made.output
    ours.world.run(800_000)
    with door(ours.world.fork()) as opened:
        yield ours, opened


@pytest.mark.parametrize("line", LINES.strip().splitlines())
def test_both_kubectls_are_told_the_same(line: str, both: tuple[Simulated, Door], kubectl: Kubectl) -> None:
    ours, place = both
    there = kubectl(place, *line.split())
    here = ours.shell.run(f"kubectl {line}")
    assert (here.stdout, here.stderr, here.code) == (there.out, there.err, there.code)
