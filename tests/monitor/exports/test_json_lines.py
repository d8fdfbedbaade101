import json
from pathlib import Path

from monitor.exports.formats import Format
from monitor.exports.selection import Selection
from tests.monitor.exports.logs import BEGAN, UIDS, Batch, a_hand, evening, exported, write_log


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_a_line_has_its_place_both_times_and_the_record_itself(tmp_path: Path) -> None:
    log = evening(tmp_path / "log.sqlite")
    done = exported(log, Format.JSON_LINES, tmp_path / "out.jsonl")
    told = lines(tmp_path / "out.jsonl")
    assert (done.records, done.left_out) == (36, {})
    assert [line["seq"] for line in told] == list(range(1, 37))
    assert told[1] == {
        "seq": 2,
        "run": 1,
        "table": "T1",
        "hand": 1,
        "written_at": "2026-11-30T18:01:40.000000Z",
        "at_utc": "2026-11-30T18:00:20.000000Z",
        "at": 1020.0,
        "stream": "event",
        "record": {"kind": "dealt", "at": 1020.0, "seq": 2, "table": "T1", "east": "south"},
    }
    assert [line["stream"] for line in told].count("alert") == 3
    assert [line["record"]["hand"] for line in told if line["stream"] == "released"] == [1, 2, 1]
    assert BEGAN.isoformat() == "2026-11-30T18:00:00+00:00"


def test_a_moment_that_no_calendar_has_is_null(tmp_path: Path) -> None:
    records = a_hand(at=1e10 - 100)
    write_log(tmp_path / "log.sqlite", [Batch(0, "T1", records), Batch(1, "T1", a_hand(11, at=-9e9))])
    exported(tmp_path / "log.sqlite", Format.JSON_LINES, tmp_path / "out.jsonl")
    told = lines(tmp_path / "out.jsonl")
    assert str(told[0]["at_utc"]).startswith("2343-")
    told = [line for line in told if line["stream"] == "event"]
    assert str(told[-1]["at_utc"]).startswith("1741-")


def test_each_run_has_its_own_clock(tmp_path: Path) -> None:
    for _ in range(2):
        write_log(tmp_path / "log.sqlite", [Batch(5, "T1", a_hand())])
    exported(tmp_path / "log.sqlite", Format.JSON_LINES, tmp_path / "out.jsonl")
    told = [line for line in lines(tmp_path / "out.jsonl") if line["stream"] == "event"]
    assert [line["run"] for line in told] == [1] * 10 + [2] * 10
    assert [line["hand"] for line in told] == [1] * 10 + [2] * 10


def test_table_hand_and_time_choose(tmp_path: Path) -> None:
    log = evening(tmp_path / "log.sqlite")

    def seqs(selection: Selection) -> list[object]:
        exported(log, Format.JSON_LINES, tmp_path / "out.jsonl", selection)
        return [line["seq"] for line in lines(tmp_path / "out.jsonl")]

    assert seqs(Selection(table="T2")) == list(range(25, 35))
    assert seqs(Selection(table="T1", hand=2)) == list(range(15, 25))
    began = BEGAN.timestamp()
    assert seqs(Selection(since_utc_s=began + 300)) == list(range(13, 37))
    assert seqs(Selection(until_utc_s=began + 300)) == list(range(1, 13))
    assert seqs(Selection("T1", None, began + 100, began + 301)) == [*range(1, 14), *range(15, 25)]


def test_identities_only_when_asked_for(tmp_path: Path) -> None:
    log = evening(tmp_path / "log.sqlite")
    exported(log, Format.JSON_LINES, tmp_path / "bare.jsonl")
    exported(log, Format.JSON_LINES, tmp_path / "full.jsonl", identities=True)
    bare, full = (tmp_path / "bare.jsonl").read_text(), (tmp_path / "full.jsonl").read_text()
    assert not any(uid in bare for uid in UIDS)
    assert all(uid in full for uid in UIDS)
