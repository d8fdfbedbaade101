"""Makes a recording whole that a crash or a full disk cut off, where it lies and without a second copy.

Owns what the end of a compressed file means. A recording is flushed each second, which ends the compressed stream at a
byte with the mark `00 00 ff ff`. Everything up to the last such mark can be read; what is behind it is cut away and the
stream ended as it should be. So a crash costs at most what was not flushed.
"""

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final

from msgspec import Struct

MARK: Final = b"\x00\x00\xff\xff"
"""What zlib's Z_SYNC_FLUSH ends with (RFC 1951, an empty stored block)."""
HEADER: Final = b"\x1f\x8b\x08\x00"
"""How a gzip file without a name begins (RFC 1952)."""
_HEADER_BYTES: Final = 10
_TAIL_BYTES: Final = 8
_LAST_BLOCK: Final = b"\x03\x00"
_READ_BYTES: Final = 1 << 16


class Mended(Struct, frozen=True):
    """What a file holds now: `text_bytes` once inflated; `cut_bytes` of the file were behind the last flush."""

    text_bytes: int
    cut_bytes: int


class _Sound(Struct, frozen=True):
    """The stream is sound up to `end_bytes` of the file."""

    end_bytes: int
    crc: int
    text_bytes: int
    ended: bool = False


def mend(path: Path) -> Mended:
    """Make the file at `path` whole. One that holds nothing readable is empty afterwards. Raises `OSError`."""
    with path.open("r+b") as file:
        size_bytes = file.seek(0, os.SEEK_END)
        sound = _sound_part(file)
        if sound.ended:
            return Mended(sound.text_bytes, 0)
        file.seek(sound.end_bytes)
        file.truncate()
        if sound.text_bytes:
            file.write(_LAST_BLOCK + tail(sound.crc, sound.text_bytes))
        else:
            file.seek(0)
            file.truncate()
        file.flush()
        os.fsync(file.fileno())
    return Mended(sound.text_bytes, size_bytes - sound.end_bytes)


def tail(crc: int, text_bytes: int) -> bytes:
    """How a gzip file ends."""
    return crc.to_bytes(4, "little") + (text_bytes & 0xFFFFFFFF).to_bytes(4, "little")


def _sound_part(file: BinaryIO) -> _Sound:
    file.seek(0)
    sound = _Sound(0, 0, 0)
    if file.read(_HEADER_BYTES)[: len(HEADER)] != HEADER:
        return sound
    stream = zlib.decompressobj(-zlib.MAX_WBITS)
    crc, text_bytes, at_bytes = 0, 0, _HEADER_BYTES
    for piece in _pieces(file):
        try:
            text = stream.decompress(piece)
        except zlib.error:
            return sound
        crc, text_bytes, at_bytes = zlib.crc32(text, crc), text_bytes + len(text), at_bytes + len(piece)
        if stream.eof:
            end_bytes = at_bytes - len(stream.unused_data)
            file.seek(end_bytes)
            whole = file.read(_TAIL_BYTES + 1) == tail(crc, text_bytes)
            return _Sound(end_bytes, crc, text_bytes, ended=True) if whole else sound
        if piece.endswith(MARK) and _may_end(stream):
            sound = _Sound(at_bytes, crc, text_bytes)
    return sound


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    """The rest of a file, cut behind each mark; one may lie across two reads."""
    pending = b""
    while read := file.read(_READ_BYTES):
        pending += read
        while (at := pending.find(MARK)) >= 0:
            yield pending[: at + len(MARK)]
            pending = pending[at + len(MARK) :]
        doubtful = len(MARK) - 1
        if len(pending) > doubtful:
            yield pending[:-doubtful]
            pending = pending[-doubtful:]
    if pending:
        yield pending


def _may_end(stream: "zlib._Decompress") -> bool:
    """Whether the stream stands between two blocks: the four bytes of the mark may come up anywhere by chance."""
    tried = stream.copy()
    try:
        tried.decompress(_LAST_BLOCK)
    except zlib.error:
        return False
    return tried.eof
