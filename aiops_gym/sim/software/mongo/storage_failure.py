"""What WiredTiger and MongoDB 4.4 say when the disk refuses to be written, and how they end.

Facts: `src/third_party/wiredtiger/src/os_posix/os_fs.c`, `wiredtiger_util.cpp` and `wiredtiger_kv_engine.cpp` of 4.4.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from aiops_gym.sim.software.mongo.server import format_line
from aiops_gym.types import Json

if TYPE_CHECKING:
    from aiops_gym.sim.machine.container import Container

ABORTED, ABRUPT = 134, 14
"""Exit codes: of SIGABRT, which a running server sends itself, and of one that never came up."""

EIO, PANIC = 5, -31804
FLUSHER, OPENER = "JournalFlusher", "initandlisten"
"""The threads that meet it: of a running server, and of one that starts."""

OVER = "\n\n***aborting after fassert() failure\n\n"


def panic(c: Container, error: str) -> None:
    """A running server cannot write its journal: it aborts rather than lose what it has acknowledged."""
    offset = int(c.between(4_096, 90_000_000, "offset")) // 128 * 128
    where = f"{c.state['path']}/journal/WiredTigerLog.0000000001: handle-write: pwrite"
    what = f"{where}: failed to write 128 bytes at offset {offset}: {error}"
    _complain(c, FLUSHER, EIO, f"log-server: __posix_file_write, 578: {what}")
    what = "the process must exit and restart: WT_PANIC: WiredTiger library panic"
    _complain(c, FLUSHER, PANIC, f"__wt_panic, 490: {what}")
    _fatal(c, 23089, FLUSHER, "Fatal assertion", _at(50853, "wiredtiger_util.cpp", 446))
    _fatal(c, 23090, FLUSHER, OVER)
    _fatal(c, 4757800, FLUSHER, "Writing fatal message", {"message": "Got signal: 6 (Aborted).\n"}, "CONTROL")
    c.exit_in(int(c.between(30, 200, "abort")), ABORTED)


def fail_to_open(c: Container, error: str) -> None:
    """A server that starts cannot open its data folder for writing."""
    where = f"{c.state['path']}/WiredTiger.turtle.set: handle-write: pwrite: failed to write 1108 bytes at offset 0"
    _complain(c, OPENER, EIO, f"__posix_file_write, 578: {where}: {error}")
    text, reason = "Failed to start up WiredTiger under any compatibility version.", {"reason": f"{EIO}: {error}"}
    c.log(format_line(c.now, "STORAGE", 22347, OPENER, text, reason, "W"))
    detail = {**_at(28595, "wiredtiger_kv_engine.cpp", 1123), "error": f"UnknownError: {EIO}: {error}"}
    _fatal(c, 23091, OPENER, "Fatal assertion", detail)
    _fatal(c, 23092, OPENER, OVER)
    c.exit_in(int(c.between(200, 600, "abort")), ABRUPT)


def _complain(c: Container, context: str, number: int, what: str) -> None:
    stamp = f"[{c.now // 1000}:{c.now % 1000 * 1000:06d}]"
    detail = {"error": number, "message": f"{stamp}[1:0x7f{c.key[:10].replace('-', '')}], {what}"}
    c.log(format_line(c.now, "STORAGE", 22435, context, "WiredTiger error", detail, "E"))


def _fatal(c: Container, number: int, context: str, what: str, detail: Json = None, component: str = "-") -> None:
    c.log(format_line(c.now, component, number, context, what, detail, "F"))


def _at(number: int, file: str, line: int) -> dict[str, Json]:
    return {"msgid": number, "file": f"src/mongo/db/storage/wiredtiger/{file}", "line": line}
