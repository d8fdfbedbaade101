"""`rackwatch calibrate` and `rackwatch enrol` on recordings: what they ask, say, write and refuse."""

import json
from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from firmware_bridge.messages import Place
from firmware_bridge.recording import encode_line
from hw.calibration import TableSetup
from hw.simulator.evening import Evening
from hw.simulator.options import Noise, Options, Reader, Tier
from hw.simulator.reception import received_of
from monitor.cli import app
from monitor.errors import MonitorError, SettingsError, UnusableFileError
from tests.setting_up import calibrating, enrolling

RUN = CliRunner()
SERIAL = '[[serial]]\ntable = "T1"\nplace = "east"\nport = "east"\n'
NO_TILES = {"table": "T1", "own": [1, 2.5]}


def house(folder: Path, evening: Evening, table: str = 'setup = "t1.json"') -> tuple[Path, Path]:
    """A settings file and a recording."""
    settings, recording = folder / "house.toml", folder / "raw.jsonl"
    settings.write_text(f'[[tables]]\nname = "T1"\n{table}\n{SERIAL}')
    recording.write_bytes(b"".join(encode_line(one) for one in received_of(evening)))
    return settings, recording


def grams(evening: Evening, tiles: int = 14) -> float:
    return sum(evening.furniture.masses_g[:tiles])


@pytest.mark.parametrize("tier", [Tier.WEIGHT10, Tier.HYBRID])
@pytest.mark.parametrize("noise", [Noise.QUIET, Noise.NORMAL, Noise.HARSH])
def test_a_cell_is_calibrated_from_a_recording(tmp_path: Path, tier: Tier, noise: Noise) -> None:
    evening = calibrating(Options(seed=5, tier=tier, noise=noise))
    settings, recording = house(tmp_path, evening)
    (tmp_path / "t1.json").write_bytes(msgspec.json.encode(evening.furniture.setup))
    words = f"@1\n@10 14 {grams(evening):.0f}\n@16 skip\n@18.5 7\n"
    ran = RUN.invoke(app, ["calibrate", str(settings), "T1", "east.rack", "--recording", str(recording)], input=words)
    assert ran.exit_code == 0, ran.output
    assert "east.rack is calibrated" in ran.output
    before = evening.furniture.setup
    after = msgspec.json.decode((tmp_path / "t1.json").read_bytes(), type=TableSetup)
    assert (after.tiles, after.tier) == (before.tiles, before.tier)
    others = {key: cell for key, cell in before.calibration.items() if key != "east.rack"}
    assert {key: after.calibration[key] for key in others} == others
    assert (tmp_path / "t1.json.1.bak").read_bytes() == msgspec.json.encode(before)
    (cell,) = evening.life(Place.EAST).plan.cells
    new = after.calibration["east.rack"]
    assert new.measured is not None
    assert new.counts_per_g == pytest.approx(cell.counts_per_g, abs=4.0 * new.measured.counts_per_g_se)
    assert new.zero_counts == pytest.approx(cell.zero_counts, abs=4.0 * new.measured.zero_counts_se)
    mean_g = sum(evening.furniture.masses_g) / len(evening.furniture.masses_g)
    assert new.tile_g == pytest.approx(mean_g, abs=4.0 * new.measured.tile_g_se)
    checked = RUN.invoke(app, ["check", str(settings), "--quick"])
    assert f"calibrated {new.measured.when[:10]}" in checked.output


def test_a_calibration_that_is_not_finished_writes_nothing(tmp_path: Path) -> None:
    evening = calibrating(Options(seed=5, tier=Tier.WEIGHT10))
    settings, recording = house(tmp_path, evening)
    for words in ("", "@1\n@10 14\n", "@1\n@10 14\n@16 skip\n@18.5 8\n", "quit\n", "@1\n@10 14 x\n@16 what\n"):
        ran = RUN.invoke(
            app, ["calibrate", str(settings), "T1", "east.rack", "--recording", str(recording)], input=words
        )
        assert ran.exit_code == 1, ran.output
        assert not (tmp_path / "t1.json").exists()
    wrong = "@1\n@10 14\n@16 skip\n@18.5 8\n"
    ran = RUN.invoke(app, ["calibrate", str(settings), "T1", "east.rack", "--recording", str(recording)], input=wrong)
    assert "It weighs like 7." in ran.output
    assert "8 were said" in ran.output


def test_what_cannot_be_written_is_said_before_anything_is_laid(tmp_path: Path) -> None:
    evening = calibrating(Options(seed=5, tier=Tier.WEIGHT10))
    settings, recording = house(tmp_path, evening, table="")
    words = f"@1\n@10 14 {grams(evening):.0f}\n@16 skip\n@18.5 7\n"

    def calibrate(cell: str = "east.rack", table: str = "T1", *more: str) -> BaseException | None:
        arguments = ["calibrate", str(settings), table, cell, "--recording", str(recording), *more]
        ran = RUN.invoke(app, arguments, input=words)
        assert ran.exit_code != 0
        return ran.exception

    problem = calibrate()
    assert isinstance(problem, SettingsError)
    assert "t1.setup.json" in str(problem)
    assert isinstance(calibrate(table="T2"), MonitorError)
    assert isinstance(calibrate("floor.rack"), SystemExit)
    own = '[tables.calibration."east.rack"]\ncounts_per_g = 1.0\nzero_counts = 0.0\ntile_g = 12.0\n'
    house(tmp_path, evening, table=f'setup = "t1.json"\n{own}')
    problem = calibrate()
    assert isinstance(problem, SettingsError)
    assert "Take it out" in str(problem)
    house(tmp_path, evening)
    assert isinstance(calibrate("east.rack", "T1", "--tile-grams", "3"), SystemExit)
    (tmp_path / "t1.json").write_text("[]")
    assert isinstance(calibrate(), UnusableFileError)
    assert (tmp_path / "t1.json").read_text() == "[]"
    assert not list(tmp_path.glob("*.bak"))


@pytest.mark.parametrize(("reader", "already"), [(Reader.INVENTORY, 0), (Reader.STREAMING, 140)])
def test_a_whole_set_is_enrolled_from_a_recording(tmp_path: Path, reader: Reader, already: int) -> None:
    options = Options(seed=8, tier=Tier.RFID, noise=Noise.QUIET, reader=reader)
    evening = enrolling(options, range(already, 152), each_s=4.0 if already == 0 else 9.0)
    settings, recording = house(tmp_path, evening)
    before = {**NO_TILES, "tiles": dict(list(evening.furniture.setup.tiles.items())[:already])}
    (tmp_path / "t1.json").write_bytes(msgspec.json.encode(before))
    ran = RUN.invoke(app, ["enrol", str(settings), "T1", "--recording", str(recording)], input="")
    assert ran.exit_code == 0, ran.output
    after = json.loads((tmp_path / "t1.json").read_bytes())
    assert after["tiles"] == evening.furniture.setup.tiles
    assert after["own"] == [1, 2.5]
    assert json.loads((tmp_path / "t1.json.1.bak").read_bytes()) == before
    again = RUN.invoke(app, ["enrol", str(settings), "T1", "--recording", str(recording)], input="")
    assert again.exit_code == 0
    assert "Written" not in again.output


def test_a_half_done_set_is_kept_corrected_and_resumed(tmp_path: Path) -> None:
    evening = enrolling(Options(seed=8, tier=Tier.RFID, noise=Noise.QUIET), range(6))
    settings, recording = house(tmp_path, evening, table='tiles = "set.json"')
    first = next(iter(evening.furniture.setup.tiles))

    def enrol(words: str, *more: str) -> str:
        ran = RUN.invoke(app, ["enrol", str(settings), "T1", "--recording", str(recording), *more], input=words)
        assert ran.exit_code == 1, ran.output
        return ran.output

    output = enrol(
        f"@3 joker\n@7 status\n@9 undo\n@9 1-bam\n@13 {first} 1 bam\n@14 forget {first}\n@14 undo\n@15 done\n"
    )
    assert "joker: 1" in output.replace(first, "1")
    kept = json.loads((tmp_path / "set.json").read_bytes())
    assert all(evening.furniture.setup.tiles[uid] == "1-bam" for uid in kept)
    assert "Nothing was written" in enrol("@12 quit\n")
    assert "1 of 152" in enrol("@10 done\n", "--anew") or json.loads((tmp_path / "set.json").read_bytes())
    output = enrol("@2 nonsense\n@3 yes\n@3 aside\n@3 undo\n@3 ignore\n@5\n")
    assert "A face (4-bam, joker)" in output
    assert "Nothing doubtful" in output


def test_an_antenna_that_is_none_is_refused(tmp_path: Path) -> None:
    evening = enrolling(Options(seed=8, tier=Tier.RFID, noise=Noise.QUIET), range(1))
    settings, recording = house(tmp_path, evening)
    for place in ("chair", "east.roof"):
        ran = RUN.invoke(app, ["enrol", str(settings), "T1", place, "--recording", str(recording)], input="")
        assert ran.exit_code == 2
        assert "is no antenna" in ran.output
