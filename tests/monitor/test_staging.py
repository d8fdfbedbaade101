import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import monitor.log
from monitor.errors import NothingMatchesError, UnusableFileError
from monitor.exports.export import Wanted, export
from monitor.exports.formats import Format
from monitor.exports.selection import Selection
from monitor.staging import staged_file, staged_folder
from tests.monitor.exports.logs import NOW, evening, exported

NAMES = {Format.JSON_LINES: "o.jsonl", Format.CSV: "o.zip", Format.XLSX: "o.xlsx", Format.PDF: "o.pdf"}
KINDS = [*((form, NAMES[form]) for form in Format), (Format.CSV, "folder")]


class BrokeError(Exception):
    pass


@pytest.mark.parametrize(("form", "name"), KINDS)
@pytest.mark.parametrize("error", [BrokeError, KeyboardInterrupt, OSError])
def test_a_failure_half_way_leaves_nothing(tmp_path: Path, form: Format, name: str, error: type[BaseException]) -> None:
    log = evening(tmp_path / "log.sqlite")
    out = tmp_path / "out"
    out.mkdir()
    if form is not Format.CSV:
        (out / name).write_text("the old one")

    def half(stored: object) -> object:
        for number, one in enumerate(stored):  # type: ignore[call-overload]
            if number == 20:
                raise error(28, "No space left on device")
            yield one

    with monitor.log.open(log) as opened, pytest.raises((error, UnusableFileError)):
        export(opened, Wanted(form, out / name), NOW, half)  # type: ignore[arg-type]
    assert [path.name for path in out.iterdir()] == ([name] if form is not Format.CSV else [])
    if form is not Format.CSV:
        assert (out / name).read_text() == "the old one"


@pytest.mark.parametrize(("form", "name"), KINDS)
def test_nothing_that_matches_is_told_with_what_there_is(tmp_path: Path, form: Format, name: str) -> None:
    log = evening(tmp_path / "log.sqlite")
    (tmp_path / "out").mkdir()
    with pytest.raises(NothingMatchesError) as told:
        exported(log, form, tmp_path / "out" / name, Selection(table="T9", hand=1))
    assert str(told.value) == (
        f"{log}: no record matches table T9, hand 1. The log holds tables T1, T2, hands 1 to 2, "
        "2026-11-30 18:01:40 to 2026-11-30 18:06:40"
    )
    assert list((tmp_path / "out").iterdir()) == []


def test_a_file_is_replaced_by_a_whole_one(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    with staged_file(target) as path:
        path.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_folder_is_made_or_an_empty_one_filled(tmp_path: Path) -> None:
    for target in (tmp_path / "new", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with staged_folder(target) as folder:
            (folder / "a.csv").write_text("a")
        assert [path.name for path in target.iterdir()] == ["a.csv"]
    with pytest.raises(UnusableFileError, match="with something in it"), staged_folder(tmp_path / "new"):
        pass
    assert (tmp_path / "new" / "a.csv").read_text() == "a"


def test_a_target_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(UnusableFileError, match="cannot be written: No such file or directory"):
        exported(evening(tmp_path / "log.sqlite"), Format.XLSX, tmp_path / "absent" / "out.xlsx")
    with pytest.raises(UnusableFileError, match="is a folder"), staged_file(tmp_path):
        pass
    with pytest.raises(UnusableFileError, match="is a file"), staged_folder(tmp_path / "file"):
        pass
    with pytest.raises(UnusableFileError, match="cannot be written"), staged_file(tmp_path / "file" / "out"):
        pass
    with pytest.raises(UnusableFileError, match="no plain file"), staged_file(Path("/dev/null")):
        pass


@pytest.mark.parametrize("ending", ["", "-wal", "-shm", ".lock"])
def test_the_log_itself_is_never_written_over(tmp_path: Path, ending: str) -> None:
    log = evening(tmp_path / "log.sqlite")
    (tmp_path / "link").symlink_to(log)
    for out in (log.with_name(log.name + ending), tmp_path / "link" if not ending else log.with_name("log.sqlite")):
        with pytest.raises(UnusableFileError, match="is read by this command"):
            exported(log, Format.JSON_LINES, out)
    with monitor.log.open(log) as opened:
        assert opened.count() == 36


DIES = """
import os, signal, sys
from pathlib import Path
sys.path[:] = {path!r}
from monitor.staging import staged_file, staged_folder
with {which}(Path({target!r})) as path:
    (path / "half" if path.is_dir() else path).write_text("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("which", [staged_file, staged_folder])
def test_what_a_killed_writer_left_the_next_one_takes_away(tmp_path: Path, which: Callable[[Path], Any]) -> None:
    target = tmp_path / "out [1].pdf"
    text = DIES.format(path=sys.path, which=which.__name__, target=str(target))
    assert subprocess.run([sys.executable, "-c", text], check=False, timeout=60).returncode == -9
    assert not target.exists()
    assert len(list(tmp_path.iterdir())) == 1
    with which(target) as path:
        (path / "whole" if path.is_dir() else path).write_text("whole")
    assert list(tmp_path.iterdir()) == [target]


def test_what_another_writer_still_writes_is_let_be(tmp_path: Path) -> None:
    target = tmp_path / "out.pdf"
    with staged_file(target) as first:
        first.write_text("first")
        with staged_file(target) as second:
            second.write_text("second")
        assert target.read_text() == "second"
    assert target.read_text() == "first"


def test_folders_of_others_are_let_be(tmp_path: Path) -> None:
    names = [".other.pdf.abcdefgh.part", ".out.pdf.notes.part", ".out.pdf.abcdefgh.txt"]
    for name in names:
        (tmp_path / name).mkdir()
    with staged_file(tmp_path / "out.pdf") as path:
        path.write_text("x")
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([*names, "out.pdf"])
