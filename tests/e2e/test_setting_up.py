"""Setting up a table on pseudo-terminals: a load cell calibrated and a tile set completed by a person who types."""

import asyncio
import json
import signal
import sys
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.messages import Place
from hw.calibration import TableSetup
from hw.simulator.evening import Evening
from hw.simulator.live_mqtt import Broker, MqttTable
from hw.simulator.live_serial import PtyTable
from hw.simulator.options import Noise, Options, Tier, Wiring
from tests.broker import Mosquitto
from tests.setting_up import calibrating, enrolling

PATIENCE_S = 60.0


class Command:
    """A command with a terminal's lines both ways."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.lines: list[str] = []

    @classmethod
    async def start(cls, *words: str | Path) -> "Command":
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-u", "-m", "monitor.cli", *map(str, words),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        return cls(process)

    async def until(self, words: str) -> None:
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            while line := (await self._process.stdout.readline()).decode():
                self.lines.append(line)
                if words in line:
                    return
        raise AssertionError(f"it ended without saying {words!r}: {''.join(self.lines)}")

    def say(self, words: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{words}\n".encode())

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    async def end(self) -> int:
        assert self._process.stdout is not None
        async with asyncio.timeout(PATIENCE_S):
            self.lines += (await self._process.stdout.read()).decode().splitlines(keepends=True)
            return await self._process.wait()


def settings_of(folder: Path, setup: TableSetup) -> Path:
    path = folder / "house.toml"
    path.write_text(
        '[[tables]]\nname = "T1"\nsetup = "t1.json"\n[[serial]]\ntable = "T1"\nplace = "east"\nport = "ports/t1-east"\n'
    )
    (folder / "t1.json").write_bytes(msgspec.json.encode(setup))
    return path


async def at(began_s: float, second: float) -> None:
    """Wait for a second of the evening: what the simulated person does then, no process can tell us."""
    await asyncio.sleep(max(0.0, began_s + second - asyncio.get_running_loop().time()))


async def test_a_load_cell_is_calibrated_over_its_line(tmp_path: Path) -> None:
    evening = calibrating(Options(seed=3, tier=Tier.WEIGHT80, noise=Noise.NORMAL, wiring=Wiring.USB))
    settings = settings_of(tmp_path, TableSetup("T1", tiles={"E004010012345678": "joker"}))
    async with PtyTable(evening, tmp_path / "ports") as table:
        command = await Command.start("calibrate", settings, "T1", "east.slope")
        await command.until("Take every tile off")
        while Place.EAST in table.unattended:  # noqa: ASYNC110  # a port tells nobody
            await asyncio.sleep(0.02)
        began_s = asyncio.get_running_loop().time()
        playing = asyncio.create_task(table.play())
        await at(began_s, 1.0)
        command.say("")
        await command.until("Count 14 tiles")
        await at(began_s, 10.0)
        command.say(f"14 {sum(evening.furniture.masses_g[:14]):.0f}")
        await command.until("For better figures")
        command.say("skip")
        await at(began_s, 19.0)
        command.say("7")
        await command.until("is calibrated")
        assert await command.end() == 0
        playing.cancel()
    written = msgspec.json.decode((tmp_path / "t1.json").read_bytes(), type=TableSetup)
    assert written.tiles == {"E004010012345678": "joker"}
    new = written.calibration["east.slope"]
    assert new.measured is not None
    cell = next(cell for cell in evening.life(Place.EAST).plan.cells if cell.channel == "slope")
    assert abs(new.counts_per_g - cell.counts_per_g) < 4.0 * new.measured.counts_per_g_se
    assert "upside down" in "".join(command.lines) or cell.counts_per_g > 0.0


def half_done(evening: Evening) -> TableSetup:
    setup = evening.furniture.setup
    return msgspec.structs.replace(setup, tiles=dict(list(setup.tiles.items())[:150]))


async def test_the_last_two_tiles_of_a_set_are_enrolled_over_a_line(tmp_path: Path) -> None:
    options = Options(seed=3, tier=Tier.RFID, noise=Noise.QUIET, wiring=Wiring.USB)
    evening = enrolling(options, [0, 150, 151])
    settings = settings_of(tmp_path, half_done(evening))
    async with PtyTable(evening, tmp_path / "ports") as table:
        command = await Command.start("enrol", settings, "T1")
        await command.until("Take everything off")
        while Place.EAST in table.unattended:  # noqa: ASYNC110  # a port tells nobody
            await asyncio.sleep(0.02)
        playing = asyncio.create_task(table.play())
        await command.until("is enrolled as 1-bam, and a joker was asked for")
        command.say("status")
        await command.until("missing: 2 joker")
        await command.until("Written to")
        assert await command.end() == 0
        playing.cancel()
    assert json.loads((tmp_path / "t1.json").read_bytes())["tiles"] == evening.furniture.setup.tiles
    assert (tmp_path / "t1.json.1.bak").exists()


@pytest.mark.broker
async def test_over_a_broker_too_and_what_is_half_done_is_kept_at_ctrl_c(tmp_path: Path) -> None:
    evening = enrolling(Options(seed=3, tier=Tier.RFID, noise=Noise.QUIET), [150, 151])
    settings = settings_of(tmp_path, half_done(evening))
    with Mosquitto(tmp_path) as broker:
        settings.write_text(
            f'[[tables]]\nname = "T1"\nsetup = "t1.json"\n[mqtt]\nhost = "{broker.host}"\nport = {broker.port}\n'
        )
        playing = asyncio.create_task(MqttTable(evening, Broker(host=broker.host, port=broker.port)).run())
        command = await Command.start("enrol", settings, "T1")
        await command.until("joker: E0")
        command.interrupt()
        assert await command.end() == 1
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    assert "missing: 1 joker" in "".join(command.lines)
    written = json.loads((tmp_path / "t1.json").read_bytes())["tiles"]
    assert len(written) == 151
    assert set(written) < set(evening.furniture.setup.tiles)


async def test_a_line_that_is_not_there_is_said_and_the_end_of_the_words_ends_it(tmp_path: Path) -> None:
    settings = settings_of(tmp_path, TableSetup("T1"))
    command = await Command.start("calibrate", settings, "T1", "east.rack")
    await command.until("is not there")
    command.say("quit")
    assert await command.end() == 1
    assert "nothing was written" in "".join(command.lines)
