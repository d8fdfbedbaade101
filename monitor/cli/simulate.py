"""`rackwatch simulate`: a table that is not there, on pseudo-terminals or on a broker."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from hw.simulator.options import Ending, Noise, Pace, RuleFault, SensorFault, Tier

PATIENCE_S = 1.0
"""How long ports may stay unopened before a line says so (our choice)."""


class Nodes(StrEnum):
    """How long the nodes' clocks make a second, when the hand is played faster than life."""

    TRUE = "true"
    HAND = "hand"


def command(
    ports: Annotated[
        Path | None,
        typer.Option(
            file_okay=False,
            help="Make one pseudo-terminal a node in this folder, named T1-EAST and so on in lower case.",
        ),
    ] = None,
    mqtt: Annotated[
        str | None, typer.Option(help="Publish to this broker instead, HOST or HOST:PORT.", metavar="HOST")
    ] = None,
    table: Annotated[str, typer.Option(help="Name of the table.")] = "T1",
    tier: Annotated[Tier, typer.Option(help="Which sensors the table has.")] = Tier.HYBRID,
    seed: Annotated[int, typer.Option(min=0, help="Equal seeds play equal hands.")] = 1,
    pace: Annotated[Pace, typer.Option(help="How quickly people play.")] = Pace.NORMAL,
    noise: Annotated[Noise, typer.Option(help="How rough hands are and how poor the sensors.")] = Noise.NORMAL,
    fault: Annotated[RuleFault | None, typer.Option(help="What goes wrong at the table, in the first hand.")] = None,
    sensor_fault: Annotated[
        list[SensorFault] | None, typer.Option(help="What goes wrong between sensor and host; may be given again.")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, help="How many hands are played.")] = 1,
    ending: Annotated[Ending, typer.Option(help="How hands end.")] = Ending.ANY,
    speed: Annotated[float, typer.Option(min=0.1, max=100.0, help="How many times as fast as life.")] = 1.0,
    nodes_clock: Annotated[
        Nodes, typer.Option(help="true: nodes keep the wall's time; hand: theirs is as fast as the hand is.")
    ] = Nodes.TRUE,
    setup: Annotated[
        Path | None, typer.Option(help="Write the table's set-up (calibration, tiles) here, for settings and replay.")
    ] = None,
    stay: Annotated[
        bool, typer.Option("--stay", help="Keep the ports when the evening is over, until Ctrl-C.")
    ] = False,
    parent: Annotated[bool, typer.Option("--parent", hidden=True)] = False,
    wait: Annotated[
        bool, typer.Option(help="Wait before the first deal until every port is open, or the broker answers.")
    ] = True,
) -> None:
    """Play hands at a table that is not there: a monitor cannot tell its nodes from real ones.

    On pseudo-terminals (--ports FOLDER), as boards on USB, or on a broker (--mqtt HOST), as boards on Wi-Fi. The tiles
    have the weights and numbers that --setup writes down.
    """
    import asyncio
    import os

    import msgspec

    from hw.simulator.evening import simulate_evening
    from hw.simulator.live_mqtt import Broker, MqttTable
    from hw.simulator.live_serial import PtyTable
    from hw.simulator.options import Options, Wiring
    from hw.simulator.pacing import Pacing
    from monitor.cli._progress import following
    from monitor.cli._running import run_until_stopped
    from monitor.errors import UnusableFileError
    from monitor.settings import TableName

    if (ports is None) == (mqtt is None):
        raise typer.BadParameter("give either --ports FOLDER or --mqtt HOST")
    try:
        msgspec.convert(table, TableName)
    except msgspec.ValidationError as problem:
        raise typer.BadParameter(
            f"{table!r} is no name of a table: letters, digits, _ and - alone", param_hint="--table"
        ) from problem
    host, _, named_port = (mqtt or "").partition(":")
    if named_port and not (named_port.isdecimal() and int(named_port) <= 65535):
        raise typer.BadParameter(f"{named_port!r} is no port: a number up to 65535", param_hint="--mqtt")
    options = Options(
        seed=seed,
        table=table,
        tier=tier,
        pace=pace,
        noise=noise,
        rule_fault=fault,
        sensor_faults=tuple(sensor_fault or ()),
        hands=hands,
        ending=ending,
        wiring=Wiring.NETWORK if ports is None else Wiring.USB,
    )
    with following("making the evening: nodes", quiet=parent) as passed:
        evening = simulate_evening(options, passed=passed)
    played = "playing: messages"
    if setup is not None:
        try:
            setup.write_bytes(msgspec.json.encode(evening.furniture.setup))
        except OSError as problem:
            raise UnusableFileError(setup, f"cannot be written: {problem.strerror}") from problem
    pacing = Pacing(speed=speed, own_clocks=nodes_clock is Nodes.TRUE)

    async def attended(pty_table: PtyTable) -> None:
        """Wait for a host at every port, and say which are waited for where it is not there soon."""
        waiting = asyncio.ensure_future(pty_table.attended())
        told: list[str] = []
        try:
            while not (await asyncio.wait([waiting], timeout=PATIENCE_S))[0]:
                places = [str(place) for place in pty_table.unattended]
                if places and places != told:
                    typer.echo(f"waiting until these ports are opened: {', '.join(places)} (see --no-wait)")
                    told = places
        finally:
            waiting.cancel()

    async def on_ports(folder: Path) -> None:
        async with PtyTable(evening, folder, pacing) as pty_table:
            for place, port in pty_table.ports.items():
                typer.echo(f"{table} {place}: {port}")
            if wait:
                await attended(pty_table)
            typer.echo("playing")
            with following(played, quiet=parent) as passed:
                await pty_table.play(passed)
            typer.echo("the evening is over")
            if stay:
                await asyncio.Event().wait()

    async def on_broker() -> None:
        broker = Broker(host=host, port=int(named_port or 1883))

        def missing(reason: str) -> None:
            typer.echo(f"{broker.host}:{broker.port} does not answer ({reason}); trying again", err=True)

        def playing() -> None:
            typer.echo("playing")

        if not wait:
            playing()
        with following(played, quiet=parent) as passed:
            await MqttTable(evening, broker, pacing, missing).run(playing if wait else None, passed)
        typer.echo("the evening is over")

    async def orphaned() -> None:
        """Return when the process that started this one is gone, however it went."""
        started_by = os.getppid()
        while os.getppid() == started_by:  # noqa: ASYNC110  # the system has no event for it
            await asyncio.sleep(0.5)

    async def work(stop: asyncio.Event) -> None:
        playing = asyncio.ensure_future(on_ports(ports) if ports is not None else on_broker())
        ends = [asyncio.ensure_future(stop.wait()), *([asyncio.ensure_future(orphaned())] if parent else [])]
        await asyncio.wait([playing, *ends], return_when=asyncio.FIRST_COMPLETED)
        for task in (playing, *ends):
            task.cancel()
        await asyncio.gather(playing, *ends, return_exceptions=True)
        if playing.done() and not playing.cancelled():
            playing.result()

    run_until_stopped(work)
