"""`aiops-gym admission`: the figures on the screen and in a file."""

from aiops_gym.cli import run


def test_a_family_is_played_and_its_figures_are_written(tmp_path, capsys):
    page = tmp_path / "problems.md"
    played = ["--app", "hotel_reservation", "--fault", "unbound_claim", "--sample", "0.5", "--workers", "1"]
    assert run(["admission", *played, "--write", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "unbound_claim" in shown
    assert "restart everything" in shown
    assert "| unbound_claim |" in page.read_text()


def test_nothing_chosen_is_nothing_played(capsys):
    assert run(["admission", "--sample", "0"]) == 0
    assert "all" not in capsys.readouterr().out.split()
