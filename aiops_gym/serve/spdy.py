"""SPDY/3.1 as far as `kubectl port-forward` speaks it: streams of bytes with headers, over one connection.

Source: "SPDY Protocol - Draft 3.1", sections 2.2 (frames), 2.6.1 to 2.6.10 (control frames, compression of headers).
Flow control is left out, as it is in Kubernetes; so are priorities and settings, which it sends none of.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import NamedTuple

VERSION = 3
SYN_STREAM, SYN_REPLY, RST_STREAM, PING, GOAWAY = 1, 2, 3, 6, 7
FIN = 1
LARGEST = 1 << 20
"""Bytes of a frame; clients of Kubernetes send 32 KiB at most."""

LARGEST_HEADERS = 1 << 16

_WORDS = """options head post put delete trace accept accept-charset accept-encoding accept-language accept-ranges age
allow authorization cache-control connection content-base content-encoding content-language content-length
content-location content-md5 content-range content-type date etag expect expires from host if-match if-modified-since
if-none-match if-range if-unmodified-since last-modified location max-forwards pragma proxy-authenticate
proxy-authorization range referer retry-after server te trailer transfer-encoding upgrade user-agent vary via warning
www-authenticate method get status 200_OK version HTTP/1.1 url public set-cookie keep-alive origin"""
_CODES = """100 101 201 202 205 206 300 302 303 304 305 306 307 402 405 406 407 408 409 410 411 412 413 414 415 416 417
502 504 505"""
_REST = """203_Non-Authoritative_Information 204_No_Content 301_Moved_Permanently 400_Bad_Request 401_Unauthorized
403_Forbidden 404_Not_Found 500_Internal_Server_Error 501_Not_Implemented 503_Service_Unavailable Jan_ Feb_ Mar_ Apr_
May_ Jun_ Jul_ Aug_ Sept_ Oct_ Nov_ Dec_ 00:00:00_ Mon,_ Tue,_ Wed,_ Thu,_ Fri,_ Sat,_ Sun,_ GMT chunked, text/html,
image/png, image/jpg, image/gif, application/xml, application/xhtml+xml, text/plain, text/javascript, public private
max-age= gzip, deflate, sdch charset=utf-8 charset=iso-8859-1, utf- , *, enq=0."""


def _make_dictionary() -> bytes:
    """What both sides know of headers before the first one (2.6.10.1): words with their lengths, then plain text."""
    words = [each.replace("_", " ").encode() for each in _WORDS.split()]
    counted = b"".join(struct.pack(">I", len(each)) + each for each in words)
    return counted + "".join((*_CODES.split(), *_REST.split())).replace("_", " ").encode()


DICTIONARY = _make_dictionary()


class Opened(NamedTuple):
    """The other side has opened a stream; `ended` where it will write nothing to it."""

    stream: int
    headers: Mapping[str, str]
    ended: bool


class Data(NamedTuple):
    """Bytes of a stream; `ended` where they are the last."""

    stream: int
    body: bytes
    ended: bool


class Reset(NamedTuple):
    """A stream is given up."""

    stream: int


class Ping(NamedTuple):
    """Is to be sent back as it is."""

    number: int


class Leaving(NamedTuple):
    """The other side opens no further streams."""


Frame = Opened | Data | Reset | Ping | Leaving


class SpdyError(Exception):
    """What came is no SPDY, or more than anybody sends."""


class Frames:
    """One side of a connection: reads what the other side sends, and makes what it is sent.

    >>> frames = Frames()
    >>> list(Frames().read(frames.data(1, b"hi", ended=True)))
    [Data(stream=1, body=b'hi', ended=True)]
    """

    def __init__(self) -> None:
        self._left = b""
        self._reader = zlib.decompressobj(zdict=DICTIONARY)
        self._writer = zlib.compressobj(zdict=DICTIONARY)

    def read(self, piece: bytes) -> Iterator[Frame]:
        """The frames that are whole now. Raises SpdyError."""
        self._left += piece
        while len(self._left) >= 8:
            first, second = struct.unpack(">II", self._left[:8])
            length = second & 0xFFFFFF
            if length > LARGEST:
                raise SpdyError(f"a frame of {length} bytes")
            if len(self._left) < 8 + length:
                return
            body, self._left = self._left[8 : 8 + length], self._left[8 + length :]
            frame = self._frame(first, second >> 24, body)
            if frame is not None:
                yield frame

    def _frame(self, first: int, flags: int, body: bytes) -> Frame | None:
        """A frame, None for one that asks for nothing."""
        ended = bool(flags & FIN)
        if not first >> 31:
            return Data(first, body, ended)
        version, kind = first >> 16 & 0x7FFF, first & 0xFFFF
        if version != VERSION:
            raise SpdyError(f"version {version}")
        try:
            if kind == SYN_STREAM:
                return Opened(_number(body), self._headers(body[10:]), ended)
            if kind == RST_STREAM:
                return Reset(_number(body))
            if kind == PING:
                return Ping(_number(body))
        except (struct.error, zlib.error, UnicodeDecodeError) as error:
            raise SpdyError(str(error)) from None
        return Leaving() if kind == GOAWAY else None

    def _headers(self, packed: bytes) -> dict[str, str]:
        """Names, which are in lower case, and values."""
        text = self._reader.decompress(packed, LARGEST_HEADERS)
        (many,), at = struct.unpack_from(">I", text), 4
        parts: list[str] = []
        for _ in range(2 * many):
            (length,) = struct.unpack_from(">I", text, at)
            at += 4 + length
            parts.append(text[at - length : at].decode())
        return dict(zip(parts[::2], parts[1::2], strict=True))

    def open(self, stream: int, headers: Mapping[str, str], *, ended: bool = False) -> bytes:
        """SYN_STREAM: a new stream."""
        return _control(SYN_STREAM, struct.pack(">IIH", stream, 0, 0) + self._pack(headers), FIN if ended else 0)

    def accept(self, stream: int) -> bytes:
        """SYN_REPLY: the stream is taken."""
        return _control(SYN_REPLY, struct.pack(">I", stream) + self._pack({}))

    def data(self, stream: int, body: bytes, *, ended: bool = False) -> bytes:
        """Bytes of a stream."""
        return struct.pack(">II", stream, (FIN if ended else 0) << 24 | len(body)) + body

    def pong(self, ping: Ping) -> bytes:
        """What a ping is answered with."""
        return _control(PING, struct.pack(">I", ping.number))

    def _pack(self, headers: Mapping[str, str]) -> bytes:
        words = [each.encode() for pair in headers.items() for each in pair]
        text = struct.pack(">I", len(headers)) + b"".join(struct.pack(">I", len(each)) + each for each in words)
        return self._writer.compress(text) + self._writer.flush(zlib.Z_SYNC_FLUSH)


def _control(kind: int, body: bytes, flags: int = 0) -> bytes:
    return struct.pack(">HHI", 0x8000 | VERSION, kind, flags << 24 | len(body)) + body


def _number(body: bytes) -> int:
    (found,) = struct.unpack_from(">I", body)
    return int(found) & 0x7FFFFFFF
