"""`aiops-gym openrca synthesize`."""

from aiops_gym.cli import run
from aiops_gym.openrca import domains
from aiops_gym.openrca.layout import domain_folder


def test_it_writes_a_domain_and_says_which_share_of_the_failures_shows(tmp_path, capsys):
    made = [
        "openrca",
        "synthesize",
        str(tmp_path),
        "--domain",
        "telecom",
        "--scale",
        "0.001",
        "--seed",
        "1",
        "--profile",
        "easy",
    ]
    assert run(made) == 0
    domain, _ = domains.find("telecom")
    assert (domain_folder(domain, "", tmp_path) / "record.csv").is_file()
    printed = capsys.readouterr().out
    assert all(reason in printed for reason in domain.reasons)
    assert "declared" in printed and "80%" in printed


def test_what_is_there_already_is_one_plain_line(tmp_path, capsys):
    (tmp_path / "Telecom").mkdir()
    assert run(["openrca", "synthesize", str(tmp_path), "--domain", "telecom", "--scale", "0.001"]) == 1
    assert "is there already" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_named(tmp_path, capsys):
    (tmp_path / "file").touch()
    out = str(tmp_path / "file" / "out")
    assert run(["openrca", "synthesize", out, "--domain", "telecom", "--scale", "0.001", "--days", "1"]) == 1
    assert f"{out} cannot be written: Not a directory" in " ".join(capsys.readouterr().err.split())


def test_more_days_than_a_calendar_has_are_refused(tmp_path, capsys):
    for days in ("3651", "100000000"):
        assert run(["openrca", "synthesize", str(tmp_path), "--domain", "telecom", "--days", days]) == 1
        assert f"{days} days are too many" in capsys.readouterr().err


def test_a_file_of_records_by_another_name_is_refused(tmp_path, capsys):
    (tmp_path / "mine.csv").write_text("x\n")
    given = ["--domain", "telecom", "--records", str(tmp_path / "mine.csv")]
    assert run(["openrca", "synthesize", str(tmp_path / "out"), *given]) == 1
    assert "record.csv" in capsys.readouterr().err
