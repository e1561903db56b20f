"""What scripts may do is counted: for one container, for all together, in a world and in its forks alike."""

from __future__ import annotations

from effort import calls

from aiops_gym.sim.kernel import work
from aiops_gym.sim.machine.container import Container
from aiops_gym.sim.machine.scripts import inside

ENDLESS = ["sh", "-c", "while :; do :; done"]
USUAL = ["sh", "-c", "for i in 1 2 3; do echo $i | grep -q 2 && echo yes; done"]


def start(tiny, name: str = "box", script: str = "sleep 100000") -> str:
    key = tiny.pod(name, "busybox", command=["sh", "-c", script])
    tiny.run(2)
    return str(key)


def test_what_is_used_up_comes_back_with_time(tiny):
    key = start(tiny)
    work.charge(tiny.world, key, work.SAVED + 4 * work.PER_SECOND)
    assert work.measure_room(tiny.world, key) == 0
    tiny.run(4)
    assert work.measure_room(tiny.world, key) == 0
    tiny.run(2)
    assert work.measure_room(tiny.world, key) == 2 * work.PER_SECOND
    tiny.run(1000)
    assert work.measure_room(tiny.world, key) == work.SAVED


def test_a_command_without_an_end_runs_out_of_time_and_then_is_not_begun(tiny):
    key = start(tiny)
    tries = [inside.run(Container(tiny.world, key), ENDLESS) for _ in range(20)]
    assert {(ran.code, ran.ms) for ran in tries} == {(137, -1)}
    assert calls(lambda: inside.run(Container(tiny.world, key), ENDLESS)) < 200
    tiny.run(60)
    ran = inside.run(Container(tiny.world, key), USUAL)
    assert (ran.output, ran.code) == ("yes\n", 1)


def test_a_greedy_container_leaves_room_for_a_modest_one(tiny):
    modest, greedy = start(tiny), [start(tiny, f"greedy-{number}") for number in range(40)]
    for _ in range(20):
        for key in greedy:
            inside.run(Container(tiny.world, key), ENDLESS)
    assert work.measure_room(tiny.world, greedy[0]) == 0
    assert inside.run(Container(tiny.world, modest), USUAL).output == "yes\n"


def test_a_loop_of_a_container_goes_on_where_it_stopped(tiny):
    script = "i=0; while [ $i -lt 5000 ]; do i=$((i+1)); done; echo $i"
    key = start(tiny, script=script)
    assert tiny.log(key) == ""
    tiny.run(600)
    assert tiny.log(key) == "5000"


def test_a_fork_stops_at_the_same_place(tiny):
    key = start(tiny)
    twin = tiny.world.fork()
    one = [inside.run(Container(tiny.world, key), ENDLESS) for _ in range(9)]
    assert one == [inside.run(Container(twin, key), ENDLESS) for _ in range(9)]
    assert tiny.world.table(work.TABLE) == twin.table(work.TABLE)
    assert tiny.world.table(work.TABLE) != {}


def test_waiting_in_small_steps_does_not_hold_the_clock(tiny):
    twin = tiny.world.fork()
    start(tiny, "slow", "while :; do sleep 1; done")
    usual = calls(lambda: tiny.run(60))
    tiny.world = twin
    start(tiny, "fast", "while :; do sleep 0.001; done")
    assert calls(lambda: tiny.run(60)) < 50 * usual  # of a thousand times as many turns
