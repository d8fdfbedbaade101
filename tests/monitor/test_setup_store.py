"""Set-ups are exchanged whole, and what was there is kept."""

import os
from pathlib import Path

import pytest

from hw.calibration import CellCalibration
from hw.setup_text import SetupChange
from monitor.errors import SettingsError, UnusableFileError
from monitor.settings_file import load_settings
from monitor.setup_store import enrolled_so_far, table_index, write_setup

CELL = CellCalibration(-412.7, 152311.0, 12.0)
CHANGE = SetupChange(calibration={"east.rack": CELL})


def settings(folder: Path, table: str = 'setup = "sets/t1.json"') -> Path:
    path = folder / "house.toml"
    path.write_text(f'[[tables]]\nname = "T1"\n{table}\n')
    return path


def test_the_file_is_made_then_kept_under_numbers(tmp_path: Path) -> None:
    file = load_settings(settings(tmp_path))
    first = write_setup(file, 0, CHANGE)
    assert (first.path, first.backup) == (tmp_path / "sets" / "t1.json", None)
    first.path.chmod(0o640)
    text = first.path.read_bytes()
    second = write_setup(file, 0, SetupChange(tiles={"E004010012345678": "joker"}))
    third = write_setup(file, 0, SetupChange(tiles={}))
    assert (second.backup, third.backup) == (Path(f"{first.path}.1.bak"), Path(f"{first.path}.2.bak"))
    assert second.backup is not None
    assert second.backup.read_bytes() == text
    assert file.table_setup(0).calibration == {"east.rack": CELL}
    assert first.path.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in first.path.parent.iterdir()) == ["t1.json", "t1.json.1.bak", "t1.json.2.bak"]


def test_tiles_go_where_the_settings_have_them(tmp_path: Path) -> None:
    file = load_settings(settings(tmp_path, 'setup = "t1.json"\ntiles = "blue.json"'))
    assert enrolled_so_far(file, 0).tiles == {}
    write_setup(file, 0, CHANGE)
    written = write_setup(file, 0, SetupChange(tiles={"E004010012345678": "joker"}, calibration={}))
    assert written.path == tmp_path / "blue.json"
    assert enrolled_so_far(file, 0).tiles == {"E004010012345678": "joker"}
    assert b"joker" not in (tmp_path / "t1.json").read_bytes()


def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = load_settings(settings(tmp_path))
    write_setup(file, 0, CHANGE)
    before = (tmp_path / "sets" / "t1.json").read_bytes()

    def full(_number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UnusableFileError, match="No space left"):
        write_setup(file, 0, SetupChange(tiles={}))
    assert (tmp_path / "sets" / "t1.json").read_bytes() == before
    assert not list(tmp_path.glob("sets/.*"))


def test_a_table_that_is_not_there_or_names_no_file(tmp_path: Path) -> None:
    file = load_settings(settings(tmp_path, ""))
    with pytest.raises(SettingsError, match="T1"):
        table_index(file, "T7")
    with pytest.raises(SettingsError, match=r"t1\.setup\.json"):
        write_setup(file, 0, CHANGE)
