"""Recordings: what arrived, as it arrived, before any decoding (contract: spec of recordings).

Owns the file form, both ways. Refuses to know what is inside a payload, and the clock: times are handed in. A
recording read gives exactly what the transport had given when it was written, so replay and live run share every
line of code from here on.

A damaged file is read as far as it goes: a line that is not of the form, and an end cut off in the middle of its
compression, come out as `BadLine` with the line's number.
"""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Self, assert_never

import msgspec
from msgspec import Struct

from firmware_bridge.errors import RecordingFileError
from firmware_bridge.received import LineBytes, Published, Received

MAX_LINE_BYTES = 1 << 18
"""A payload of 64 kB, escaped, fits; our choice, so that a file without line ends cannot fill the memory."""

_GZIP_MAGIC = b"\x1f\x8b"
_READ_BYTES = 1 << 16
_DECIMALS = 6
_BROKEN_FILE = (EOFError, OSError, zlib.error)


class BadLine(Struct, frozen=True):
    """Line `number` (from 1) is not of the form, or not all of it; `skipped` unless it could be used all the same."""

    number: int
    reason: str
    skipped: bool = True


class _Line(Struct, frozen=True, omit_defaults=True):
    at: float
    topic: str | None = None
    port: str | None = None
    payload: str | None = None
    payload_base64: bytes | None = None
    data: bytes | None = msgspec.field(default=None, name="bytes")
    retain: bool = False
    qos: int = 0
    sent: bool = False


_decoder = msgspec.json.Decoder(_Line)
_encoder = msgspec.json.Encoder()


def read_recording(path: Path) -> Iterator[Received | BadLine]:
    """Yield what a recording holds, in order, and a `BadLine` wherever it is damaged.

    `at_s` never goes back: a line earlier than the one before it is reported and taken at that one's time.
    Raises `RecordingFileError` at once where the file cannot be opened; never while reading.
    """
    try:
        file = path.open("rb")
    except OSError as failure:
        raise RecordingFileError(path, failure.strerror or str(failure)) from failure
    entries = _read(file)
    next(entries)
    return entries


def encode_line(received: Received, began_s: float = 0.0) -> bytes:
    """One line of a recording that began at `began_s`, with its line end."""
    at = round(received.at_s - began_s, _DECIMALS)
    match received:
        case Published(_, topic, payload, qos, retain):
            try:
                line = _Line(at, topic, payload=payload.decode("utf-8"), qos=qos, retain=retain)
            except UnicodeDecodeError:
                line = _Line(at, topic, payload_base64=payload, qos=qos, retain=retain)
        case LineBytes(_, port, data, sent):
            line = _Line(at, port=port, data=data, sent=sent)
        case _:
            assert_never(received)
    return _encoder.encode(line) + b"\n"


def decode_line(line: bytes) -> Received | str:
    """What one line holds, or why it is not of the form."""
    try:
        read = _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as failure:
        return str(failure)
    match read:
        case _Line(at, topic=str(topic), payload=str(payload), payload_base64=None, port=None, data=None):
            return Published(at, topic, payload.encode(), read.qos, read.retain)
        case _Line(at, topic=str(topic), payload=None, payload_base64=bytes(payload), port=None, data=None):
            return Published(at, topic, payload, read.qos, read.retain)
        case _Line(at, port=str(port), data=bytes(data), topic=None, payload=None, payload_base64=None):
            return LineBytes(at, port, data, read.sent)
        case _:
            return "neither a topic with a payload nor a port with bytes"


class RecordingWriter:
    """Writes a recording; compressed where the name ends in `.gz`. Use it as a context manager.

    Never overwrites: raises `RecordingFileError` where the file exists or cannot be made.
    """

    def __init__(self, path: Path, began_s: float = 0.0) -> None:
        """`began_s`: the host's monotonic second which the recording counts as 0."""
        self._began_s = began_s
        try:
            self._file: IO[bytes] = path.open("xb")
        except OSError as failure:
            raise RecordingFileError(path, failure.strerror or str(failure)) from failure
        self._gzip = gzip.GzipFile("", "wb", fileobj=self._file, mtime=0) if path.suffix == ".gz" else None
        self._out: IO[bytes] | gzip.GzipFile = self._gzip or self._file

    def write(self, received: Received) -> None:
        """Add a line. Buffered: see `flush`."""
        self._out.write(encode_line(received, self._began_s))

    def flush(self) -> None:
        """Hand everything written so far to the system, so that a reader of the unfinished file finds it."""
        self._out.flush()
        self._file.flush()

    def close(self) -> None:
        """End the file."""
        if self._gzip is not None:
            self._gzip.close()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Inflated(io.RawIOBase):
    """A compressed file, inflated piece by piece: what comes before a break is handed out before the break is raised,
    which a `GzipFile` under a large buffer does not do."""

    def __init__(self, file: IO[bytes]) -> None:
        self._gzip = gzip.GzipFile(fileobj=file)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # io.BufferedReader hands in a memoryview
        piece = self._gzip.read1(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def _read(file: IO[bytes]) -> Iterator[Received | BadLine]:
    with file:
        yield BadLine(0, "taken by read_recording: a generator that has begun closes its file when it is dropped")
        compressed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
        file.seek(0)
        source = io.BufferedReader(_Inflated(file), _READ_BYTES) if compressed else file
        number = 0
        last_s = float("-inf")
        while True:
            number += 1
            try:
                line = source.readline(MAX_LINE_BYTES)
                if len(line) == MAX_LINE_BYTES and not line.endswith(b"\n"):
                    while line and not line.endswith(b"\n"):
                        line = source.readline(MAX_LINE_BYTES)
                    yield BadLine(number, f"longer than {MAX_LINE_BYTES} bytes")
                    continue
            except _BROKEN_FILE as failure:
                yield BadLine(number, f"the file cannot be read beyond this line: {failure}")
                return
            if not line:
                return
            found = decode_line(line)
            if isinstance(found, str):
                yield BadLine(number, found)
            elif found.at_s < last_s:
                yield BadLine(number, "earlier than the line before; taken at the same time", skipped=False)
                yield msgspec.structs.replace(found, at_s=last_s)
            else:
                last_s = found.at_s
                yield found
