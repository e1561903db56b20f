"""System calls that fail for the processes of a pod: a worn disk, a kernel out of memory at the wrong moment.

An effect of kind `system_call` (table `effects`) holds a pod and says which call fails there, and how: `call` is
`write` (to the volume at `path`) or `mount`, `errno` a number of Linux.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.kernel.objects import Obj, uid_of

if TYPE_CHECKING:
    from aiops_gym.sim.kernel.world import World

KIND = "system_call"
ERRORS = {5: "Input/output error", 12: "Cannot allocate memory", 28: "No space left on device"}
"""What the C library calls them."""


def find_failure(world: World, uid: str, call: str) -> str:
    """Why a system call fails for the processes of a pod, "" where it does not."""
    for effect in world.table("effects").values():
        if effect["kind"] == KIND and effect["pod"] == uid and effect["params"]["call"] == call:
            return ERRORS[int(str(effect["params"]["errno"]))]
    return ""


def refuse_mount(world: World, pod: Obj) -> str:
    """What runc says where a container's file systems cannot be mounted, "" where they can."""
    why = find_failure(world, uid_of(pod), "mount")
    where = "mount src=proc, dst=/proc, dstFd=/proc/thread-self/fd/8, flags=MS_NOSUID|MS_NODEV|MS_NOEXEC"
    return f'error mounting "proc" to rootfs at "/proc": {where}: {why.lower()}: unknown' if why else ""
