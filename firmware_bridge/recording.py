"""Recordings: what arrived, as it arrived, before any decoding (contract: spec of recordings).

Owns the file form, both ways. Refuses to know what is inside a payload, and the clock: times are handed in. A
recording read gives exactly what the transport had given when it was written, so replay and live run share every
line of code from here on.

A damaged file is read as far as it goes: a line that is not of the form, and an end cut off in the middle of its
compression, come out as `BadLine` with the line's number.
"""

import codecs
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
from firmware_bridge.undecodable import UNREADABLE, why

MAX_LINE_BYTES = 1 << 18
"""A payload of 64 kB, escaped, fits; our choice, so that a file without line ends cannot fill the memory."""

LEAP_S = 6 * 3600.0
"""A line later than the one before it by more than this is believed only if the next line is of that time too. Our
choice: nodes speak every second, a pause over dinner is shorter, and a damaged `at` is most often off by far more."""

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
    run_s: float | None = None


class _Numbered(Struct, frozen=True):
    number: int
    received: Received


_decoder = msgspec.json.Decoder(_Line)
_encoder = msgspec.json.Encoder()


def read_recording(path: Path) -> Iterator[Received | BadLine]:
    """Yield what a recording holds, in order, and a `BadLine` wherever it is damaged.

    `at_s` never goes back: a line earlier than the one before it is reported and taken at that one's time. A leap of
    more than `LEAP_S` (six hours; for the first line, from 0) that the next line does not confirm is reported and
    skipped, so that one absurd time does not cost the rest.
    Raises `RecordingFileError` at once where the file cannot be opened; never while reading.
    """
    try:
        file = path.open("rb")
    except OSError as failure:
        raise RecordingFileError(path, failure.strerror or str(failure)) from failure
    lines = _read(file)
    next(lines)
    return _in_time(lines)


def run_second(path: Path) -> float | None:
    """The second of its run that is 0 in this recording, where the first line tells it (`run_s`).

    Raises `RecordingFileError` where the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            line = _source(file).readline(MAX_LINE_BYTES)
    except (OSError, EOFError, zlib.error) as failure:
        raise RecordingFileError(path, str(failure)) from failure
    try:
        return _decoder.decode(line).run_s
    except UNREADABLE:
        return None


def encode_line(received: Received, began_s: float = 0.0, run_s: float | None = None) -> bytes:
    """One line of a recording that began at `began_s`, with its line end.

    `run_s`, for the first line of a later file of a run: that file's 0 in seconds of the run.
    """
    at = round(received.at_s - began_s, _DECIMALS)
    match received:
        case Published(_, topic, payload, qos, retain):
            try:
                line = _Line(at, topic, payload=payload.decode("utf-8"), qos=qos, retain=retain, run_s=run_s)
            except UnicodeDecodeError:
                line = _Line(at, topic, payload_base64=payload, qos=qos, retain=retain, run_s=run_s)
        case LineBytes(_, port, data, sent):
            line = _Line(at, port=port, data=data, sent=sent, run_s=run_s)
        case _:
            assert_never(received)
    return _encoder.encode(line) + b"\n"


def decode_line(line: bytes) -> Received | str:
    """What one line holds, or why it is not of the form."""
    try:
        read = _decoder.decode(line)
    except UNREADABLE as failure:
        return why(failure)
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


def _read(file: IO[bytes]) -> Iterator[_Numbered | BadLine]:
    with file:
        yield BadLine(0, "taken by read_recording: a generator that has begun closes its file when it is dropped")
        source = _source(file)
        number = 0
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
            found = decode_line(line.removeprefix(codecs.BOM_UTF8) if number == 1 else line)
            yield BadLine(number, found) if isinstance(found, str) else _Numbered(number, found)


def _source(file: IO[bytes]) -> IO[bytes] | io.BufferedReader:
    """The file's lines, inflated where it is compressed."""
    compressed = file.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    file.seek(0)
    return io.BufferedReader(_Inflated(file), _READ_BYTES) if compressed else file


def _in_time(lines: Iterator[_Numbered | BadLine]) -> Iterator[Received | BadLine]:
    """The lines with times that do not go back; one that leaps is held until the next one tells what to make of it."""
    last_s = float("-inf")
    held: _Numbered | None = None
    for line in lines:
        if isinstance(line, BadLine):
            yield line
            continue
        at_s = line.received.at_s
        leaps = at_s - max(last_s, 0.0) > LEAP_S
        if held is not None:
            if leaps and abs(at_s - held.received.at_s) <= LEAP_S:
                last_s, leaps = held.received.at_s, False
                yield held.received
            else:
                yield _leapt(held)
            held = None
        if leaps:
            held = line
        elif at_s < last_s:
            yield BadLine(line.number, "earlier than the line before; taken at the same time", skipped=False)
            yield msgspec.structs.replace(line.received, at_s=last_s)
        else:
            last_s = at_s
            yield line.received
    if held is not None:
        yield _leapt(held)


def _leapt(line: _Numbered) -> BadLine:
    hours = LEAP_S / 3600.0
    return BadLine(line.number, f"more than {hours:.0f} hours after the line before, and the next is not of that time")
