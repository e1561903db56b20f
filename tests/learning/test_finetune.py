"""What is reported of fine-tuning follows from the exams, and stands at its place in a page."""

from __future__ import annotations

import pytest

from aiops_gym.errors import AiopsGymError, ArgumentError
from aiops_gym.learning.language import report
from aiops_gym.learning.language.settings import Settings


def summary(seed, before, after, steps=8, apart=1):
    """Of a run in which so many of 20 episodes a group were solved after the warm-up and after GRPO."""
    groups = [(task, group) for task in ("detection", "localization") for group in report.GROUPS]

    def exam(name, step, solved):
        rows = [
            {"task": task, "group": group, "problem": f"{task}-{group}-{at}", "seed": 0, "steps": 4}
            | {"success": at < solved, "reward": float(at < solved)}
            for task, group in groups
            for at in range(20)
        ]
        return {"after": name, "step": step, "rows": rows, "seconds": 60.0}

    log = [{"reward": at / steps, "frac_reward_zero_std": 0.5, "entropy": 1.0} for at in range(steps)]
    for row in log:
        row["rewards/Detection/mean"] = 2 * row["reward"]
    exams = [exam("start", 0, 0), exam("warm-up", 0, before), exam("grpo", steps, after)]
    settings = {
        "version": "1",
        "model": "tiny",
        "warm": 3,
        "steps": steps,
        "starts": 4,
        "group": 8,
        "rate": 2e-4,
        "seed": seed,
    }
    settings["tasks"] = ["detection", "localization"]
    warm = {"parameters": 2_000_000, "seconds": 120.0, "log": []}
    grpo = {"log": log, "seconds": 300.0}
    return {
        "settings": settings,
        "lessons": {"lessons": 100, "seconds": 60.0},
        "warm": warm,
        "grpo": grpo,
        "exams": exams,
        "spans": [(1_000.0, 1_600.0), (1_500.0 + 600 * apart * seed, 2_200.0 + 600 * apart * seed)],
    }


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [(5, 15, "it helped"), (15, 5, "it did harm"), (10, 10, "no difference can be told from chance")],
)
def test_the_verdict_follows_from_the_exams(before, after, words):
    told = [
        line for line in report.describe([summary(seed, before, after) for seed in range(3)]) if "GRPO added" in line
    ]
    assert len(told) == len(report.GROUPS)
    assert all(words in line and f"{(after - before) / 20:+.2f}" in line for line in told)


def test_what_it_took_is_told_by_the_clock():
    for apart, words in (
        (0, "beside the others; all of it, with 1 minutes for the lessons, took 20."),
        (1, "took 40."),
    ):
        told = " ".join(report.describe([summary(seed, 5, 15, apart=apart) for seed in range(3)]))
        assert words in told
        assert ("while no other learned" in told) == (apart == 1)


def test_the_signs_are_those_that_were_logged_of_each_task():
    told = [line for line in report.describe([summary(0, 5, 15)]) if line.startswith(("| reward", "| calls"))]
    assert told == ["| reward, detection | 0.12 | 1.62 |", "| reward | 0.06 | 0.81 |"]


def test_an_episode_that_failed_on_our_side_counts_in_no_mean():
    one = summary(0, 10, 10)
    for exam in one["exams"]:
        for row in exam["rows"]:
            if not row["success"]:
                row["reward"] = None
    (line,) = [each for each in report.describe([one]) if each.startswith("| GRPO")]
    assert [cell.split()[0] for cell in line.split("|")[4:-1]] == ["1.00"] * 6


def test_the_section_takes_the_place_between_the_marks(tmp_path):
    page, picture = tmp_path / "docs" / "page.md", tmp_path / "docs" / "pictures" / "curve.png"
    page.parent.mkdir()
    page.write_text(f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n")
    for _ in range(2):
        report.write([summary(seed, 5, 15) for seed in range(3)], page, picture)
        text = page.read_text()
        assert text.startswith("before\n")
        assert text.endswith("\nafter\n")
        assert "old" not in text
        assert text.count("GRPO added") == len(report.GROUPS)
        assert "(pictures/curve.png)" in text
    assert picture.read_bytes().startswith(b"\x89PNG")
    page.write_text("no marks\n")
    with pytest.raises(ArgumentError, match="no place for the figures"):
        report.write([summary(0, 5, 15)], page, picture)


def test_settings_are_checked_and_kept(tmp_path):
    tiny, real = Settings.of("tiny", {}), Settings.of("some/model", {"steps": 400})
    assert (tiny.rate, real.rate, real.steps) == (2e-5, 1e-6, 400)
    for wrong in (
        {"speed": 1},
        {"group": 1},
        {"steps": 7, "exams": 2},
        {"tasks": ("cooking",)},
        {"batch": 5},
        {"exam": 0},
    ):
        with pytest.raises(ArgumentError):
            Settings.of("tiny", wrong)
    tiny.adopt(tmp_path / "settings.json")
    Settings.of("tiny", {}).adopt(tmp_path / "settings.json")
    with pytest.raises(AiopsGymError, match="holds another run: rate was"):
        Settings.of("tiny", {"rate": 0.5}).adopt(tmp_path / "settings.json")
