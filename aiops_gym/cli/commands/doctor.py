"""What is installed, and whether it works."""

from __future__ import annotations

import platform
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Annotated

import typer

import aiops_gym
from aiops_gym.cli.common import make_env, show, show_json
from aiops_gym.errors import AiopsGymError
from aiops_gym.types import Call

NEEDED = ("gymnasium", "numpy", "bashkit", "orjson", "pyyaml", "quickjs-ng", "typer", "rich")
FIRST = "container_kill-detection"


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    context: Annotated[str | None, typer.Option(help="Of the kubeconfig: look at this real cluster instead.")] = None,
    kubeconfig: Annotated[str, typer.Option(help="File of the context; the usual one without it.")] = "",
) -> None:
    """Say which versions are installed and which parts work; exit code 1 when one does not.

    With a context: say what that cluster lacks for `backend="kubernetes"`, and which command adds it.
    """
    if context is not None:
        _look(context, kubeconfig, as_json)
        return
    report = {"python": platform.python_version(), "aiops_gym": aiops_gym.__version__}
    report.update({name: _version(name) for name in NEEDED})
    checks = dict(_checks())
    if as_json:
        show_json({"versions": report, "checks": checks})
    else:
        show("\n".join(f"{name:12} {version}" for name, version in report.items()))
        show("\n".join(f"{name:12} {problem or 'works'}" for name, problem in checks.items()))
    if any(checks.values()):
        raise typer.Exit(1)


def _look(context: str, kubeconfig: str, as_json: bool) -> None:
    """Tell what a cluster lacks; exit code 1 where an episode needs it."""
    from aiops_gym.backends.kubernetes.lacks import look  # noqa: PLC0415  # an extra that other commands do without
    from aiops_gym.backends.kubernetes.settings import Settings  # noqa: PLC0415

    found = list(look(Settings(context=context, kubeconfig=kubeconfig)))
    if as_json:
        show_json([each._asdict() for each in found])
    else:
        words = {True: "missing", False: "missing, for some episodes"}
        show("\n".join(f"{f.name:20} {f'{words[f.needed]}: {f.lacks}' if f.lacks else 'there'}" for f in found))
    if any(each.lacks and each.needed for each in found):
        raise typer.Exit(1)


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "missing"


def _checks() -> Iterator[tuple[str, str]]:
    """Each part, and what is wrong with it; each needs the ones before it."""
    env = make_env(FIRST)
    parts: dict[str, Callable[[], bool]] = {
        "world": lambda: len(env.reset(seed=1)[0]) > 0,
        "shell": lambda: env.step(_shell("echo works"))[0] == "works\n",
        "kubectl": lambda: "Running" in env.step(_shell("kubectl get pods -A"))[0],
        "branching": lambda: len(env.get_wrapper_attr("snapshot")()) > 0,
    }
    for name, part in parts.items():
        try:
            problem = "" if part() else "gives a wrong answer"
        except AiopsGymError as error:
            problem = str(error)
        yield name, problem
        if problem:
            return


def _shell(command: str) -> str:
    return str(Call("exec_shell", (command,)))
