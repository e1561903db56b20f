"""An agent may remove what it likes: the shell lives on, and no other shell notices."""

import pytest

TEARING = ["rm -rf /tmp; echo a > /tmp/b", "rm -rf /root; echo hi > f", "rm -rf /; echo x > /y"]


@pytest.mark.parametrize("script", TEARING)
def test_a_file_in_a_removed_folder_breaks_nothing(new_shell, script):
    torn, whole = new_shell(1), new_shell(2)
    torn.run(script)
    assert torn.run("echo still here").stdout == "still here\n"
    assert whole.run("echo hi > /tmp/f; cat /tmp/f; ls /dev | head -1").stdout == "hi\nfd\n"


def test_a_note_in_a_system_folder_is_not_read_by_another_shell(new_shell):
    one, other = new_shell(1), new_shell(2)
    one.run("echo secret > /proc/x; echo secret > /dev/x; mkdir -p /dev/shm; echo secret > /dev/shm/x")
    assert "secret" not in other.run("cat /proc/x /dev/x /dev/shm/x").output


@pytest.mark.parametrize(
    ("script", "output", "code"),
    [
        ("tee /nope/x <<< a; echo next", "a\ntee: /nope/x: No such file or directory\nnext\n", 0),
        ("echo a | tee f | wc -l; echo b | tee -a f > /dev/null; cat f", "1\na\nb\n", 0),
        ("echo a | tee /tmp", "a\ntee: /tmp: Is a directory\n", 1),
        ("echo a | tee --wrong", "tee: unrecognized option '--wrong'\nTry 'tee --help' for more information.\n", 1),
    ],
)
def test_tee_writes_files_and_says_what_it_cannot(shell, script, output, code):
    run = shell.run(script)
    assert (run.output, run.code) == (output, code)
