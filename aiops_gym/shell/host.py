"""The machine on which the agent's shell runs: the node of a kind cluster, with the tools of an operator's host."""

from __future__ import annotations

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

FILES = {
    "/etc/hostname": f"{NAME}\n",
    "/etc/hosts": f"127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n{ADDRESS}\t{NAME}\n",
    "/etc/resolv.conf": "nameserver 172.18.0.1\nsearch .\noptions edns0 trust-ad ndots:0\n",
    "/etc/os-release": (
        'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nNAME="Debian GNU/Linux"\nVERSION_ID="12"\n'
        'VERSION="12 (bookworm)"\nVERSION_CODENAME=bookworm\nID=debian\nHOME_URL="https://www.debian.org/"\n'
    ),
    "/etc/passwd": (
        "root:x:0:0:root:/root:/bin/bash\ndaemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n"
    ),
    "/root/.kube/config": """apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: DATA+OMITTED
    server: https://kind-control-plane:6443
  name: kind-kind
contexts:
- context:
    cluster: kind-kind
    user: kind-kind
  name: kind-kind
current-context: kind-kind
kind: Config
preferences: {}
users:
- name: kind-kind
  user:
    client-certificate-data: DATA+OMITTED
    client-key-data: DATA+OMITTED
""",
}

KERNEL_FILES = {
    "/proc/version": f"Linux version {KERNEL} (debian-kernel@lists.debian.org) #1 SMP PREEMPT_DYNAMIC\n",
    "/proc/uptime": "259200.00 1036800.00\n",
    "/proc/loadavg": "0.92 0.87 0.83 2/1142 631\n",
    "/proc/meminfo": (
        "MemTotal:       16384000 kB\nMemFree:         3101220 kB\nMemAvailable:   10430376 kB\n"
        "Buffers:          412300 kB\nCached:          6958136 kB\n"
        "SwapTotal:             0 kB\nSwapFree:              0 kB\n"
    ),
    **dict.fromkeys(
        ("/proc/mounts", "/proc/self/mounts", "/proc/1/mounts"),
        "overlay / overlay rw,relatime 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n"
        "tmpfs /dev tmpfs rw,nosuid,size=65536k,mode=755 0 0\nsysfs /sys sysfs ro,nosuid,nodev,noexec,relatime 0 0\n",
    ),
    **dict.fromkeys(
        ("/proc/self/status", "/proc/1/status"),
        "Name:\tbash\nUmask:\t0022\nState:\tR (running)\nTgid:\t1\nPid:\t1\nPPid:\t0\nUid:\t0\t0\t0\t0\n"
        "Gid:\t0\t0\t0\t0\nThreads:\t1\n",
    ),
    "/proc/cpuinfo": "".join(
        f"processor\t: {n}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) CPU @ 2.20GHz\n"
        "cpu MHz\t\t: 2200.000\n\n"
        for n in range(4)
    ),
}
"""What the kernel says of itself; the same in all containers of the machine."""

KERNEL_FOLDERS = ("/", "/bin", "/dev", "/proc", "/usr", "/usr/bin")

FOLDERS = ("/home", "/opt", "/root", "/srv", "/tmp", "/usr/local/bin", "/var/log", "/var/tmp")


BUILT_IN = split_words(
    """
    date df free groups hostname id ls mktemp ps shuf sleep stat timeout uname uptime watch wget curl whoami
    """
)
"""Commands of ours that the interpreter has too, and so finds without a file."""


@caches.function(64, "laying out the files of a new shell")
def make_host_tree(commands: frozenset[str], time: float = INSTALLED, files: tuple[tuple[str, str], ...] = ()) -> Tree:
    """The files of a new shell; each command is there as a program too, so that `which` and `type` find it.

    Further `files` are pairs of path and text.
    """
    tree: dict[str, File] = dict(tree_of({**FILES, **dict(files)}, time))
    for folder in FOLDERS:
        if folder not in tree:
            add(tree, folder, File("directory", 0o755, b"", time))
    tree["/tmp"] = File("directory", 0o1777, b"", time)
    for name in sorted(commands - BUILT_IN):
        add(tree, f"/usr/local/bin/{name}", File("file", 0o755, f'#!/bin/bash\n{name} "$@"\n'.encode(), time))
    add(tree, "/usr/local/bin/sudo", File("file", 0o755, _SUDO.encode(), time))
    return dict(sorted(tree.items()))


_SUDO = """#!/bin/bash
while [ $# -gt 0 ]; do
  case "$1" in
    -u|-g|-h|-p) shift 2 ;;
    --) shift; break ;;
    -*) shift ;;
    *=*) export "$1"; shift ;;
    *) break ;;
  esac
done
[ $# -eq 0 ] && { echo "usage: sudo [-u user] [VAR=value] command" >&2; exit 1; }
"$@"
"""
