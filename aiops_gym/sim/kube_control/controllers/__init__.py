"""Control loops, one a file, found by `sim.dynamics`.

A module may have a `controller`, a `react` called at each write, `HANDLERS` for heap entries, and `OBSERVERS` called
when outcomes may have changed.
"""
