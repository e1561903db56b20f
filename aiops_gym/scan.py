"""The folder is the registry: what its modules offer under one name is what there is.

A module in such a folder is found by being there; nothing lists it anywhere else.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Any


def list_modules(package: str) -> tuple[str, ...]:
    """The modules and packages in a package, sorted; none of them is imported.

    >>> "kubectl" in list_modules("aiops_gym")
    True
    """
    return tuple(sorted(module.name for module in iter_modules(import_module(package).__path__)))


def list_parts(module: str) -> tuple[str, ...]:
    """The same of a package; nothing of what is a module and no package.

    >>> list_parts("aiops_gym.scan")
    ()
    """
    return list_modules(module) if hasattr(import_module(module), "__path__") else ()


def load_modules(package: str) -> dict[str, ModuleType]:
    """All modules in a package, by name."""
    return {name: import_module(f"{package}.{name}") for name in list_modules(package)}


def scan(package: str, attribute: str) -> dict[str, Any]:
    """An attribute of all modules in a package that have it, by the module's name, in the order of the names.

    Args:
        package: dotted name, `__name__` of the package that asks for its own.
        attribute: what each module may offer.

    >>> sorted(scan("aiops_gym.catalog.apps", "app"))
    ['astronomy_shop', 'flower', 'hotel_reservation', 'social_network']
    """
    modules = load_modules(package)
    return {name: getattr(module, attribute) for name, module in modules.items() if hasattr(module, attribute)}


def scan_one(package: str, name: str, attribute: str) -> Any:
    """The same of one of `list_modules`, where importing all would cost too much; never of what a user typed."""
    return getattr(import_module(f"{package}.{name}"), attribute)
