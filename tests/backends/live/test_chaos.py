"""Effects through objects of Chaos Mesh: made, seen, and taken away again."""

from __future__ import annotations

import pytest
from chaos_mesh import ChaosMesh
from served import serve
from test_episodes import make_real, play

from aiops_gym.backends.kubernetes.chaos import make_object
from aiops_gym.catalog import registry
from aiops_gym.catalog.model import Effect
from aiops_gym.errors import BackendError

PROBLEMS = (
    "container_kill-localization",
    "network_loss_hotel_res-detection-1",
    "network_delay_hotel_res-localization-1",
    "pod_failure_hotel_res-detection-1",
    "pod_kill_hotel_res-localization-1",
)


@pytest.mark.full
@pytest.mark.parametrize("problem", PROBLEMS)
def test_an_effect_is_seen_and_ends_with_its_episode(problem: str) -> None:
    mesh = ChaosMesh()
    with serve("hotel_reservation", mesh) as served:
        env = make_real(problem, served)
        env.reset(seed=2)
        assert len(mesh.objects) == 1
        assert play(env, env.unwrapped.reference_actions())[:2] == (1.0, True)
        env.close()
        assert not mesh.objects
        assert not served.door.call(lambda world: dict(world.table("effects")))


def test_an_object_says_whom_it_is_about_and_bears_our_label() -> None:
    app = registry.find_app("hotel_reservation")
    made = make_object(app, Effect(kind="network_delay", component="geo", params={"ms": 400, "jitter": 0}))
    assert made == {
        "apiVersion": "chaos-mesh.org/v1alpha1",
        "kind": "NetworkChaos",
        "metadata": {
            "name": "network-delay-geo",
            "namespace": "chaos-mesh",
            "labels": {"app.kubernetes.io/part-of": "aiops-gym"},
        },
        "spec": {
            "action": "delay",
            "mode": "one",
            "selector": {"namespaces": [app.namespace], "labelSelectors": {app.selector: "geo"}},
            "delay": {"latency": "400ms", "jitter": "0ms", "correlation": "0"},
        },
    }
    worn = Effect(kind="system_call", component="mongodb-geo", params={"call": "write", "errno": 5, "path": "/data/db"})
    assert make_object(app, worn)["kind"] == "IOChaos"
    assert make_object(app, worn)["spec"].items() >= {"action": "fault", "errno": 5, "volumePath": "/data/db"}.items()
    full = make_object(app, Effect(kind="system_call", component="user", params={"call": "mount", "errno": 12}))
    assert full["kind"] == "KernelChaos"
    assert full["spec"]["failKernRequest"] == {"failtype": 0, "callchain": [{"funcname": "__x64_sys_mount"}]}
    with pytest.raises(BackendError, match="cannot express the effect 'tide'"):
        make_object(app, Effect(kind="tide", component="geo"))
