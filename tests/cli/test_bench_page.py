"""The page that `aiops-gym bench --write` writes."""

import json
import re
from importlib import resources

from aiops_gym.catalog import registry
from aiops_gym.cli.benches.page import rewrite_page
from aiops_gym.cli.commands import bench

INCIDENTS = {"steps a second": 1784.7, "commands, ms": {"kubectl get pods | grep x": 0.25}}


def test_a_section_has_a_row_for_each_figure_and_a_table_for_each_group():
    text = rewrite_page("", "incidents", INCIDENTS)
    assert "## Live incidents\n" in text
    assert "| steps a second | 1,785 |" in text
    assert "| commands, ms | measured |" in text
    assert "| kubectl get pods \\| grep x | 0.25 |" in text


def test_writing_one_subject_keeps_the_other():
    both = rewrite_page(rewrite_page("", "openrca", {"conversion, s": 7.5}), "incidents", INCIDENTS)
    again = rewrite_page(both, "incidents", {"steps a second": 2000.0})
    assert again.index("## Live incidents") < again.index("## Recorded telemetry")
    assert "| conversion, s | 7.50 |" in again
    assert "| steps a second | 2,000 |" in again
    assert "1,785" not in again
    assert rewrite_page(again, "incidents", {"steps a second": 2000.0}) == again


def test_what_is_printed_holds_each_group_under_its_name(capsys):
    bench._show({"spans of a day": 10_000, "one file: text": {"store, 30 min": 3.5}, "memory": {"a worker, MB": 40.0}})
    rows = [re.split(" {2,}", line.strip()) for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert rows == [
        ["what", "measured"],
        ["spans of a day", "10,000"],
        ["one file: text", "measured"],
        ["store, 30 min", "3.50"],
        ["memory", "measured"],
        ["a worker, MB", "40.00"],
    ]


def test_the_mix_names_components_of_every_application():
    names = json.loads(resources.files("aiops_gym.cli").joinpath("mix.json").read_text(encoding="utf-8"))["names"]
    assert set(names) == set(registry.apps())
    for app in registry.apps().values():
        assert set(names[app.id].values()) <= set(app.components)
