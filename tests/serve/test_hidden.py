"""`aiops-gym serve` for a person: a problem that nobody names, lines that run as pasted, a verdict, a transcript."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import gymnasium as gym
import httpx
import pytest
from evaluations import until
from hypothesis import given
from hypothesis import strategies as st
from knocking import NAMESPACE, PROBLEM, Kubectl
from samples import some_rows

import aiops_gym
from aiops_gym.catalog.model import TASKS
from aiops_gym.errors import ArgumentError, ToolError
from aiops_gym.runs import Episode
from aiops_gym.runs.view import render_page
from aiops_gym.serve import answers, readable, transcript
from aiops_gym.serve.incident import choose_problem
from aiops_gym.serve.session import Session, serve_incident
from aiops_gym.tasks.base import find

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="no curl here, which the printed lines call")

WORLDS = ("hotel_reservation", "social_network")


@pytest.fixture
def repairing(tmp_path: Path) -> Iterator[Session]:
    with serve_incident(PROBLEM, 7, tmp_path / "kubeconfig", speed=50) as made:
        yield made


def pasted(text: str, which: int = 0) -> str:
    """One of the lines that submit, as it stands."""
    return re.findall(r"^ *(curl .*/submit .*)$", text, re.MULTILINE)[which]


def run(line: str) -> dict[str, object]:
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, check=True, timeout=60)
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("split", [None, "test"])
def test_what_is_drawn_is_what_an_environment_with_this_seed_poses(task, split):
    env = gym.make(f"aiops_gym/{task.capitalize()}-v0", split=split)
    _, info = env.reset(seed=5)
    problem, episode_seed = choose_problem(5, None, task, split)
    assert (problem.id, episode_seed) == (info["problem"], info["episode_seed"])


def test_an_application_narrows_what_is_drawn_and_healthy_ones_are_among_it():
    for world in WORLDS:
        drawn = [choose_problem(seed, task="detection", app=world)[0] for seed in range(40)]
        assert {problem.app for problem in drawn} == {world}
        assert {bool(problem.fault) for problem in drawn} == {True, False}


@pytest.mark.parametrize(
    "wrong",
    [
        {"task": "cooking"},
        {"app": "shop"},
        {"split": "all"},
        {"problem": PROBLEM, "split": "test"},
        {"problem": PROBLEM, "app": WORLDS[1]},
        {"problem": PROBLEM, "task": "detection"},
    ],
)
def test_what_there_is_not_and_what_does_not_fit_is_refused(wrong):
    with pytest.raises(ArgumentError):
        choose_problem(1, **wrong)


@pytest.mark.parametrize("name", TASKS)
def test_each_printed_body_is_an_answer_or_says_that_it_stands_for_one(name):
    task = find(name)
    for body, meaning in answers.list_examples(task):
        raw = subprocess.run(["bash", "-c", f"printf %s {body}"], capture_output=True, check=True).stdout
        if "placeholder" in meaning:
            with pytest.raises(ToolError, match="stands for a name"):
                answers.read(task, raw)
        else:
            task.accept(answers.read(task, raw))


@pytest.mark.parametrize("name", TASKS)
@given(raw=st.binary(max_size=30) | st.sampled_from([b"{}", b"[]", b'"Yes"', b'{"answer": 1}', b'{"anser": "Yes"}']))
def test_a_text_is_an_answer_or_refused_with_one_that_is_right(name, raw):
    task = find(name)
    try:
        answer = answers.read(task, raw)
    except ToolError as error:
        assert next(answers.list_examples(task))[0] in str(error)
    else:
        assert task.accept(answer) == answer


@pytest.mark.parametrize("name", ["detection", "localization", "analysis"])
@pytest.mark.parametrize("raw", [b"", b"{}", b'{"anwser": ["geo"]}'])
def test_silence_and_a_slip_are_no_answer_where_an_answer_is_asked_for(name, raw):
    with pytest.raises(ToolError):
        answers.read(find(name), raw)


@pytest.mark.parametrize("task", TASKS)
def test_the_task_is_told_and_nothing_tells_the_problem(tmp_path, task):
    with serve_incident(None, 11, tmp_path / "kubeconfig", task=task, speed=0) as made:
        problem, text = made.incident.problem, made.instructions
        assert made.incident.task.ask.split()[0] in text
        assert made.incident.backend.app.namespace in Path(made.door).read_text()
        status = httpx.get(f"{made.control}/status", headers={"authorization": f"Bearer {made.token}"}).text
        door = [httpx.get(made.door.url + path).text for path in ("/version", "/api", "/apis", "/nothing")]
        for shown in (text, Path(made.door).read_text(), status, *door):
            assert problem.id not in shown
            assert not problem.fault or problem.fault not in shown
        if task == "localization":
            assert all(name in text for name in made.incident.backend.app.components)


def test_a_person_looks_is_refused_repairs_and_submits_a_line_as_it_stands(repairing, kubectl, tmp_path):
    line = pasted(repairing.instructions)
    assert "geo-" in kubectl(repairing.door, "get", "pods").out
    told = run(line.replace('{"answer": null}', '{"answer": "done"}'))
    assert "-d '{\"answer\": null}'" in str(told["error"])
    assert "token" in str(run(line.replace(repairing.token, "x" * 32))["error"])
    assert run(line.partition(" -d ")[0])["error"]
    for fix in repairing.incident.backend.fault.fixes[0].splitlines():
        assert subprocess.run(
            ["bash", "-c", fix], env={**os.environ, "KUBECONFIG": str(repairing.door)}, capture_output=True, check=False
        ).returncode in (0,), fix
    verdict = run(line)
    assert (verdict["success"], verdict["reward"], verdict["problem"]) == (True, 1.0, PROBLEM)
    again = run(line)
    assert "submitted already: solved, reward 1.00" in str(again["error"])
    news = [repairing.news.get_nowait() for _ in range(3)]
    assert ["Invalid" in news[0], "solved, reward 1.00" in news[1], PROBLEM in news[1], "already" in news[2]] == [
        True
    ] * 4
    the_transcript_is_whole(repairing, tmp_path / "episode.json")


def the_transcript_is_whole(running: Session, path: Path) -> None:
    episode = Episode.load(running.transcript.save(path))
    turns = [(turn["tool"], turn["action"].splitlines()[0], turn["error"]) for turn in episode.steps]
    assert ("kubectl get", f"GET /api/v1/namespaces/{NAMESPACE}/pods?limit=500", "") in turns
    assert any(tool == "kubectl exec" and " -- mongo admin" in action for tool, action, _ in turns)
    assert [turn for turn in turns if turn[0] == "submit"] == [
        ("submit", '{"answer": "done"}', "submission"),
        ("submit", "```", ""),
    ]
    table = next(turn["observation"] for turn in episode.steps if turn["tool"] == "kubectl get")
    assert re.search(r"^NAME +READY +STATUS +RESTARTS +AGE$", table, re.MULTILINE)
    times = [turn["time"] for turn in episode.steps]
    assert times == sorted(times)
    assert (episode.success, episode.reward, episode.terminated, episode.problem_id) == (True, 1.0, True, PROBLEM)
    assert episode.results["steps"] == len(episode.steps)
    assert episode.results["TTM"] == pytest.approx(episode.end_time - episode.start_time, abs=0.01)
    assert episode.health["users"]["ok"] < 1
    assert [turn["health"] for turn in episode.steps if "health" in turn][-1]["users"]["ok"] == 1
    assert "solved" in render_page(episode)
    env = gym.make(episode.env, **episode.env_kwargs)
    _, info = env.reset(seed=episode.seed, options={"problem": episode.problem_id})
    assert info["episode_seed"] == episode.episode_seed


@pytest.mark.full
def test_requests_that_were_refused_and_watches_are_kept_as_they_were_answered(repairing, kubectl):
    kubectl(repairing.door, "get", "deploy", "nope")
    kubectl(repairing.door, "exec", "deploy/frontend", "--", "false")
    kubectl(repairing.door, "create", "configmap", "note", "--from-literal=a=b")
    kubectl(repairing.door, "wait", "--for=delete", "configmap/note", "--timeout=5s")
    httpx.get(f"{repairing.door.url}/jaeger/api/operations")
    steps = repairing.transcript.episode.steps
    until(lambda: any("watch=true" in turn["action"] for turn in steps), "no watch")
    seen = [(turn["action"], turn["observation"]) for turn in repairing.transcript.episode.steps]
    assert 'NotFound (404): deployments.apps "nope" not found' in [told for _, told in seen]
    assert any(action.endswith(" -- false") and "exit status 1" in told for action, told in seen)
    assert any(action.startswith("POST ") and '"a": "b"' in action for action, _ in seen)
    assert any("watch=true" in action for action, _ in seen)
    assert any(action == "GET /jaeger/api/operations" and "'service' is required" in told for action, told in seen)


def test_nothing_that_a_client_sends_breaks_the_record_or_looks_like_a_submission(repairing):
    maps = f"{repairing.door.url}/api/v1/namespaces/{NAMESPACE}/configmaps"
    odd = [
        b"",
        b"{1: 2}",
        b"? [a]\n: b",
        b"- 99999999999999999999999999",
        b"\xff\xfe",
        b'"\\ud800"',
        b"k8s\0\xff",
        b"[[[[",
    ]
    kinds = [
        "application/yaml",
        "application/json",
        "application/vnd.kubernetes.protobuf",
        "application/apply-patch+yaml",
    ]
    sent = [(method, kind, body) for method in ("POST", "PATCH") for kind in kinds for body in odd]
    with httpx.Client(headers={"user-agent": "submit/1", "kubectl-command": "submit"}) as client:
        for method, kind, body in sent:
            path = maps if method == "POST" else f"{maps}/a"
            answer = client.request(method, path, content=body, headers={"content-type": kind})
            assert 400 <= answer.status_code < 500
    kept = repairing.transcript.episode
    until(lambda: len(kept.steps) >= len(sent), "not all requests are kept")  # one is, a moment after its answer
    turns = kept.steps
    assert len(turns) == len(sent)
    assert {turn["tool"] for turn in turns} == {"client submit"}
    assert "solved" not in render_page(kept).partition("</h1>")[0].replace("not solved", "")


@pytest.mark.parametrize("body", [b"[1]", b'"a"', b"{", b'{"type": 1}\n{"object": 2}', b"[]\n[]", b"", b"\xff"])
def test_an_answer_that_is_of_another_shape_is_shown_as_it_is(body):
    assert readable.format_answer(body, "application/json").split() == body.decode("utf-8", "replace").split()


def test_a_client_that_never_stops_asking_fills_no_memory(repairing, monkeypatch, tmp_path):
    monkeypatch.setattr(transcript, "MOST", 3)
    with httpx.Client() as client:
        for _ in range(5):
            client.get(f"{repairing.door.url}/api/v1/namespaces/{NAMESPACE}/configmaps")
    run(pasted(repairing.instructions))
    episode = Episode.load(repairing.transcript.save(tmp_path / "e.json"))
    assert [turn["tool"] for turn in episode.steps] == ["client python-httpx"] * 3 + ["submit"]
    assert episode.agent_report == {"requests_left_out": 2}
    assert episode.results["steps"] == 6


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., tuple[subprocess.Popen[str], list[str]]]]:
    running: list[subprocess.Popen[str]] = []

    def start(*words: str) -> tuple[subprocess.Popen[str], list[str]]:
        process = subprocess.Popen(
            [sys.executable, "-m", "aiops_gym", "serve", "--kubeconfig", str(tmp_path / "sim.kubeconfig"), *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(aiops_gym.__file__).parents[1])},
        )
        running.append(process)
        assert process.stdout is not None
        lines = []
        while not lines or not lines[-1].startswith("Ctrl-C"):
            lines.append(process.stdout.readline())
            assert lines[-1], process.stderr.read() if process.stderr else ""
        return process, lines

    yield start
    for process in running:
        process.kill()
        process.communicate()


HEALTHY = "noop_detection_hotel_reservation-1"


@pytest.mark.parametrize(("end", "problem"), some_rows([(signal.SIGINT, None), (signal.SIGTERM, HEALTHY)], 2))
def test_the_command_shows_the_verdict_and_keeps_the_transcript(started, kubectl: Kubectl, tmp_path, end, problem):
    words = ["--problem", problem] if problem else ["--task", "detection"]
    process, lines = started(*words, "--seed", "3", "--save", str(tmp_path / "kept" / "e.json"))
    posed_one = choose_problem(3, problem, "detection")[0]
    assert posed_one.id not in "".join(lines)
    assert ("says what is wrong" in lines[0]) is bool(problem)
    assert problem or posed_one.id not in Path(f"/proc/{process.pid}/cmdline").read_text()
    assert "Running" in kubectl(tmp_path / "sim.kubeconfig", "get", "pods").out
    expected = run(pasted("".join(lines)))["results"]["expected"]  # type: ignore[index]
    assert expected == json.dumps("Yes" if posed_one.fault else "No")
    process.send_signal(end)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    assert "reward" in out
    assert posed_one.id in out
    assert not (tmp_path / "sim.kubeconfig").exists()
    assert Episode.load(tmp_path / "kept" / "e.json").terminated


def test_who_leaves_without_an_answer_has_a_transcript_and_no_answer(started, tmp_path):
    process, lines = started("--save", str(tmp_path / "e.json"))
    process.send_signal(signal.SIGINT)  # by somebody impatient
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (0, "")
    seed = int(re.search(r"without an answer; --seed (\d+)", out)[1])
    episode = Episode.load(tmp_path / "e.json")
    assert episode.problem_id == choose_problem(seed)[0].id
    assert episode.problem_id not in "".join(lines) + out
    assert (episode.terminated, episode.results["submitted"], episode.results["steps"]) == (False, "", 0)
