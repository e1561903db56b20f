"""Which variable of a component's environment says where another one lies that it asks: addresses, and ports of them.

A program's `environment` and `hosts` name its variables; see `sim/software/programs/traced_service.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from aiops_gym.catalog.model import Manifest
from aiops_gym.catalog.scripts import CONTAINER
from aiops_gym.catalog.splits import hash_to_fraction
from aiops_gym.types import Json


def find_variable(deployment: Manifest, program: Mapping[str, Json], needed: Iterable[str]) -> dict[str, str]:
    """The names of one variable that says a port, and of whom it is about; nothing where there is none.

    Args:
        deployment: of the component.
        program: the parameters of the program that it runs.
        needed: those whom it asks for users, of whom one is drawn.

    >>> env = [{"name": "CART_ADDR", "value": "http://cart:8080"}]
    >>> shop = {"metadata": {"name": "shop"}, "spec": {"template": {"spec": {"containers": [{"env": env}]}}}}
    >>> found = find_variable(shop, {"environment": {"cart": "CART_ADDR"}}, ["cart"])
    >>> found["variable"], found["callee"], found["callee_port"], found["wrong_callee_port"]
    ('CART_ADDR', 'cart', '8080', '8081')
    """
    variables = dict(program.get("environment") or {})
    variables |= {callee: port for callee, (_, port) in (program.get("hosts") or {}).items()}
    values = {each["name"]: str(each.get("value", "")) for each in _list_variables(deployment)}
    possible = {callee: variables[callee] for callee in needed if _read_port(values.get(variables.get(callee, ""), ""))}
    name = deployment["metadata"]["name"]
    callee = min(sorted(possible), key=lambda each: hash_to_fraction("variable", name, each), default="")
    if not callee:
        return {}
    port = _read_port(values[possible[callee]])
    return {
        "variable": possible[callee],
        "callee": callee,
        "callee_port": port,
        "wrong_callee_port": str(int(port) + 1),
    }


def read_variable(deployment: Manifest, names: Mapping[str, str]) -> dict[str, str]:
    """Where the variable stands in the environment, what it says, and what it says with the wrong port.

    Args:
        deployment: as it is: people may have added to its environment.
        names: of the component, by `find_variable`.
    """
    for index, each in enumerate(_list_variables(deployment)):
        if each["name"] == names.get("variable"):
            said = str(each.get("value", ""))
            head = said[: len(said) - len(_read_port(said))]
            place = f"{CONTAINER}/env/{index}/value"
            return {"variable_place": place, "said": said, "missaid": f"{head}{names['wrong_callee_port']}"}
    return {}


def _list_variables(deployment: Manifest) -> Sequence[Mapping[str, Json]]:
    return deployment["spec"]["template"]["spec"]["containers"][0].get("env") or ()


def _read_port(value: str) -> str:
    """The port that a value ends with, or is; "" if it says none."""
    port = value.rpartition(":")[2]
    return port if port.isascii() and port.isdigit() else ""
