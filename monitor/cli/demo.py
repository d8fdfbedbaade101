"""`rackwatch demo`: four simulated racks, the whole daemon, and a page to watch them on."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hw.simulator.options import Noise, Pace, RuleFault, Tier

if TYPE_CHECKING:
    import asyncio

_LOG = "log.sqlite"
_SETTINGS = """\
[[tables]]
name = "T1"
setup = "setup.json"
{serial}
[log]
path = "{log}"

[web]
port = {port}
"""
_SERIAL = """
[[serial]]
table = "T1"
place = "{place}"
port = "ports/t1-{place}"
"""


def command(
    speed: Annotated[float, typer.Option(min=0.5, max=20.0, help="How many times as fast as life.")] = 1.0,
    seconds: Annotated[
        float | None, typer.Option(min=1.0, help="End after so many seconds; without it, with Ctrl-C.")
    ] = None,
    tier: Annotated[Tier, typer.Option(help="Which sensors the table has.")] = Tier.HYBRID,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds play equal hands.")] = 1,
    pace: Annotated[Pace, typer.Option(help="How quickly people play.")] = Pace.NORMAL,
    noise: Annotated[Noise, typer.Option(help="How rough hands are and how poor the sensors.")] = Noise.NORMAL,
    fault: Annotated[RuleFault | None, typer.Option(help="What goes wrong at the table, in the first hand.")] = None,
    hands: Annotated[int, typer.Option(min=1, max=8, help="How many hands are played.")] = 2,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of the page; another is taken when it is in use.")
    ] = 8107,
    folder: Annotated[
        Path | None,
        typer.Option(
            file_okay=False, help="Keep log and settings in this folder; without it they go when the demo ends."
        ),
    ] = None,
) -> None:
    """Watch four simulated racks play: on pseudo-terminals as on USB, read by the real daemon, shown on a live page.

    The simulator is a process of its own and the daemon cannot tell it from hardware. Nothing else is needed, no broker
    and no internet. The terminal tells what happens; the page shows the table, and at /director the counts.

    With --speed all its clocks are faster, the time of day too: it begins at the true time and then runs ahead, so that
    page, log, exports and reports tell each moment by the same time.
    """
    import tempfile

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        _play(folder, speed, seconds, [tier, seed, pace, noise, fault, hands], port)
        log = shlex.quote(str(folder / _LOG))
        report, verify = f"rackwatch report session {log} --out evening.html", f"rackwatch verify {log}"
        typer.echo(f"The log is kept in {log}. Next: {report}, or {verify}")
        return
    with tempfile.TemporaryDirectory(prefix="rackwatch-demo-") as made:
        _play(Path(made), speed, seconds, [tier, seed, pace, noise, fault, hands], port)
    typer.echo("The log went with the demo. With --folder FOLDER it stays, for rackwatch report and rackwatch verify.")


def _play(folder: Path, speed: float, seconds: float | None, hand: list[object], port: int) -> None:
    import asyncio
    import time

    from firmware_bridge.messages import Place
    from monitor.cli._console import RecordPrinter, set_up_log
    from monitor.cli._running import run_until_stopped
    from monitor.daemon import Daemon
    from monitor.settings_file import load_settings

    began_s, began_utc_s = time.monotonic(), time.time()
    ahead_s = max(0.0, _log_ends_utc_s(folder / _LOG) - began_utc_s)

    def passed_s() -> float:
        """What has passed for the table."""
        return ahead_s + (time.monotonic() - began_s) * speed

    def clock() -> float:
        """The host's seconds, as fast as the hand is played: every rule and bound stays what it is."""
        return began_s + passed_s()

    def wall() -> float:
        """The time of day, as fast as the hand: what is read off either clock is the same moment."""
        return began_utc_s + passed_s()

    tier, seed, pace, noise, fault, hands = hand
    floor = tier in {Tier.RFID_FLOOR, Tier.HYBRID}
    places = [place for place in Place if floor or place is not Place.FLOOR]
    settings = folder / "demo.toml"
    port = _free_port(port)
    serial = "".join(_SERIAL.format(place=place) for place in places)
    settings.write_text(_SETTINGS.format(serial=serial, log=_LOG, port=port))
    set_up_log(quiet=True)

    async def work(stop: asyncio.Event) -> None:
        words = [
            *("--ports", str(folder / "ports"), "--setup", str(folder / "setup.json")),
            *("--nodes-clock", "hand", "--stay", "--parent"),
            *("--speed", str(speed), "--tier", str(tier), "--seed", str(seed), "--pace", str(pace)),
            *("--noise", str(noise), "--hands", str(hands)),
            *(("--fault", str(fault)) if fault is not None else ()),
        ]
        simulator = await _start_simulator(words)
        try:
            daemon = Daemon(load_settings(settings), clock=clock, wall=wall, told=RecordPrinter(clock))

            over = asyncio.create_task(_until_over(simulator, stop), name="simulator")
            await daemon.run(stop, lambda: typer.echo("The table is set. Ctrl-C ends it.\n"))
            over.cancel()
        finally:
            await _end(simulator)

    typer.echo(f"The floor:      http://127.0.0.1:{port}/")
    typer.echo(f"The director:   http://127.0.0.1:{port}/director")
    if speed != 1.0:
        typer.echo(f"Time passes {speed:g} times as fast as life, on the page and in the log.")
    typer.echo("Shuffling the tiles …")
    run_until_stopped(work, seconds=seconds)


def _log_ends_utc_s(log: Path) -> float:
    """When the log of an earlier demo ends, which may be after now if that was a fast one; 0 where there is none."""
    from monitor.log.reader import open_log

    if not log.exists():
        return 0.0
    with open_log(log) as opened:
        return max((span.last_utc_us / 1e6 for span in opened.hands()), default=0.0)


async def _start_simulator(words: list[str]) -> "asyncio.subprocess.Process":
    """The simulator in a process of its own, with its ports made and its set-up written."""
    import asyncio
    import sys

    from monitor.errors import MonitorError

    simulator = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "monitor.cli", "simulate", *words),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is ours: the daemon ends first, then the simulator
    )
    assert simulator.stdout is not None
    if not await simulator.stdout.readline():
        raise MonitorError(f"the simulator ended at once (exit code {await simulator.wait()})")
    return simulator


async def _until_over(simulator: "asyncio.subprocess.Process", stop: "asyncio.Event") -> None:
    """Read along until the evening is over, then end the demo."""
    assert simulator.stdout is not None
    while await simulator.stdout.readline() not in {b"the evening is over\n", b""}:
        pass
    typer.echo("The evening is over.")
    stop.set()


async def _end(simulator: "asyncio.subprocess.Process") -> None:
    if simulator.returncode is None:
        simulator.terminate()
    await simulator.wait()


def _free_port(wanted: int) -> int:
    """`wanted`, or any other where it is taken."""
    from monitor.errors import PortInUseError
    from monitor.web.server import listen

    try:
        listener = listen("127.0.0.1", wanted)
    except PortInUseError:
        listener = listen("127.0.0.1", 0)
    with listener:
        port: int = listener.getsockname()[1]
        return port
