"""PostgreSQL's connections: who has one, who is turned away, and who is let in when another one goes."""

import pytest

from aiops_gym.backends.baseline import make_baseline
from aiops_gym.backends.cluster import SimulatedCluster
from aiops_gym.catalog import registry
from aiops_gym.catalog.variables import find_variable, read_variable
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.sim import traffic
from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.traffic.configuration import configured

APP = registry.find_app("astronomy_shop")
NS = APP.namespace
CLIENTS = ("accounting", "product-catalog", "product-reviews")
CLIENTS_ONLY = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
COUNT = f'kubectl exec -n {NS} deploy/postgresql -- psql -U {{user}} -d otel -c "{CLIENTS_ONLY}"'
FULL = "remaining connection slots are reserved for roles with the SUPERUSER attribute"


@pytest.fixture
def world():
    return make_baseline(APP.id, 3).fork()


def _run(world, command, code=0):
    done = Sandbox(SimulatedCluster(world), 1).run(command, timeout=300)
    assert done.code == code, done.output
    return done.output


def _limit(world, most):
    op = f'{{"op": "add", "path": "/spec/template/spec/containers/0/args", "value": ["-c", "max_connections={most}"]}}'
    _run(world, f"kubectl patch deployment postgresql -n {NS} --type=json -p '[{op}]'")
    world.run(75 * SECOND)


def _turned_away(world):
    rows = [row for row in world.table("processes").values() if row["running"] and configured(row).get("unseated")]
    return {row["container"] for row in rows}


def _count(world, user="root"):
    return int(_run(world, COUNT.format(user=user)).split()[2])


def test_each_client_keeps_a_connection(world):
    assert (_count(world), _turned_away(world)) == (len(CLIENTS) + 1, set())
    assert "100" in _run(
        world, f"kubectl exec -n {NS} deploy/postgresql -- psql -U root -d otel -c 'SHOW max_connections;'"
    )


def test_who_comes_late_is_turned_away_and_let_in_when_another_one_goes(world):
    _limit(world, 5)  # three of them are superusers'
    (late,) = _turned_away(world)
    assert _count(world) == 3
    assert FULL in _run(world, COUNT.format(user="otelu"), 2)
    assert FULL in _run(world, f"kubectl logs -n {NS} deploy/postgresql --tail=50")
    other = next(name for name in CLIENTS if name != late)
    _run(world, f"kubectl scale deployment {other} -n {NS} --replicas=0")
    world.run(40 * SECOND)
    assert not _turned_away(world)
    assert _count(world) == 3


def test_users_get_errors_of_a_service_without_a_connection_until_there_are_more(world):
    _limit(world, 4)
    assert len(_turned_away(world)) == 2
    assert min(traffic.compute_success(world).values()) == 0.0
    _limit(world, 100)
    assert not _turned_away(world)
    assert min(traffic.compute_success(world).values()) == 1.0


def test_a_server_with_fewer_connections_than_it_keeps_for_superusers_does_not_start(world):
    _limit(world, 3)
    said = _run(world, f"kubectl logs -n {NS} -l app.kubernetes.io/name=postgresql --tail=5")
    assert "superuser_reserved_connections (3) plus reserved_connections (0) must be less" in said


def test_a_number_that_no_server_takes_is_as_none(world):
    _limit(world, "9" * 5_000)
    assert not _turned_away(world)


def test_a_service_that_needs_the_database_at_its_start_ends_where_it_is_full(world):
    _limit(world, 4)
    (lucky,) = set(CLIENTS) - _turned_away(world)
    if lucky == "product-catalog":
        _run(world, f"kubectl delete pod -n {NS} -l app.kubernetes.io/name=product-catalog --force --grace-period=0")
    else:
        _run(world, f"kubectl rollout restart deployment product-catalog -n {NS}")
    world.run(60 * SECOND)
    pods = _run(world, f"kubectl get pods -n {NS} -l app.kubernetes.io/name=product-catalog")
    assert "CrashLoopBackOff" in pods or "Error" in pods


def _deployment(*env):
    rows = [{"name": name, "value": value} for name, value in env]
    return {"metadata": {"name": "shop"}, "spec": {"template": {"spec": {"containers": [{"env": rows}]}}}}


def test_a_variable_is_found_where_people_have_moved_it_to():
    program = {"hosts": {"cart": ["CART_HOST", "CART_PORT"]}}
    names = find_variable(_deployment(("CART_HOST", "cart"), ("CART_PORT", "8080")), program, ["cart"])
    live = _deployment(("MORE", "1"), ("CART_HOST", "cart"), ("CART_PORT", "8080"))
    assert read_variable(live, names) == {
        "variable_place": "/spec/template/spec/containers/0/env/2/value",
        "said": "8080",
        "missaid": "8081",
    }


@pytest.mark.parametrize("value", ["", "postgres://otel", "Host=db;Password=a:b", "cart:８０"])
def test_a_value_without_a_port_is_no_address(value):
    assert find_variable(_deployment(("CART", value)), {"environment": {"cart": "CART"}}, ["cart"]) == {}
