"""`aiops-gym serve`: an incident for a person, and the way out of it."""

from __future__ import annotations

import stat
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from knocking import NAMESPACE

from aiops_gym.errors import AiopsGymError, BackendError
from aiops_gym.serve import door, kubeconfig
from aiops_gym.serve.session import Session, serve_incident
from aiops_gym.sim.kernel.times import millis
from aiops_gym.sim.kernel.world import World

DETECTION = "revoke_auth_mongodb-detection-1"


@pytest.fixture
def running(tmp_path: Path) -> Iterator[Session]:
    with serve_incident(DETECTION, 7, tmp_path / "kubeconfig", speed=0) as made:
        yield made


def ask(running: Session, method: str, path: str, token: str = "", **options: object) -> httpx.Response:
    headers = {"authorization": f"Bearer {token or running.token}"}
    return httpx.request(method, running.control + path, headers=headers, timeout=600, **options)  # type: ignore[arg-type]


def test_the_cluster_lives_now(running: Session) -> None:
    now = running.door.call(lambda world: world.now)
    assert abs(now - time.time() * 1000) < 60_000
    events = httpx.get(f"{running.door.url}/api/v1/namespaces/{NAMESPACE}/events").json()["items"]
    ages = [now - millis(e["lastTimestamp"]) for e in events if e.get("lastTimestamp")]
    assert 0 <= min(ages) < 120_000


def test_the_control_address_needs_its_token(running: Session) -> None:
    for token in ("x", running.token[:-1], running.token + "x"):
        assert ask(running, "GET", "/status", token).status_code == 401
        assert ask(running, "POST", "/submit", token, json={"answer": "Yes"}).status_code == 401
    assert httpx.get(running.control + "/status").status_code == 401
    assert running.token not in Path(running.door).read_text()


def test_the_control_address_takes_its_token_as_a_bearers_and_by_its_own_name_only(running: Session) -> None:
    url, token = running.control + "/status", running.token
    given = [token, f"Basic {token}", f"Bearer{token}", f"Bearer {token} x", "Bearer", f"Bearer Bearer {token}", "\xff"]
    for value in given:
        answer = httpx.get(url, headers={"authorization": value.encode("latin-1")})  # type: ignore[dict-item]
        assert (answer.status_code, answer.headers["www-authenticate"]) == (401, "Bearer")
    right = {"authorization": f"bearer {token}"}
    assert httpx.get(url, headers=right).status_code == 200
    for name, value in (("host", "evil.example"), ("origin", "http://localhost:9999"), ("origin", running.door.url)):
        assert httpx.get(url, headers={**right, name: value}).status_code == 403


def test_a_part_of_the_cluster_that_raises_is_told_and_the_clock_goes_on(
    running: Session, caplog: pytest.LogCaptureFixture
) -> None:
    running.door.call(lambda world: world.schedule(1_000, "nobody.knows.this"))
    before = running.door.call(lambda world: world.now)
    told = ask(running, "POST", "/advance", json={"seconds": 10}).json()["trouble"]
    assert "KeyError" in told
    assert running.news.get(timeout=600) == told
    assert "nobody.knows.this" in caplog.text
    answer = httpx.get(f"{running.door.url}/api/v1/pods?limit=1")
    assert (answer.status_code, answer.headers["warning"]) == (200, f'299 - "{told}"')
    running.door.clock.speed = 20
    while running.door.call(lambda world: world.now) <= before + 12_000:  # for ever, where the clock has ended
        time.sleep(0.01)


@pytest.mark.parametrize("body", [b"{", b"[]", b'"x"', b"\xff"])
def test_what_is_no_submission_is_refused(running: Session, body: bytes) -> None:
    assert ask(running, "POST", "/submit", content=body).status_code == 400
    assert ask(running, "POST", "/advance", content=body).status_code == 400


def test_time_is_skipped_and_the_speed_changed_on_demand(running: Session) -> None:
    before = running.door.call(lambda world: world.now)
    answer = ask(running, "POST", "/advance", json={"seconds": 90}).json()
    assert running.door.call(lambda world: world.now) == before + 90_000
    assert answer["seconds"] >= 90
    assert ask(running, "POST", "/advance", json={"seconds": -1}).status_code == 400
    assert ask(running, "POST", "/speed", json={"speed": True}).status_code == 400
    assert ask(running, "POST", "/speed", json={"speed": 50}).json()["speed"] == 50
    while running.door.call(lambda world: world.now) <= before + 91_000:  # for ever, where the clock stands still
        time.sleep(0.01)


def test_the_clock_is_held_still_at_speed_zero(world: World) -> None:
    with door(world) as place:
        before = world.now
        time.sleep(0.2)
        assert world.now == before
        place.advance(12.5)
        assert world.now == before + 12_500


def test_a_kubeconfig_of_another_cluster_is_left_alone(tmp_path: Path, world: World) -> None:
    path = tmp_path / "config"
    path.write_text("clusters:\n- cluster:\n    server: https://10.0.0.1:6443\n")
    with pytest.raises(BackendError, match="left alone"), door(world, path=path):
        pass
    assert "10.0.0.1" in path.read_text()
    path.unlink()
    kubeconfig.write(path, "http://127.0.0.1:1")
    with door(world, path=path) as place:
        assert place.url in path.read_text()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert not path.exists()
    assert list(tmp_path.iterdir()) == []


def test_a_port_that_is_taken_is_said_so(world: World) -> None:
    with door(world) as place:
        port = int(place.url.rpartition(":")[2])
        with pytest.raises(BackendError, match="cannot listen"), door(world, port=port):
            pass


def test_a_problem_that_does_not_exist_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(AiopsGymError), serve_incident("nope-detection-1", 7, tmp_path / "kubeconfig"):
        pass
