"""Our own promises as functions, for other people's problems, backends and recordings too.

`check_...` raise `AssertionError` with what was wrong, and return nothing where all is well; `replay` returns the
differences between a recorded scenario of a real cluster and the same scenario in a simulated one.
"""

from aiops_gym.testing.backends import check_backend
from aiops_gym.testing.calibration import replay
from aiops_gym.testing.problems import SHORTCUTS, check_problem, try_shortcut

__all__ = ["SHORTCUTS", "check_backend", "check_problem", "replay", "try_shortcut"]
