"""The page that `aiops-gym bench --write` writes."""

from aiops_gym.cli.benches.page import rewrite_page

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
