"""Sessions in actors: the same answers behind the same address, and a death takes its own along only."""

import pytest
import ray

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import RayCluster
from aiops_gym.serve import ray_desk
from aiops_gym.serve.service import serve_sessions
from aiops_gym.sessions import Sessions
from aiops_gym.sessions.client import RemoteSessions
from aiops_gym.sessions.session import ENDED

pytestmark = pytest.mark.ray

LOOK = '```\nexec_shell("kubectl get pods -A")\n```'


def test_a_cluster_holds_sessions_with_the_bytes_of_one_process(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    here = Sessions().create(task="detection", seed=3)
    with serve_sessions(processes=2, limit=8, cluster=RayCluster()) as service:
        trainer = RemoteSessions(service.url, service.token)
        first, second = trainer.create(task="detection", seed=3), trainer.create(task="detection", seed=3)
        group = [first, second, *second.fork(2)]
        told = here.agent.act(LOOK)
        assert [each.agent.act(LOOK) for each in group] == [told] * 4
        assert [desk.open for desk in service.desks] == [1, 3]
        ray.kill(service.desks[0].holder._actor)
        assert first.agent.act(LOOK).text == ENDED
        assert first.score().masked
        here.agent.call("submit", has_anomaly="No")
        assert second.agent.call("submit", has_anomaly="No").over
        assert second.close().reward == here.score().reward
        assert not trainer.create(task="detection", seed=3).score().masked
    assert not ray.is_initialized()


def test_a_cluster_without_room_is_refused(monkeypatch):
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setattr(ray_desk, "PATIENCE", 1.0)
    ray.init("local", num_cpus=1, log_to_driver=False, logging_level="ERROR", include_dashboard=False)
    try:
        serving = serve_sessions(processes=2, cluster=RayCluster())
        with pytest.raises(AiopsGymError, match="no machine that can hold sessions"), serving:
            pass
    finally:
        ray.shutdown()
