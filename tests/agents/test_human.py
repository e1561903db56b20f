"""A person at the prompt: what lines mean, how an answer is asked for, and what is never shown too early."""

from __future__ import annotations

import pytest
from toy_world import ToyEnv

from aiops_gym.agents.human import LEFT, Human, make, parse_action
from aiops_gym.runs import run_episode
from aiops_gym.tools import parse

PROBLEMS = {
    "detection": "k8s_target_port-misconfig-detection-1",
    "localization": "k8s_target_port-misconfig-localization-1",
    "analysis": "k8s_target_port-misconfig-analysis-1",
    "mitigation": "k8s_target_port-misconfig-mitigation-1",
}


@pytest.fixture
def typed(monkeypatch, capsys):
    """Play an episode with these lines: the episode, and what was shown."""

    def play(task, *lines, width=0):
        given = iter(lines)

        def reply(ask):
            try:
                return next(given)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr("builtins.input", reply)
        env = ToyEnv(task, PROBLEMS[task])
        episode = run_episode(env, Human(env, width), 1)
        return episode, capsys.readouterr().out

    return play


def calls(episode):
    return [parse(step["action"]) for step in episode.steps]


def test_lines_are_commands_or_calls_with_or_without_a_fence(typed):
    lines = ["", "echo a | grep b", "get_logs('a', 'b')", "get_logs ('a', 'b')", "```", "submit('Yes')", "```"]
    episode, _ = typed("detection", *lines)
    assert [(call.name, call.args) for call in calls(episode)] == [
        ("exec_shell", ("echo a | grep b",)),
        ("get_logs", ("a", "b")),
        ("get_logs", ("a", "b")),
        ("submit", ("Yes",)),
    ]
    assert episode.reward == 1.0


def test_a_line_that_is_nearly_a_call_is_no_step_and_no_command(typed):
    episode, shown = typed("detection", "get_log('a', 'b')", "get_logs", "python3 -c 'print(1)'", "exit")
    assert "no API 'get_log': did you mean get_logs?" in shown
    assert "get_logs is an API, and is called so: get_logs(namespace: str, service: str)" in shown
    assert [call.args for call in calls(episode)] == [("python3 -c 'print(1)'",)]


def test_where_there_is_no_shell_a_line_is_answered_with_what_there_is():
    assert parse_action("ls", ("get_logs", "submit")) is None


ANSWERS = [
    ("detection", ["submit", "yes"], ("Yes",)),
    ("detection", ["submit n"], ("No",)),
    ("localization", ["submit", "user-service, Text-Service"], (["user-service", "text-service"],)),
    ("localization", ["submit nothing"], ([],)),
    ("analysis", ["submit", "3", "misconf"], ({"system_level": "Virtualization", "fault_type": "Misconfiguration"},)),
    ("analysis", ["submit", "nothing"], ()),
    ("mitigation", ["submit", "y"], ()),
]


@pytest.mark.parametrize(("task", "lines", "answer"), ANSWERS)
def test_an_answer_is_asked_for_in_the_words_of_the_task(typed, task, lines, answer):
    episode, _ = typed(task, *lines)
    (call,) = calls(episode)
    assert (call.name, call.args) == ("submit", answer)
    assert episode.terminated


@pytest.mark.parametrize(
    ("task", "lines", "says"),
    [
        ("detection", ["submit", "maybe"], "'maybe' is no answer: there are: No, Yes"),
        ("detection", ["submit", ""], "Nothing was submitted"),
        ("localization", ["submit", "usr-service"], "'usr-service' is no answer: did you mean user-service"),
        ("analysis", ["submit", "7"], "'7' is no answer"),
        ("analysis", ["submit", "4", "Misconfigured"], "did you mean Misconfiguration?"),
        ("mitigation", ["submit", "no"], "Nothing was submitted"),
    ],
)
def test_what_is_no_answer_is_not_submitted_and_the_episode_goes_on(typed, task, lines, says):
    episode, shown = typed(task, *lines, "echo on")
    assert says in shown
    assert "the episode goes on" in shown
    assert [call.args for call in calls(episode)] == [("echo on",)]
    assert episode.agent_error == LEFT


def test_choices_are_listed_where_they_are_few(typed):
    _, shown = typed("analysis", "submit")
    assert "At which layer did the fault occur?\n  1  Hardware\n  2  Operating System" in shown
    assert "  1  Yes" not in typed("detection", "submit")[1]


def test_help_says_what_can_be_typed(typed):
    episode, shown = typed("detection", "help", "help get_logs", "help get_log", "help task", "exit")
    assert all(word in shown for word in ("other lines", "exit", "submit", "read_metrics(file_path: str"))
    assert shown.count("Your job is to") == 2
    assert "no API 'get_log': did you mean get_logs?" in shown
    assert "Args:" in shown
    assert episode.steps == []


@pytest.mark.parametrize("last", [["exit"], ["quit"], [], ["submit", "exit"], ["submit"], ["```"]])
def test_whoever_leaves_keeps_what_was_done(typed, last):
    episode, _ = typed("detection", "echo hi", *last)
    assert (episode.agent_error, len(episode.steps), episode.terminated) == (LEFT, 1, False)


def test_words_are_not_broken_and_what_tools_print_is_as_it_is(typed):
    long = "x " * 60 + "end"
    _, shown = typed("localization", f"echo {long}", "help task", "exit", width=30)
    prose, _, rest = shown.partition(f"echo {long}\n")
    assert max(map(len, prose.splitlines())) <= 30
    assert f"\n{long}\n" in f"\n{rest}"
    flat = " ".join(prose.split())
    assert "Naming more components than are faulty lowers the score." in flat


@pytest.mark.parametrize("task", list(PROBLEMS))
def test_the_task_comes_first_and_its_id_never(typed, task):
    _, shown = typed(task, "help", "help task", "submit", "exit")
    assert shown.startswith("You are an experienced site reliability engineer.")
    assert "k8s_target_port" not in shown
    assert "fenced block" not in shown


def test_it_is_an_agent_by_name():
    assert isinstance(make(ToyEnv()), Human)
