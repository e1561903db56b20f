"""The judge of reasoning, with a server of a few lines in its place."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from aiops_gym.errors import AiopsGymError
from aiops_gym.runs import Episode, Judge, evaluate
from aiops_gym.runs.judge import NO_SCORE

PROBLEM = "container_kill-detection"


@contextmanager
def server(answer, code=200):
    """A server that says the same to everybody: its address, and what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            asked.append((self.path, self.headers.get("Authorization"), json.loads(body)))
            self.send_response(code)
            self.end_headers()
            self.wfile.write(answer.encode())

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/v1", asked
        finally:
            http.shutdown()
            thread.join()


def said(text):
    return json.dumps({"choices": [{"message": {"content": text}}]})


def test_a_judge_sees_the_dialogue_and_its_number_is_kept(monkeypatch):
    monkeypatch.setenv("AIOPS_GYM_JUDGE_KEY", "secret")
    trace = [{"role": "assistant", "content": "look {braces}"}, {"role": "env", "content": "nothing"}]
    with server(said("Sound. [[7.5]]")) as (url, asked):
        judge = Judge(model="m", url=url)
        results = [judge.results(trace), judge.results([])]
    assert results[0] == {"reasoning_score": 7.5, "reasoning_judgement": "Sound. [[7.5]]"}
    path, key, body = asked[0]
    assert (path, key, body["model"], body["temperature"]) == ("/v1/chat/completions", "Bearer secret", "m", 0)
    assert "look {braces}" in body["messages"][1]["content"]
    assert "look {braces}" not in asked[1][2]["messages"][1]["content"]


@pytest.mark.parametrize(
    ("answer", "code"),
    [("no JSON", 200), ("{}", 200), ('{"choices": []}', 200), ("[]", 200), (said("x [[9]]"), 500)],
)
def test_a_judge_that_fails_says_so_and_scores_nothing(answer, code):
    with server(answer, code) as (url, _):
        results = Judge(model="m", url=url).results([])
    assert results["reasoning_score"] == NO_SCORE
    assert results["reasoning_judgement"].startswith("No judgement: ")


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/v1", "no address", "http://[half"])
def test_a_judge_that_is_not_there_scores_nothing(url):
    assert Judge(model="m", url=url, timeout=2).results([])["reasoning_score"] == NO_SCORE


def test_a_judge_never_changes_a_reward(tmp_path):
    with server(said("Poor. [[1]]")) as (url, _):
        judged = Judge(model="m", url=url)
        summary = evaluate("restart", out=tmp_path / "a", problems=[PROBLEM], workers=0, signals=False, judge=judged)
    (row,) = summary.find("all")
    assert (row.reward, row.reasoning) == (1.0, 1.0)
    (path,) = (tmp_path / "a" / "episodes").iterdir()
    assert Episode.load(path).results["reasoning_score"] == 1.0
    lost = Judge(model="m", url="http://127.0.0.1:9/v1", timeout=2)
    (row,) = evaluate("restart", out=tmp_path / "b", problems=[PROBLEM], workers=0, signals=False, judge=lost).find(
        "all"
    )
    assert (row.reward, row.reasoning, row.infra_errors) == (1.0, 0.0, 0)


@pytest.mark.parametrize("text", ["[[11]]", "[[0]]", "[[100]] in a hundred", "", "see [12]"])
def test_a_grade_that_is_none_is_no_number(text):
    with server(said(text)) as (url, _):
        results = Judge(model="m", url=url).results([])
    assert results == {"reasoning_score": NO_SCORE, "reasoning_judgement": text}


def test_a_judge_may_come_later_and_one_that_failed_is_asked_again(tmp_path):
    def played(judge=None):
        (row,) = evaluate(
            "restart", out=tmp_path, problems=[PROBLEM], seeds=2, workers=0, signals=False, judge=judge
        ).find("all")
        return row

    played()
    paths = sorted((tmp_path / "episodes").iterdir())
    traces = [Episode.load(path).trace for path in paths]
    assert played(Judge(model="m", url="http://127.0.0.1:9/v1", timeout=2)).reasoning == 0.0
    with server(said("Fair. [[5]]")) as (url, asked):
        judge = Judge(model="m", url=url)
        assert played(judge).reasoning == 5.0
        assert played(judge).reasoning == 5.0
    assert len(asked) == 2
    assert [Episode.load(path).trace for path in paths] == traces
    with pytest.raises(AiopsGymError, match="judge: 'm' before, 'other' now"):
        played(Judge(model="other"))


@pytest.mark.parametrize(("key", "sent"), [("secret\n", "Bearer secret"), ("", None)])
def test_a_key_from_a_file_may_end_in_a_line_end(monkeypatch, key, sent):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("AIOPS_GYM_JUDGE_KEY", key)
    with server(said("[[5]]")) as (url, asked):
        assert Judge(model="m", url=url).results([])["reasoning_score"] == 5
    assert asked[0][1] == sent


def test_a_key_that_is_none_is_refused_before_anything_is_played_and_not_shown(monkeypatch):
    monkeypatch.setenv("AIOPS_GYM_JUDGE_KEY", "sec\nret")
    with pytest.raises(AiopsGymError, match="the key for the judge holds") as refusal:
        Judge(model="m")
    assert "sec" not in str(refusal.value)
