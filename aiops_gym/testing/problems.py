"""What every problem promises, and the shortcuts that may not solve one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import gymnasium as gym

from aiops_gym.backends import open_backend
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Problem
from aiops_gym.testing.chains import check_chain

IDLE = '[{{"op": "add", "path": "/spec/template/spec/containers/0/command", "value": ["sleep", "infinity"]}}]'
PAUSE = (
    '[{{"op": "replace", "path": "/spec/template/spec/containers/0/image", "value": "registry.k8s.io/pause:3.10"}}, '
    '{{"op": "add", "path": "/spec/template/spec/containers/0/command", "value": null}}]'
)
NO_ARGUMENTS = '[{{"op": "remove", "path": "/spec/template/spec/containers/0/args"}}]'
SUBMISSION = 5.0
"""Seconds that pass between the last command and the verdict."""

PATCH = "kubectl patch deployment {name} -n {namespace} --type=json -p '{patch}'"


def _each(command: str) -> Callable[[Problem], str]:
    """A command for each deployment that the problem is about."""
    return lambda problem: "\n".join(command.format(name=name, namespace=_space(problem)) for name in _about(problem))


def _once(command: str) -> Callable[[Problem], str]:
    return lambda problem: command.format(namespace=_space(problem))


def _space(problem: Problem) -> str:
    return registry.find_app(problem.app).namespace


def _about(problem: Problem) -> tuple[str, ...]:
    """The target and its client; the deployments with data where there is no target."""
    app = registry.find_app(problem.app)
    known = registry.find_components(problem.app)
    named = [
        name
        for _, target in problem.causes
        for name in (target, known[target].names["service"] if target in known else "")
        if name
    ]
    return tuple(dict.fromkeys(named)) or tuple(
        name for name in app.components if app.parameters.get(name, {}).get("database")
    )


SHORTCUTS: Mapping[str, Callable[[Problem], str]] = {
    "nothing": _once("true"),
    "waiting": _once("sleep 600"),
    "scaling to zero": _each("kubectl scale deployment {name} -n {namespace} --replicas=0"),
    "deleting the deployments": _each("kubectl delete deployment {name} -n {namespace}"),
    "deleting every pod": _once("kubectl delete pods --all -n {namespace}"),
    "restarting everything": _once("kubectl rollout restart deployment -n {namespace}"),
    "deleting the namespace": _once("kubectl delete namespace {namespace}"),
    "sleeping instead": _each(PATCH.replace("{patch}", IDLE)),
    "pausing instead": _each(PATCH.replace("{patch}", PAUSE)),
    "turning authentication off": _each(PATCH.replace("{patch}", NO_ARGUMENTS)),
}
"""What an agent may try instead of a repair: name -> the script that does it to a problem. None may pass."""


def list_destructive(problem: Problem) -> tuple[str, ...]:
    """The shortcuts that repair nothing of a problem: what has no arguments of its own may well lose them."""
    own = any(
        m["spec"]["template"]["spec"]["containers"][0].get("args")
        for m in registry.find_app(problem.app).manifests
        if m["kind"] == "Deployment" and m["metadata"]["name"] in _about(problem)
    )
    return tuple(name for name in SHORTCUTS if own or name != "turning authentication off")


def try_shortcut(problem: Problem, name: str, seed: int) -> Any:
    """The assessment of a problem's system after a shortcut, an `Assessment`."""
    return submit_script(open_backend("simulated", problem, seed), SHORTCUTS[name](problem))


def submit_script(backend: Any, script: str) -> Any:
    """The assessment of an incident's system after a script and the time that the submission takes."""
    _submit(backend, script)
    return backend.assess()


def solves(backend: Any, script: str) -> bool:
    """Whether a script repairs a simulated incident: what else is found then is not asked for."""
    _submit(backend, script)
    return bool(backend.assess(thorough=False).success)


def _submit(backend: Any, script: str) -> None:
    backend.shell.run(script, timeout=900)
    backend.spend(SUBMISSION)


def check_problem(problem_id: str, seeds: Iterable[int] = (1, 2, 3)) -> None:
    """Check what every problem promises.

    The reference earns 1; an empty answer (or the wrong word) earns less; for mitigations each listed repair is
    accepted and no shortcut is; of a hard incident there are reads that lead from the page to the cause.

    Raises:
        AssertionError: a promise is broken.
        CatalogError: there is no such problem.
    """
    problem = registry.find_problem(problem_id)
    for seed in seeds:
        check_answers(problem, seed)
        if problem.fault and problem.tier == "hard":
            check_chain(problem, seed)
    if problem.task == "mitigation":
        for seed in seeds:
            _check_repairs(problem, seed)


def check_answers(problem: Problem, seed: int) -> None:
    """Check that the reference earns everything and an empty answer does not. Raises AssertionError."""
    _check_reference(problem, seed)
    _check_empty(problem, seed)


def _make(problem: Problem) -> gym.Env[str, str]:
    return gym.make(f"aiops_gym/{problem.task.capitalize()}-v0", problem=problem.id)


def _check_reference(problem: Problem, seed: int) -> None:
    env = _make(problem)
    env.reset(seed=seed)
    reward: float = 0.0
    ended = False
    for action in env.get_wrapper_attr("reference_actions")():
        assert not ended, f"{problem.id}, seed {seed}: the reference goes on after the end"
        observation, raw, ended, _, info = env.step(action)
        reward = float(raw)
        assert not info["error"], f"{problem.id}, seed {seed}: the reference was refused: {observation}"
    assert ended, f"{problem.id}, seed {seed}: the reference does not submit"
    assert reward == 1.0, f"{problem.id}, seed {seed}: the reference earns {reward}: {info['results']}"


def _check_empty(problem: Problem, seed: int) -> None:
    empty = {"detection": 'submit("No")' if problem.fault else 'submit("Yes")', "localization": "submit([])"}
    if problem.task in {"localization", "analysis"} and not problem.fault:
        return  # nothing is the right answer
    env = _make(problem)
    env.reset(seed=seed)
    _, reward, *_ = env.step(f"```\n{empty.get(problem.task, 'submit()')}\n```")
    assert float(reward) < 1.0, f"{problem.id}, seed {seed}: an empty answer earns {reward}"


def _check_repairs(problem: Problem, seed: int) -> None:
    begun = open_backend("simulated", problem, seed)
    fault = begun.fault
    assert fault is not None, f"{problem.id} asks for a repair and has no fault"
    assert len(fault.fixes) >= 2, f"{problem.id} lists fewer than two repairs"
    for fix in fault.fixes:
        found = submit_script(begun.fork(), fix)
        assert found.success, f"{problem.id}, seed {seed}: a listed repair is refused: {fix}: {found.reasons}"
    for name in list_destructive(problem):
        assert not try_shortcut(problem, name, seed).success, f"{problem.id}, seed {seed}: {name} is accepted"
