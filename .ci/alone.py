"""Run COMMAND while nothing else holds FILE's lock: alone.py FILE COMMAND...

Two installations from one source tree write the same files there, and `make --jobs=2` may begin them at once.
"""

from __future__ import annotations

import fcntl  # noqa: TID251, TID253  # The package, and its locks, are what is being installed.
import subprocess
import sys

if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        sys.exit(subprocess.call(sys.argv[2:]))
