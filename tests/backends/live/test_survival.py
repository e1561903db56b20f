"""Whole episodes amid disturbances, no connection to anywhere else, and what is left when something breaks."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from disturbing import Proxy
from served import serve
from test_episodes import make_real, play, shell

from aiops_gym.backends.kubernetes import deploy
from aiops_gym.backends.kubernetes.live import Live
from aiops_gym.errors import BackendError

PROBLEM = "wrong_bin_usage-mitigation-1"
ADDRESSES: list[Any] = []
WATCHED: list[bool] = []


def _listen(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and WATCHED:
        ADDRESSES.append(arguments[1])


sys.addaudithook(_listen)


@pytest.mark.full
def test_an_episode_amid_disturbances_ends_as_without_them() -> None:
    proxy = Proxy()
    with serve("hotel_reservation", proxy) as served:
        env = make_real(PROBLEM, served)
        for code, reason in ((409, "Conflict"), (429, "TooManyRequests"), (503, "ServiceUnavailable")):
            proxy.play(lambda method, path: method == "PATCH" and "fieldManager" in path, 2, code, reason)
        proxy.play(lambda method, path: "continue=" in path, 1, 410, "Expired")
        WATCHED.append(True)
        env.reset(seed=4)
        backend = env.unwrapped._backend
        actions = env.unwrapped.reference_actions()
        play(env, actions[:1])
        proxy.gone_until = backend.clock.now() + 30
        play(env, actions[1:2])
        backend.clock.wait(3_700)  # the agent's token ends
        assert play(env, actions[2:])[:2] == (1.0, True)
        env.close()
        WATCHED.clear()
        reached = {tuple(each[:2]) for each in ADDRESSES}
        known = {served.door.url, served.cluster["clock"]}
        assert {f"http://{host}:{port}" for host, port in reached} == known
        assert served.door.call(lambda world: world.store.get("namespaces", "", "test-hotel-reservation")) is None


@pytest.mark.full
def test_a_server_that_goes_amid_a_step_is_nobodys_mistake_and_leaves_nothing_at_the_next_start() -> None:
    proxy = Proxy()
    with serve("hotel_reservation", proxy) as served:
        env = make_real(PROBLEM, served, patience=20.0)
        env.reset(seed=4)
        proxy.gone_until = env.unwrapped._backend.clock.now() + 100_000
        text, reward, _, _, info = env.step(shell("kubectl get pods"))
        assert (reward, info["infra_error"], info["valid_action"]) == (0.0, True, False), text
        with pytest.raises(BackendError, match="the API server"):
            env.close()
        proxy.gone_until = 0.0
        again = make_real(PROBLEM, served)
        again.reset(seed=4)
        assert "namespace test-hotel-reservation" in again.unwrapped._backend.cleaned
        again.close()


@pytest.mark.full
def test_whatever_breaks_a_start_takes_out_what_it_had_put_in(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Live) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Live, "_await_symptom", broken)
    with serve("hotel_reservation") as served:
        env = make_real(PROBLEM, served)
        with pytest.raises(KeyboardInterrupt):
            env.reset(seed=4)
        left = served.door.call(lambda world: world.store.labelled("namespaces", "", {deploy.LABEL: deploy.OURS}))
        assert not left


@pytest.mark.full
def test_a_fault_that_does_nothing_is_not_posed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aiops_gym.backends.kubernetes.inject.inject", lambda *_: None)
    with serve("hotel_reservation") as served:
        env = make_real(PROBLEM, served)
        with pytest.raises(BackendError, match="shows no symptom"):
            env.reset(seed=4)
