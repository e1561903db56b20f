"""The classes, registries, templates and the parser that programs for AIOpsLab import, as it has them."""

from __future__ import annotations

import inspect
import pickle
import string

import pytest

import aiops_gym
from aiops_gym.adapters import aiopslab
from aiops_gym.adapters.aiopslab import (
    DOCS,
    DOCS_SHELL_ONLY,
    OPENRCA_INSTRUCTIONS,
    OPENRCA_PROMPT,
    TASK_EVAL_FIELDS,
    BankActions,
    BankRCAProblem,
    DetectionActions,
    InvalidActionError,
    MarketActions,
    MarketRCAProblem,
    OpenRCAProblemRegistry,
    ProblemRegistry,
    ResponseParser,
    ResponseParsingError,
    SubmissionStatus,
    TaskActions,
    TelecomActions,
    TelecomRCAProblem,
    action,
    get_actions,
    read,
    stringify_apis,
    write,
)
from aiops_gym.errors import ArgumentError
from aiops_gym.openrca import BankDataset

TASKS = ("detection", "localization", "analysis", "mitigation")
SEVEN = ["exec_shell", "get_logs", "get_metrics", "get_traces", "read_metrics", "read_traces", "submit"]
READS = [name for name in SEVEN if name.startswith(("get", "read"))]


def methods(actions):
    """Those that an agent may call."""
    return [name for name in dir(actions) if getattr(getattr(actions, name), "is_action", False)]


@pytest.mark.parametrize("task", TASKS)
def test_the_actions_of_a_task_are_methods_whose_docstrings_are_what_agents_are_told(task):
    actions = getattr(aiopslab, f"{task.capitalize()}Actions")
    assert methods(actions) == SEVEN
    assert [name for name in SEVEN if getattr(getattr(actions, name), "action_type", "") == "read"] == READS
    assert {name: getattr(actions, name).__doc__ for name in SEVEN} == get_actions(task)
    assert issubclass(actions, TaskActions)


@pytest.mark.parametrize(
    ("actions", "domain"), [(BankActions, "bank"), (MarketActions, "market"), (TelecomActions, "telecom")]
)
def test_the_actions_of_a_domain_are_its_own(actions, domain):
    told = get_actions(f"openrca_{domain}")
    assert methods(actions) == sorted(told)
    assert {name: getattr(actions, name).__doc__ for name in told} == told
    assert not issubclass(actions, TaskActions)
    assert hasattr(actions, "get_logs") == (domain != "telecom")


@pytest.mark.parametrize("make", [lambda: ProblemRegistry().get_problem_instance(SICK), lambda: BankRCAProblem(0)])
def test_actions_have_no_other_names_for_who_is_given_them(make):
    actions = make().actions
    assert [name for name in dir(actions) if not name.startswith("_") and name != "domain"] == methods(actions)
    assert list(vars(actions)) == ["_perform"]
    assert not hasattr(actions._perform, "__self__")


SICK = "container_kill-detection"


def test_the_parameters_are_those_of_the_original():
    assert list(inspect.signature(DetectionActions.exec_shell).parameters) == ["self", "command", "timeout"]
    given = {name: list(inspect.signature(getattr(aiopslab, f"{name}Actions").submit).parameters)[1:] for name in NAMES}
    assert given == NAMES


NAMES = {
    "Detection": ["has_anomaly"],
    "Localization": ["faulty_components"],
    "Analysis": ["analysis"],
    "Mitigation": [],
    "Bank": ["component", "reason", "timestamp", "path"],
}


def test_methods_of_ones_own_are_marked():
    class Mine:
        @read
        def look(self): ...

        @write
        def change(self): ...

        @action
        def act(self): ...

    assert methods(Mine) == ["act", "change", "look"]
    assert (Mine.look.action_type, Mine.change.action_type, hasattr(Mine.act, "action_type")) == (
        "read",
        "write",
        False,
    )


def test_the_registry_lists_the_originals_ids_by_task():
    registry = ProblemRegistry()
    ids = registry.get_problem_ids()
    assert (
        ids == list(registry.PROBLEM_REGISTRY) == [each.id for each in aiops_gym.problems() if each.registered_upstream]
    )
    assert registry.get_problem_count() == len(ids) == sum(map(registry.get_problem_count, TASKS))
    for task in TASKS:
        assert registry.get_problem_ids(task) == [each for each in ids if task in each]
        problem = registry.get_problem_instance(registry.get_problem_ids(task)[0])
        assert type(problem) is getattr(aiopslab, f"{task.capitalize()}Task")
        assert type(problem.actions) is getattr(aiopslab, f"{task.capitalize()}Actions")
    assert problem.env.evaluation == "aiopslab"
    assert ProblemRegistry(evaluation="strict").get_problem_instance(ids[0]).env.evaluation == "strict"
    assert registry.get_problem_deployment(ids[0]) == "k8s"
    assert registry.get_problem("no such") is None
    with pytest.raises(ValueError, match=r"^Problem ID no such not found in registry\.$"):
        registry.get_problem_instance("no such")


def test_the_registry_makes_computed_problems_too():
    computed = aiops_gym.problems("detection", split="test")[0].id
    assert computed not in ProblemRegistry()
    assert ProblemRegistry().get_problem(computed)().problem_id == computed


def test_the_questions_of_a_file_are_a_registry():
    registry = OpenRCAProblemRegistry.from_query_csv("Bank")
    assert list(registry) == [each.id for each in aiops_gym.openrca.problems_from_query_csv("Bank")]
    first = next(iter(registry))
    assert type(registry[first]()) is type(registry.get_problem_instance(first)) is BankRCAProblem
    assert sum(map(registry.get_problem_count, TASK_EVAL_FIELDS)) == len(registry) == registry.get_problem_count()
    with pytest.raises(ValueError, match="Bank-task_8-0 not found"):
        registry.get_problem_instance("Bank-task_8-0")


def test_a_question_is_posed_with_the_candidates_and_judged_by_its_criteria():
    problem = BankRCAProblem(row_id=0)
    told = problem.get_task_description()
    assert problem.instruction in told
    assert all(name in told for name in (*problem.CANDIDATE_COMPONENTS, *problem.CANDIDATE_REASONS))
    assert problem.scoring_points not in told
    (action_text,) = problem.env.reference_actions()[1:]
    answer = ResponseParser().parse(action_text)["args"][0]
    history = [{"role": "assistant", "content": "a"}, {"role": "env", "content": "b"}]
    right, wrong = problem.eval(answer, history, 3.5), problem.eval("no answer", [], 0.0)
    assert (right["score"], right["steps"], right["TTR"], wrong["score"]) == (1.0, 1, 3.5, 0.0)
    assert {"score", "component_match", "reason_match", "time_match", "task_index"} <= {*right} & {*wrong}
    assert problem.results is wrong
    assert BankDataset().get_queries().iloc[0]["instruction"] == problem.instruction
    with pytest.raises(ArgumentError, match="no row 100000: Bank has the rows 0 to"):
        BankRCAProblem(100_000)


def test_a_cluster_of_the_market_has_its_own_questions(tmp_path):
    asked = "On March 20, 2022, between 09:00 and 09:30, there was one failure. Find its component."
    for number, cloudbed in enumerate(("cloudbed-1", "cloudbed-2")):
        (tmp_path / "Market" / cloudbed).mkdir(parents=True)
        text = f'task_index,instruction,scoring_points\ntask_3,"{asked}",{POINT.format(number)}\n'
        (tmp_path / "Market" / cloudbed / "query.csv").write_text(text)
    both = OpenRCAProblemRegistry.from_query_csv("Market", tmp_path)
    assert list(both) == ["Market-cloudbed-1-task_3-0", "Market-cloudbed-2-task_3-0"]
    problems = [each() for each in both.values()]
    assert [each.cloudbed for each in problems] == ["cloudbed-1", "cloudbed-2"]
    assert [each.scoring_points for each in problems] == [POINT.format(0), POINT.format(1)]
    assert MarketRCAProblem(0, root=tmp_path).problem_id == "Market-cloudbed-1-task_3-0"
    assert problems[1].eval({"component": "node-1"}, [], 0.0)["score"] == 1.0
    assert problems[0].eval({"component": "node-1"}, [], 0.0)["score"] == 0.0


POINT = "The only predicted root cause component is node-{}"


def test_the_elements_of_each_task_are_the_plans():
    one, two = ["time", "reason", "component"], [["time", "reason"], ["time", "component"], ["component", "reason"]]
    fields = [*([name] for name in one), *two, ["time", "component", "reason"]]
    assert [TASK_EVAL_FIELDS[f"task_{number}"] for number in range(1, 8)] == fields


def test_the_lists_of_the_domains_are_on_the_classes():
    sizes = [(len(each.CANDIDATE_COMPONENTS), len(each.CANDIDATE_REASONS)) for each in PROBLEMS]
    assert all(components > 9 and reasons > 3 for components, reasons in sizes)
    assert "apache01" in BankRCAProblem.CANDIDATE_COMPONENTS


PROBLEMS = (BankRCAProblem, MarketRCAProblem, TelecomRCAProblem)


def test_a_data_set_is_asked_without_an_episode():
    actions = BankActions(BankDataset())
    assert actions.get_metric_app(start_time="2021-03-04 14:30", end_time="2021-03-04 14:31").startswith(
        "timestamp,rr,"
    )
    assert "is no time" in actions.get_traces("yesterday")
    assert actions.submit({"root cause component": "Mysql02"}) is SubmissionStatus.VALID_SUBMISSION
    assert "expected is submit" in actions.submit(5)


GAPS = {
    DOCS: ["prob_desc", "telemetry_apis", "shell_api", "submit_api"],
    DOCS_SHELL_ONLY: ["prob_desc", "shell_api", "submit_api"],
    OPENRCA_PROMPT: ["prob_desc", "telemetry_apis", "submit_api", "candidate_components", "candidate_reasons"],
}


@pytest.mark.parametrize("template", GAPS)
def test_the_templates_have_the_gaps_that_agents_fill(template):
    assert [name for _, name, _, _ in string.Formatter().parse(template) if name] == GAPS[template]


def test_manuals_are_joined_and_the_form_of_the_plans_answer_can_be_submitted():
    assert stringify_apis({"a": "a()\nDo.", "b": "b()"}) == "a\na()\nDo.\n\nb\nb()"
    answer = ResponseParser().parse(OPENRCA_INSTRUCTIONS)
    assert (
        BankActions(BankDataset()).submit(*answer["args"]).startswith("the timestamp 'YYYY-MM-DD HH:MM:SS' is no time")
    )


PARSED = [
    ("myApi()", ("myApi", [], {})),
    ("myApi(10)", ("myApi", [10], {})),
    ("myApi(10, 'error')", ("myApi", [10, "error"], {})),
    ('exec_shell("kubectl get pods -n a")', ("exec_shell", ["kubectl get pods -n a"], {})),
    (
        r"""exec_shell("kubectl patch svc user-service -p='[{\"op\": \"x\"}]'")""",
        ("exec_shell", ["""kubectl patch svc user-service -p='[{"op": "x"}]'"""], {}),
    ),
    ("submit('yes')", ("submit", ["yes"], {})),
    ("submit(has_anomaly='yes')", ("submit", [], {"has_anomaly": "yes"})),
    ("submit(['service1','service2'])", ("submit", [["service1", "service2"]], {})),
    ("submit(faulty_components=['s1'])", ("submit", [], {"faulty_components": ["s1"]})),
    ("submit({'system_level':'x','fault_type':'y'})", ("submit", [{"system_level": "x", "fault_type": "y"}], {})),
    ("submit(analysis={'a':'b'})", ("submit", [], {"analysis": {"a": "b"}})),
    ("submit()", ("submit", [], {})),
]
"""Upstream's own cases: its tests indent the fences."""


@pytest.mark.parametrize(("call", "expected"), PARSED)
def test_a_response_is_read_as_in_the_originals_tests(call, expected):
    found = ResponseParser().parse(
        f"Thought: so.\n        Action:\n        ```\n        {call}\n        ```\n        bye"
    )
    assert (found["api_name"], found["args"], found["kwargs"]) == expected
    assert found["context"] == ["Thought: so.\n        Action:", "bye"]


@pytest.mark.parametrize("text", ["submit()", '```\necho "Hello World"\n```', "```\na()\n```\n```\nb()\n```", "", 5])
def test_what_is_no_call_is_refused(text):
    with pytest.raises(ResponseParsingError, match=r"^Error parsing response: (?!Error)"):
        ResponseParser().parse(text)


def test_a_mistake_keeps_its_words_on_the_way_to_another_process():
    for error in (InvalidActionError("look"), ResponseParsingError("no call")):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert str(InvalidActionError("look")) == "Invalid action: look"
