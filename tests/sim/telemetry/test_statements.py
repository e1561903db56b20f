"""A line a family: what stands in an object is what is said of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy_shop import make_shop

from aiops_gym.sim.telemetry.families import Scrape
from aiops_gym.sim.telemetry.statements import read_lines

JOB = {
    "metadata": {"name": "export", "namespace": "shop", "uid": "u", "creationTimestamp": "2026-03-02T09:00:00Z"},
    "spec": {"parallelism": 3, "suspend": False, "storage": "1Gi"},
    "status": {
        "phase": "Bound",
        "conditions": [
            {"type": "Complete", "status": "True", "reason": ""},
            {"type": "Suspended", "status": "False", "reason": "JobResumed"},
        ],
    },
}


def said(labels, value, job=JOB):
    """Labels beside those of the object, and the value, of each series."""
    shop = make_shop()
    shop.store.put("jobs.batch", job)
    shop.run(1_000)
    (family,) = read_lines(f"some_name | jobs.batch | {labels} | {value} | Something")
    now = np.array([shop.now])
    found = [(dict(told), values[0]) for told, values in family.read(Scrape(shop, "", None, now, now))]
    assert all((told.pop("namespace"), told.pop("job_name")) == ("shop", "export") for told, _ in found)
    return found


@pytest.mark.parametrize(
    ("labels", "value", "expected"),
    [
        ("", "1", [({}, 1.0)]),
        ("", "spec.parallelism", [({}, 3.0)]),
        ("", "spec.missing", []),
        ("", "spec.missing/7", [({}, 7.0)]),
        ("", "spec.suspend", [({}, 0.0)]),
        ("", "spec.suspend?", [({}, 1.0)]),
        ("", "spec.storage", [({}, 2.0**30)]),
        ("", "metadata.creationTimestamp", [({}, 1772442000.0)]),
        ("at=spec.missing/none", "1", [({"at": "none"}, 1.0)]),
        ("!at=spec.missing", "1", []),
        ("phase:Bound,Lost=status.phase", "1", [({"phase": "Bound"}, 1.0), ({"phase": "Lost"}, 0.0)]),
        ("*status.conditions type=.type", "1", [({"type": "Complete"}, 1.0), ({"type": "Suspended"}, 1.0)]),
        ("*status.conditions !reason=.reason", "1", [({"reason": "JobResumed"}, 1.0)]),
        (
            "*status.conditions ?.type=Complete is:true,false=.status",
            "1",
            [({"is": "true"}, 1.0), ({"is": "false"}, 0.0)],
        ),
        ("*status.missing type=.type", "1", []),
        ("first=status.conditions.0.type", "1", [({"first": "Complete"}, 1.0)]),
    ],
)
def test_a_line_says_what_stands_there(labels, value, expected):
    assert said(labels, value) == expected


@given(st.integers(min_value=-(2**40), max_value=2**40), st.lists(st.integers(0, 9), max_size=4))
def test_numbers_and_items_come_through(number, items):
    job = {**JOB, "spec": {"parallelism": number}, "status": {"conditions": [{"n": n} for n in items]}}
    assert said("", "spec.parallelism", job) == [({}, float(number))]
    distinct = sorted({str(n) for n in items})
    assert sorted(told["n"] for told, _ in said("*status.conditions n=.n", "1", job)) == distinct
