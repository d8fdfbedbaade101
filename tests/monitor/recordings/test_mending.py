"""A recording cut off anywhere is made whole with everything up to its last flush."""

import gzip
import zlib
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.recordings.mending import HEADER, MARK, mend


class Flushed:
    """A compressed file, and what it held at each flush."""

    def __init__(self, pieces: list[bytes]) -> None:
        stream = zlib.compressobj(6, zlib.DEFLATED, 31)
        self.data = b""
        self.flushes: list[tuple[int, bytes]] = []
        text = b""
        for piece in pieces:
            text += piece
            self.data += stream.compress(piece) + stream.flush(zlib.Z_SYNC_FLUSH)
            self.flushes.append((len(self.data), text))
        self.unflushed = self.data + stream.compress(b"not flushed\n" * 9)
        self.data = self.unflushed + stream.flush()
        self.text = text
        self.all_text = text + b"not flushed\n" * 9

    def held_at(self, size: int) -> bytes:
        return next((text for at, text in reversed(self.flushes) if at <= size), b"")


def mended(path: Path, data: bytes) -> bytes:
    path.write_bytes(data)
    told = mend(path)
    found = path.read_bytes()
    text = gzip.decompress(found) if found else b""
    assert told.text_bytes == len(text)
    return text


def test_every_cut_costs_no_more_than_what_was_not_flushed(tmp_path: Path) -> None:
    random = Random(7)
    file = Flushed([random.randbytes(random.randrange(1, 60)) + b"line\n" * random.randrange(20) for _ in range(12)])
    for size in range(len(file.data)):
        assert mended(tmp_path / "r", file.data[:size]) == file.held_at(size), size
    assert mended(tmp_path / "r", file.data) == file.all_text
    assert mended(tmp_path / "r", file.unflushed) == file.text


def test_a_whole_file_stays_as_it_is(tmp_path: Path) -> None:
    file = Flushed([b"a\n", b"b\n"])
    path = tmp_path / "r"
    path.write_bytes(file.data)
    assert mend(path).cut_bytes == 0
    assert path.read_bytes() == file.data


def test_a_file_larger_than_one_read_with_the_mark_across_reads(tmp_path: Path) -> None:
    random = Random(8)
    for shift in range(8):
        first = random.randbytes((1 << 16) - 30 + shift)
        file = Flushed([first, b"second\n", random.randbytes(1 << 17), b"last\n"])
        for cut in (1, 7, 9, 20):
            size = len(file.data) - cut
            assert mended(tmp_path / "r", file.data[:size]) == file.held_at(size)


def test_the_mark_inside_the_readings_is_no_end(tmp_path: Path) -> None:
    random = Random(9)
    file = Flushed([b"whole\n", b"".join(MARK + random.randbytes(40) for _ in range(200))])
    for size in range(file.flushes[0][0], len(file.data) - 12, 97):
        assert mended(tmp_path / "r", file.data[:size]) == file.held_at(size)


@pytest.mark.parametrize("data", [b"", b"\x1f", HEADER, b"no gzip at all", bytes(5000)])
def test_what_holds_nothing_is_empty_afterwards(tmp_path: Path, data: bytes) -> None:
    assert mended(tmp_path / "r", data) == b""


def test_zeros_of_a_disk_that_lost_power_are_cut_away(tmp_path: Path) -> None:
    file = Flushed([b"one\n" * 50, b"two\n" * 50])
    assert mended(tmp_path / "r", file.data[: file.flushes[0][0]] + bytes(4096)) == file.flushes[0][1]


@given(st.binary(max_size=400))
def test_any_bytes_come_out_readable(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "r"
    for begin in (b"", HEADER + bytes(6), Flushed([b"x\n"]).unflushed):
        mended(path, begin + data)
