"""Back-off as the kubelet counts it: 10 s doubling to 300 s, forgotten after twice that long without a try.

>>> go_duration(80_000), go_duration(300_000), go_duration(850), go_duration(1_205)
('1m20s', '5m0s', '850ms', '1.205s')
"""

from __future__ import annotations

from aiops_gym.sim.kernel.times import SECOND
from aiops_gym.sim.kernel.world import World
from aiops_gym.sim.kube_control.kubelet import record as records

FIRST = 10 * SECOND
LONGEST = 300 * SECOND


def remaining_delay(world: World, uid: str, key: str, since: int) -> int:
    """The delay (ms) that holds back a try now, counted from `since`; 0 if none does."""
    record = records.find(world, uid)
    entry = record["backoff"].get(key) if record else None
    if entry is None or since - entry[1] > 2 * LONGEST:
        return 0
    return int(entry[0]) if world.now - since < entry[0] else 0


def remaining_since_update(world: World, uid: str, key: str) -> int:
    """Like `remaining_delay`, counted from the last failure itself."""
    record = records.find(world, uid)
    entry = record["backoff"].get(key) if record else None
    return remaining_delay(world, uid, key, entry[1]) if entry else 0


def advance(world: World, uid: str, key: str, since: int) -> None:
    """Note a try: the next one waits longer."""
    backoff = world.table("kubelet")[uid]["backoff"]
    entry = backoff.get(key)
    delay = FIRST if entry is None or since - entry[1] > 2 * LONGEST else min(2 * entry[0], LONGEST)
    records.change(world, uid, backoff={**backoff, key: [delay, world.now]})


def go_duration(ms: int) -> str:
    """A duration as Go prints it."""
    if ms < SECOND:
        return f"{ms}ms" if ms else "0s"
    minutes, rest = divmod(ms, 60_000)
    seconds = f"{rest / 1000:.3f}".rstrip("0").rstrip(".")
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h{minutes}m{seconds}s" if hours else f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
