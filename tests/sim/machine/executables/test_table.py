"""Which executables an image has, and which words start them."""

from __future__ import annotations

import pytest

from aiops_gym.sim.kernel.blueprint import Binary, Image
from aiops_gym.sim.machine import executables

GO = Image(
    binaries={"geo": Binary(program="idle")},
    env={"PATH": "/go/bin:/usr/bin:/bin"},
    workdir="/go",
    tools=("curl", "bash"),
)
BARE = Image(entrypoint=("/pause",), binaries={"pause": Binary(program="pause")}, shell=False)
BUSYBOX = Image(sh="busybox", tools=())


@pytest.mark.parametrize(
    ("image", "word", "name"),
    [
        (GO, "geo", "geo"),
        (GO, "/go/bin/geo", "geo"),
        (GO, "bin/geo", "geo"),
        (GO, "./bin/geo", "geo"),
        (GO, "./geo", ""),
        (GO, "/usr/bin/geo", ""),
        (GO, "curl", "curl"),
        (GO, "/usr/bin/curl", "curl"),
        (GO, "/opt/curl", ""),
        (GO, "jq", ""),
        (GO, "ps", ""),
        (GO, "bash", "bash"),
        (GO, "ls", "ls"),
        (BARE, "/pause", "pause"),
        (BARE, "pause", ""),
        (BARE, "sh", ""),
        (BARE, "ls", ""),
        (BUSYBOX, "bash", ""),
        (BUSYBOX, "/bin/sh", "sh"),
        (BUSYBOX, "wget", "wget"),
        (BUSYBOX, "curl", ""),
    ],
)
def test_a_word_starts_what_lies_there(image, word, name):
    assert executables.resolve(image, word, image.workdir) == name


def test_a_path_of_the_environment_counts():
    assert executables.resolve(GO, "geo", "/", "/usr/bin:/bin") == ""
