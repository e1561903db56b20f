"""The machine on which the agent's shell runs: the node of a kind cluster, with the tools of an operator's host."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import yaml

from aiops_gym import caches
from aiops_gym.shell.disk import File, Tree, add, tree_of
from aiops_gym.shell.words import split_words

NAME = "kind-control-plane"
ADDRESS = "172.18.0.2"
HOME = "/root"
OWNER = {"EUID": "0", "UID": "0"}
"""Variables of a shell that are not exported."""

ENVIRONMENT = {"HOME": HOME, "USER": "root", "LOGNAME": "root", "SHELL": "/bin/bash", "LANG": "C.UTF-8"}
"""What a new shell exports, beside where it stands."""

KERNEL = "6.1.0-28-amd64"
BOOTED_AGO = 3 * 86_400
INSTALLED = 1_767_225_600.0
"""Unix seconds at which the machine was set up: the time of files that nobody changed."""

KERNEL_FOLDERS = ("/", "/bin", "/dev", "/proc", "/usr", "/usr/bin")

SUDO = "/usr/local/bin/sudo"
FOLDERS = ("/home", "/opt", "/root", "/srv", "/tmp", "/usr/local/bin", "/var/log", "/var/tmp")


BUILT_IN = split_words(
    """
    date df free groups hostname id ls mktemp ps shuf sleep stat timeout touch uname uptime watch wget curl whoami
    """
)
"""Commands of ours that the interpreter has too, and so finds without a file."""


@cache
def read_files(kind: str) -> Mapping[str, str]:
    """Texts by path: `files` of the disk, or what the `kernel` says of itself, the same in all containers."""
    text = (Path(__file__).parent / "host.yaml").read_text()
    for name, value in (("NAME", NAME), ("ADDRESS", ADDRESS), ("KERNEL", KERNEL)):
        text = text.replace(f"{{{name}}}", value)
    found: Mapping[str, str] = yaml.safe_load(text)[kind]
    return found


@caches.function(64, "laying out the files of a new shell")
def make_host_tree(commands: frozenset[str], time: float = INSTALLED, files: tuple[tuple[str, str], ...] = ()) -> Tree:
    """The files of a new shell; each command is there as a program too, so that `which` and `type` find it.

    Further `files` are pairs of path and text.
    """
    tree: dict[str, File] = dict(tree_of({**read_files("files"), **dict(files)}, time))
    for folder in FOLDERS:
        if folder not in tree:
            add(tree, folder, File("directory", 0o755, b"", time))
    tree["/tmp"] = File("directory", 0o1777, b"", time)
    for name in sorted(commands - BUILT_IN):
        add(tree, f"/usr/local/bin/{name}", File("file", 0o755, f'#!/bin/bash\n{name} "$@"\n'.encode(), time))
    tree[SUDO] = replace(tree[SUDO], mode=0o755)
    return dict(sorted(tree.items()))
