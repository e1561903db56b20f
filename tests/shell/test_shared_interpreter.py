"""A script meets the files of its own shell, although the interpreter of utilities is one for all."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aiops_gym.shell.awk import only_prints
from aiops_gym.shell.sandbox import Sandbox
from aiops_gym.types import Output


@pytest.mark.parametrize(
    ("program", "harmless"),
    [
        ('{ print $1 > "f" }', False),
        ('{ print($1) > "f" }', False),
        ('{ print $1 >> "f" }', False),
        ('{ print $1,\n  $2 > "f" }', False),
        ('{ printf "%s", $1 > "f" }', False),
        ('{ print a / b > "f" }', False),
        ('{ print /[/]/ > "f" }', False),
        ('{ print "\\"" > "f" }', False),
        ('{ if ($1 > 2) print; else print > "f" }', False),
        ('{ print $1 | "sh" }', False),
        ('{ "date" | getline }', False),
        ('{ x++ /1/ 2; print > "f" }', False),
        ("{ @f() }", False),
        ('{ print "unended }', False),
        ("$1 > 2", True),
        ('{ print ($1 > 2), "a > b" }', True),
        ('/a>b/ { print } $1 ~ /"/ { print }', False),
        ("NR > 1 || $2 > $1 { n += $1 / 2; m = $2 / n } END { print n, m }", True),
        ('{ gsub(/x|y/, "z"); print } # | > "f"\n', True),
        ("{ if (a > b) print a; for (i = 9; i > 0; i--) s[i] }", True),
    ],
)
def test_a_program_of_awk_is_harmless_only_where_that_is_sure(program, harmless):
    assert only_prints(program) is harmless


def _files(context, argv: list[str]) -> Output:
    """A command of ours that does one thing with files."""
    files, (verb, *paths) = context.files, argv[1:] or ["none"]
    try:
        if verb == "write":
            files.write(paths[0], "written\n")
        found = {"read": files.read, "list": files.list, "about": files.about, "exists": files.exists}.get(verb)
        return Output(f"{found(paths[0])}\n" if found else "", "", 0)
    except OSError as error:
        return Output("", f"{type(error).__name__}\n", 1)


SCRIPTS = (
    "echo 1 > f",
    "echo 2 > f; echo 3 >> f",
    "mkdir -p d/e; echo 4 > d/g; echo 5 > d/e/h",
    "echo 6 > d/k",
    "rm -rf d",
    "rm -rf f",
    "mkdir -p f/g",
    "rm -rf d; ln -s /tmp d",
    "ln -sf /root/d/g f",
    "echo 7 > /tmp/g",
    "chmod 600 f",
    "cat f",
    "cat d/g f",
    "wc -l d/*",
    "cat d/e/*",
    "cat d/*g",
    "wc -l /tmp/* *",
    "awk '{ print FILENAME, $0 }' d/* f | sort -u",
    "cat d",
    "kubectl read f | cat",
    "kubectl read d/g; kubectl read f",
    "kubectl list d",
    "kubectl exists d/e/h",
    "kubectl about f",
    "kubectl write f; cat f d/g",
    "kubectl write d/k | cat f",
    "kubectl",
    "find . -type f | sort",
    "ls d; cat d/e/h",
)


class _Clock:
    """A cluster in which no time passes."""

    def now(self) -> float:
        return 1_772_442_000.0

    def wait(self, seconds: float) -> bool:
        return True


def _played(turns) -> list[str]:
    shells = [Sandbox(_Clock(), seed, {"kubectl": _files}) for seed in (1, 2)]
    return [shells[number].run(script).output for number, script in turns]


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(SCRIPTS)), max_size=14))
@settings(max_examples=25, deadline=None)
def test_shells_that_take_turns_never_meet_the_files_of_each_other(turns):
    together = _played(turns)
    for shell in (0, 1):
        mine = [printed for (number, _), printed in zip(turns, together, strict=True) if number == shell]
        assert mine == _played([turn for turn in turns if turn[0] == shell])


def test_what_others_left_is_cleared_away_in_time(new_shell):
    shells = [new_shell(seed) for seed in range(10)]
    for i, shell in enumerate(shells):
        for k in range(40):
            shell.write_file(f"/root/x{i}_{k}", f"{i} {k}\n")
    for i, shell in enumerate(shells):
        assert shell.run("cat * | sort").stdout.count("\n") == 40
        assert shell.run(f"sort x{i}_7").stdout == f"{i} 7\n"
    assert len(shells[0].run("ls /root").stdout.split()) == 40


LOOK = """
env | sort; pwd; awk 'BEGIN{system("pwd; __input; env; type f; cat /tmp/s")}'; sort /var/tmp/.* 2>&1; ls -a /var/tmp
"""


@pytest.mark.parametrize(
    "script",
    [
        "echo secret | sort; printf '\\377secret' | sort | od -c",
        "awk 'BEGIN{system(\"export X=secret; cd /tmp; f() { echo secret; }; IFS=x\")}'",
        "echo a | xargs -I{} bash -c 'export X=secret; cd /tmp'; echo secret | xargs -n1 echo | base64 | head -c 9",
        "find / -maxdepth 0 -exec sh -c 'cd /tmp; X=secret' \\;",
        "printf 'all:\\n\\texport X=secret; cd /tmp\\n' > Makefile; make; flock /tmp/l -c 'export X=secret; cd /tmp'",
        'awk \'BEGIN{print "secret" > "/tmp/s"; "cat /tmp/s" | getline y; print y}\'; cd /tmp; ls | sort',
        "dotenv .env; export X=secret; cd /tmp; env | sort > /dev/null; alias ls=secret; set -- secret",
        "head -c 20 /dev/urandom | base64; diff <(echo secret | sort) <(echo b | sort)",
    ],
)
def test_nothing_of_a_script_is_left_for_another_shell(new_shell, script):
    before = new_shell(2).run(LOOK)
    new_shell(1).run(script)
    after = new_shell(2).run(LOOK)
    assert after == before
    assert "secret" not in after.output
