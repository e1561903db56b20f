"""`aiops-gym admission`: the figures on the screen and in a file."""

from aiops_gym.cli import run
from aiops_gym.testing.admission import Admission, list_pairs
from aiops_gym.testing.figures import render_page


def test_a_family_is_played_once_and_its_figures_are_written(tmp_path, capsys):
    page, out = tmp_path / "problems.md", tmp_path / "played"
    chosen = ["--app", "hotel_reservation", "--fault", "unbound_claim", "--sample", "0.5", "--workers", "1"]
    played = ["admission", *chosen, "--out", str(out), "--write", str(page)]
    assert run(played) == 0
    first = capsys.readouterr().out
    assert "unbound_claim" in first
    assert "restart everything" in first
    assert "| unbound_claim |" in page.read_text()
    kept = {path: path.stat().st_mtime_ns for path in out.iterdir()}
    of_other_code = min(kept)
    of_other_code.write_text(of_other_code.read_text().replace('"code": "', '"code": "other'))
    assert run(played) == 0
    assert capsys.readouterr().out == first
    assert {path for path in kept if path.stat().st_mtime_ns != kept[path]} == {of_other_code}
    assert run([*played, "--seed", "2"]) == 0
    pairs = sum("pair-" in path.name for path in kept)
    assert len(list(out.iterdir())) == len(kept) + pairs > len(kept)


def test_nothing_chosen_is_nothing_played(capsys):
    assert run(["admission", "--sample", "0"]) == 0
    assert "all" not in capsys.readouterr().out.split()


def test_the_page_of_tier_hard_speaks_of_its_incidents():
    made = {"steps": 9, "distance": 2, "lost": 0.5, "seen": ("pods",), "problems": 3}
    found = [Admission("hotel_reservation", "hidden", "geo", "test", chain=("x",) * reads, **made) for reads in (2, 5)]
    page = render_page(found, tier="hard")
    incidents = list_pairs(tier="hard")
    assert f"{sum(map(len, incidents)):,} problems of {len(incidents):,} incidents" in page
    assert "3.5 of them on average" in page
    assert "| hidden | 2 | 6 | 6 | 100% |" in page
