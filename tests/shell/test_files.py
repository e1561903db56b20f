"""Commands that look at files: `find`, `du`, `tar`, times, and scripts that lie in files."""

from __future__ import annotations

import pytest

MADE = """mkdir -p /tmp/d/e /tmp/g; echo abc > /tmp/d/e/f.yaml; echo x > /tmp/d/b.log; touch /tmp/d/empty
ln -s /tmp/d /tmp/l; chmod 755 /tmp/d/b.log"""


@pytest.fixture
def full(shell):
    shell.run(MADE)
    shell.run("sleep 90", timeout=100)
    shell.run("head -c 2000 /dev/zero > /tmp/d/new.log")
    return shell


FOUND = [
    ("find /tmp -name '*.log'", "/tmp/d/b.log\n/tmp/d/new.log\n"),
    ("cd /tmp; find d -type f | head -2; find . -maxdepth 1 -type d", "d/b.log\nd/e/f.yaml\n.\n./d\n./g\n"),
    ("find /tmp -iname 'F*' -o -name new.log", "/tmp/d/e/f.yaml\n/tmp/d/new.log\n"),
    ("find /tmp/d -type f ! -name '*.log' -print", "/tmp/d/e/f.yaml\n/tmp/d/empty\n"),
    ("find /tmp/d \\( -name b.log -o -name e \\) -printf '%f %y %s\\n'", "b.log f 2\ne d 4096\n"),
    ("find /tmp -type f -mmin -1; find /tmp -type f -mmin +0 -name 'f*'", "/tmp/d/new.log\n/tmp/d/e/f.yaml\n"),
    ("find /tmp -newer /tmp/d/b.log -type f", "/tmp/d/new.log\n"),
    ("find /tmp -newermt 2026-03-02T09:01:00 -type f", "/tmp/d/new.log\n"),
    ("find /tmp -type f -size +2; find /tmp -type f -size -1k", "/tmp/d/new.log\n/tmp/d/empty\n"),
    ("find /tmp -empty; find /tmp/d -perm -111 -type f", "/tmp/d/empty\n/tmp/g\n/tmp/d/b.log\n"),
    ("find /tmp -name d -prune -o -print", "/tmp\n/tmp/g\n/tmp/l\n"),
    ("find /tmp/l; find -L /tmp/l -name f.yaml", "/tmp/l\n/tmp/l/e/f.yaml\n"),
    ("find /tmp/d -name '*.log' -exec ls {} +", "/tmp/d/b.log\n/tmp/d/new.log\n"),
    ("find /tmp -name f.yaml -exec cat {} \\; -quit; find /tmp -path '*/e/*'", "abc\n/tmp/d/e/f.yaml\n"),
    ("find /tmp/d -name '*.log' -delete; find /tmp/d/ -type f", "/tmp/d/e/f.yaml\n/tmp/d/empty\n"),
    ("find /tmp/d -name '*.log' -print0 | xargs -0 -n1 basename; find /tmp -regex '.*/f[.].*'", None),
    ("find /tmp/l -printf '%l %M %TF %m %d %p\\n'", "/tmp/d lrwxrwxrwx 2026-03-02 777 0 /tmp/l\n"),
]


@pytest.mark.parametrize(("script", "stdout"), FOUND)
def test_what_find_finds(full, script, stdout):
    expected = "b.log\nnew.log\n/tmp/d/e/f.yaml\n" if stdout is None else stdout
    assert full.run(script).output == expected


@pytest.mark.parametrize(
    ("script", "stderr"),
    [
        ("find /nope", "find: ‘/nope’: No such file or directory\n"),
        ("find /tmp -nmae x", "find: unknown predicate `-nmae'\n"),
        ("find /tmp -name", "find: missing argument to `-name'\n"),
        ("find /tmp -type x", "find: Unknown argument to -type: x\n"),
        ("find /tmp \\( -name x", "find: missing argument to `)'\n"),
        ("find -maxdepth one", "find: Expected a positive decimal integer argument to -maxdepth, but got ‘one’\n"),
        ("du /nope", "du: cannot access '/nope': No such file or directory\n"),
    ],
)
def test_what_find_and_du_say_when_they_fail(shell, script, stderr):
    result = shell.run(script)
    assert (result.stderr, result.code) == (stderr, 1)


def test_what_folders_take(full):
    assert full.run("du -a /tmp/d").stdout.splitlines() == [
        *("4\t/tmp/d/b.log", "4\t/tmp/d/e/f.yaml", "8\t/tmp/d/e", "0\t/tmp/d/empty", "4\t/tmp/d/new.log"),
        "20\t/tmp/d",
    ]
    assert full.run("du -sh /tmp; du -sbc /tmp/d/*.log; cd /tmp; du -d 0").stdout == (
        "28K\t/tmp\n2\t/tmp/d/b.log\n2000\t/tmp/d/new.log\n2002\ttotal\n28\t.\n"
    )


def test_folders_are_packed_in_the_order_of_their_names(full):
    listed = "d/b.log\nd/e/f.yaml\nd/empty\nd/new.log\n"
    assert full.run("tar czf /tmp/t.tgz -C /tmp d; tar tzf /tmp/t.tgz").stdout == listed
    assert full.run("cd /tmp; tar cf - d | tar tf -; tar -xzf t.tgz -C /opt; cat /opt/d/e/f.yaml").stdout == (
        f"{listed}abc\n"
    )


def test_the_time_of_a_file_is_that_of_its_last_change(shell):
    shell.run("echo a > /tmp/a")
    shell.run("sleep 60; echo b > /tmp/b", timeout=100)
    shell.run("sleep 60; echo more >> /tmp/a", timeout=100)
    script = "date -u -r /tmp/a +%T; date -u -r /tmp/b +%T; date -r /nope"
    assert shell.run(script).output == ("09:02:00\n09:01:00\ndate: /nope: No such file or directory\n")
    assert shell.run("[ /tmp/a -nt /tmp/b ] && echo newer; [ /tmp/b -ot /tmp/a ] && echo older").stdout == (
        "newer\nolder\n"
    )


def test_scripts_in_files_follow_the_clusters_clock_and_stay_as_they_were_written(shell):
    text = "echo $SECONDS $(date +%T) $UID\njq -n now\n"
    shell.write_file("/tmp/s.sh", text)
    for call in ("bash /tmp/s.sh", ". /tmp/s.sh", "chmod +x /tmp/s.sh; /tmp/s.sh", "cat /tmp/s.sh | bash"):
        assert shell.run(call).stdout == "0 09:00:00 0\n1772442000\n"
    assert shell.read_file("/tmp/s.sh") == text


def test_a_script_that_a_script_writes_keeps_its_words(shell):
    shell.run("echo 'x=HOME; echo ${!x} $UID; head -c 4 /dev/urandom; head -c 2 /dev/random' > /tmp/s")
    assert shell.read_file("/tmp/s") == "x=HOME; echo ${!x} $UID; head -c 4 /dev/urandom; head -c 2 /dev/random\n"


def test_who_runs_the_shell_is_root_everywhere(shell):
    assert shell.run('echo $UID ${EUID} $((UID + 1)); id -u; [ "$EUID" -ne 0 ] || echo root').stdout == (
        "0 0 1\n0\nroot\n"
    )


def test_a_write_is_seen_however_it_is_made(shell):
    for number, script in enumerate(
        (
            "echo 1 > /tmp/w",
            "echo 2 >| /tmp/w",
            "cd /tmp; echo 3 > w",
            "f=/tmp/w; echo 4 > $f",
            "ln -s /tmp /srv/t; echo 5 > /srv/t/w",
            "echo 6 > /srv/t/w",
            "echo 7 | tee /srv/t/w",
            "cat <<< 8 > /tmp/../tmp/w",
            "printf 9 > /tmp/v; cat /tmp/v > /tmp/w",
        ),
        1,
    ):
        shell.run(script)
        assert shell.read_file("/tmp/w").strip() == str(number)
        assert shell.fork(shell.cluster).run("cat /tmp/w").stdout.strip() == str(number)
