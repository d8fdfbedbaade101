"""Recordings written, read back, damaged and cut off."""

import base64
import codecs
import gzip
import json
import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware_bridge.errors import RecordingFileError
from firmware_bridge.received import LineBytes, Published, Received
from firmware_bridge.recording import (
    LEAP_S,
    MAX_LINE_BYTES,
    BadLine,
    RecordingWriter,
    decode_line,
    encode_line,
    read_recording,
)

TOPIC = "rackwatch/v1/T1/east/readings"

received = st.one_of(
    st.builds(
        Published,
        st.just(0.0),
        st.text(max_size=20),
        st.binary(max_size=60) | st.text(max_size=30).map(str.encode),
        st.integers(0, 2),
        st.booleans(),
    ),
    st.builds(LineBytes, st.just(0.0), st.text(max_size=10), st.binary(max_size=60), st.booleans()),
)


def write_lines(path: Path, *lines: bytes) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return path


def in_order(entries: list[Received]) -> list[Received]:
    """The same entries, each a quarter of a second after the one before."""
    return [
        Published(number / 4, entry.topic, entry.payload, entry.qos, entry.retain)
        if isinstance(entry, Published)
        else LineBytes(number / 4, entry.port, entry.data, entry.sent)
        for number, entry in enumerate(entries)
    ]


@given(st.lists(received, max_size=10), st.sampled_from(["r.jsonl", "r.jsonl.gz"]))
def test_what_is_written_is_read_back(entries: list[Received], name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        with RecordingWriter(path, began_s=100.0) as writer:
            for entry in in_order(entries):
                writer.write(later(entry, 100.0))
        assert list(read_recording(path)) == in_order(entries)


def later(entry: Received, by_s: float) -> Received:
    if isinstance(entry, Published):
        return Published(entry.at_s + by_s, entry.topic, entry.payload, entry.qos, entry.retain)
    return LineBytes(entry.at_s + by_s, entry.port, entry.data, entry.sent)


def test_the_examples_of_the_contract(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "r.jsonl",
        b'{"at": 12.345678, "topic": "rackwatch/v1/T1/east/readings", "payload": "{...}"}',
        b'{"at": 12.345901, "port": "usb-1", "bytes": "AAEC"}',
        b'{"at": 12.350000, "topic": "a", "payload_base64": "/w==", "retain": true, "qos": 1}',
    )
    assert list(read_recording(path)) == [
        Published(12.345678, TOPIC, b"{...}"),
        LineBytes(12.345901, "usb-1", b"\x00\x01\x02"),
        Published(12.35, "a", b"\xff", 1, True),
    ]


def test_a_line_written_is_of_the_contracts_form() -> None:
    assert json.loads(encode_line(Published(1.25, TOPIC, b"{}"))) == {"at": 1.25, "topic": TOPIC, "payload": "{}"}
    assert json.loads(encode_line(Published(1.0, TOPIC, b"\xff", 1, True))) == {
        "at": 1.0,
        "topic": TOPIC,
        "payload_base64": base64.b64encode(b"\xff").decode(),
        "retain": True,
        "qos": 1,
    }
    assert json.loads(encode_line(LineBytes(1.0, "usb-1", b"\x00"))) == {"at": 1.0, "port": "usb-1", "bytes": "AA=="}


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"null",
        b'{"topic": "a", "payload": "b"}',
        b'{"at": "1", "topic": "a", "payload": "b"}',
        b'{"at": NaN, "topic": "a", "payload": "b"}',
        b'{"at": 1e999, "topic": "a", "payload": "b"}',
        b'{"at": 1, "topic": "a"}',
        b'{"at": 1, "payload": "b"}',
        b'{"at": 1, "topic": "a", "payload": "b", "payload_base64": "AA=="}',
        b'{"at": 1, "topic": "a", "payload": "b", "port": "p", "bytes": "AA=="}',
        b'{"at": 1, "port": "p", "bytes": "no base64!"}',
        b'{"at": 1, "port": "p"}',
        b'{"at": 1, "topic": "\xff", "payload": "b"}',
        b'{"x":' * 3000,
    ],
)
def test_a_line_of_another_form_is_reported_with_its_number_and_skipped(tmp_path: Path, line: bytes) -> None:
    good = encode_line(Published(1.0, TOPIC, b"{}")).rstrip()
    first, bad, last = read_recording(write_lines(tmp_path / "r.jsonl", good, line, good))
    assert first == last == Published(1.0, TOPIC, b"{}")
    assert isinstance(bad, BadLine)
    assert (bad.number, bad.skipped) == (2, True)
    assert bad.reason


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path) -> None:
    good = encode_line(Published(1.0, TOPIC, b"{}")).rstrip()
    path = write_lines(tmp_path / "r.jsonl", b"x" * (3 * MAX_LINE_BYTES), good)
    assert list(read_recording(path)) == [
        BadLine(1, f"longer than {MAX_LINE_BYTES} bytes"),
        Published(1.0, TOPIC, b"{}"),
    ]


def test_time_never_goes_back(tmp_path: Path) -> None:
    lines = [encode_line(Published(at, TOPIC, b"{}")).rstrip() for at in (1.0, 0.5, 2.0)]
    entries = list(read_recording(write_lines(tmp_path / "r.jsonl", *lines)))
    assert [entry.at_s for entry in entries if isinstance(entry, Published)] == [1.0, 1.0, 2.0]
    assert [(entry.number, entry.skipped) for entry in entries if isinstance(entry, BadLine)] == [(2, False)]


@pytest.mark.parametrize(
    ("times", "kept", "bad"),
    [
        ((1.0, 1e9, 2.0, 3.0), [1.0, 2.0, 3.0], [2]),
        ((1.0, 1e9, 2e9, 2.0), [1.0, 2.0], [2, 3]),
        ((1e9, 1.0, 2.0), [1.0, 2.0], [1]),
        ((1.0, 1e9), [1.0], [2]),
        ((1.0, 1.0 + LEAP_S, 1e9, 2.0 + LEAP_S), [1.0, 1.0 + LEAP_S, 2.0 + LEAP_S], [3]),
        ((1.0, 1e5, 1e5 + 1.0, 1e5 + 2.0), [1.0, 1e5, 1e5 + 1.0, 1e5 + 2.0], []),
        ((1.7e9, 1.7e9 + 1.0), [1.7e9, 1.7e9 + 1.0], []),
        ((1.0, 1e5, 1e5 - 0.5), [1.0, 1e5, 1e5], [3]),
        ((), [], []),
    ],
)
def test_an_absurd_time_does_not_cost_the_rest(
    tmp_path: Path, times: tuple[float, ...], kept: list[float], bad: list[int]
) -> None:
    lines = [encode_line(Published(at, TOPIC, b"{}")).rstrip() for at in times]
    entries = list(read_recording(write_lines(tmp_path / "r.jsonl", *lines)))
    assert [entry.at_s for entry in entries if isinstance(entry, Published)] == kept
    assert [entry.number for entry in entries if isinstance(entry, BadLine)] == bad


def test_a_damaged_line_beside_a_leap_changes_nothing(tmp_path: Path) -> None:
    lines = [encode_line(Published(at, TOPIC, b"{}")).rstrip() for at in (1.0, 1e5, 1e5 + 1.0)]
    lines.insert(2, b"{")
    entries = list(read_recording(write_lines(tmp_path / "r.jsonl", *lines)))
    assert [entry.at_s for entry in entries if isinstance(entry, Published)] == [1.0, 1e5, 1e5 + 1.0]
    assert [entry.number for entry in entries if isinstance(entry, BadLine)] == [3]


def test_the_last_line_needs_no_line_end(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(encode_line(Published(1.0, TOPIC, b"{}")).rstrip())
    assert list(read_recording(path)) == [Published(1.0, TOPIC, b"{}")]


def test_compression_is_told_by_content_and_not_by_name(tmp_path: Path) -> None:
    path = tmp_path / "renamed.jsonl"
    path.write_bytes(gzip.compress(encode_line(Published(1.0, TOPIC, b"{}"))))
    assert list(read_recording(path)) == [Published(1.0, TOPIC, b"{}")]


@pytest.mark.parametrize("damage", ["cut", "flipped"])
def test_a_damaged_compressed_file_is_read_as_far_as_it_goes(tmp_path: Path, damage: str) -> None:
    lines = [encode_line(Published(float(n), TOPIC, os.urandom(100).hex().encode())) for n in range(1000)]
    whole = bytearray(gzip.compress(b"".join(lines)))
    if damage == "cut":
        del whole[len(whole) // 2 :]
    else:
        whole[-6] ^= 0xFF
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(whole)
    *good, bad = read_recording(path)
    assert isinstance(bad, BadLine)
    assert bad.number == len(good) + 1
    assert [entry.at_s for entry in good if isinstance(entry, Published)] == [float(n) for n in range(len(good))]
    assert len(good) > 400


def test_a_flushed_recording_is_readable_while_it_is_still_written(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    with RecordingWriter(path) as writer:
        writer.write(Published(1.0, TOPIC, b"{}"))
        writer.flush()
        first, bad = read_recording(path)
    assert first == Published(1.0, TOPIC, b"{}")
    assert isinstance(bad, BadLine)


def test_the_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"]
    for path in paths:
        with RecordingWriter(path) as writer:
            writer.write(Published(1.0, TOPIC, b"{}"))
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_a_file_that_cannot_be_opened_or_would_be_overwritten_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingFileError) as missing:
        read_recording(tmp_path / "missing.jsonl")
    assert missing.value.path == tmp_path / "missing.jsonl"
    path = write_lines(tmp_path / "there.jsonl", b"keep me")
    with pytest.raises(RecordingFileError):
        RecordingWriter(path)
    assert path.read_bytes() == b"keep me\n"


@given(st.binary(max_size=300))
def test_any_file_is_read_to_its_end(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        for prefix in (b"", b"\x1f\x8b", b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"):
            path.write_bytes(prefix + content)
            for entry in read_recording(path):
                assert isinstance(entry, BadLine | Published | LineBytes)


def test_a_mark_before_the_first_line_costs_nothing(tmp_path: Path) -> None:
    good = encode_line(Published(1.0, TOPIC, b"{}")).rstrip()
    path = write_lines(tmp_path / "r.jsonl", codecs.BOM_UTF8 + good, good)
    assert list(read_recording(path)) == [Published(1.0, TOPIC, b"{}")] * 2


def test_a_line_nested_too_deeply_is_told_in_plain_words() -> None:
    assert decode_line(b'{"x":' + b"[" * 5000) == "is nested too deeply"
