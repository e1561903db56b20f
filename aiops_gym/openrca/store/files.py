"""Reading and writing whole pieces of files by their handles."""

from __future__ import annotations

import os


def write_all(handle: int, data: memoryview | bytes) -> None:
    """Write at the end of a file; a short write is continued, so that a full disk is an error."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def write_at(handle: int, data: memoryview, offset: int) -> None:
    """Write at a place of a file."""
    while data:
        done = os.pwrite(handle, data, offset)
        data, offset = data[done:], offset + done


def read_at(handle: int, into: memoryview, offset: int) -> None:
    """Fill a buffer from a place of a file."""
    while into:
        done = os.preadv(handle, [into], offset)
        if not done:
            raise OSError(f"a file of the conversion is {len(into)} bytes short")
        into, offset = into[done:], offset + done
