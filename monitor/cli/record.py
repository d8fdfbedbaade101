"""`rackwatch record`: write down what arrives, and nothing else."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from monitor.links import Link


def command(
    settings: Annotated[Path, typer.Argument(help="Settings file (TOML) that names the nodes.", metavar="FILE")],
    recording: Annotated[
        Path, typer.Argument(help="Recording to make; compressed where the name ends in .gz. Never overwritten.")
    ],
    seconds: Annotated[
        float | None, typer.Option(min=0.1, help="End after so many seconds; without it, with Ctrl-C.")
    ] = None,
) -> None:
    """Record the raw readings of the nodes that the settings name, for `rackwatch replay`.

    What arrives is written as it arrives, before any decoding. A line a node on the terminal tells what came.
    """
    import asyncio
    import time

    from firmware_bridge.recording import RecordingWriter
    from monitor.cli._console import set_up_log
    from monitor.cli._running import run_until_stopped
    from monitor.links import mqtt_link, serial_link
    from monitor.settings_file import load_settings

    file = load_settings(settings)
    set_up_log()
    links = [link for link in (serial_link(file, time.monotonic), mqtt_link(file, time.monotonic)) if link is not None]
    if not links:
        raise file.error((), "names neither serial lines nor a broker, so there is nothing to record")
    counts: dict[str, int] = {}
    with RecordingWriter(recording, time.monotonic()) as writer:

        async def work(stop: asyncio.Event) -> None:
            await _record(links, writer.write, counts, stop)

        run_until_stopped(work, seconds=seconds)
    for source, number in sorted(counts.items()):
        typer.echo(f"{source}: {number} receptions")
    typer.echo(f"{recording}: {sum(counts.values())} receptions, {recording.stat().st_size / 1024:.0f} kB")


async def _record(
    links: "list[Link]", write: "Callable[..., None]", counts: dict[str, int], stop: "asyncio.Event"
) -> None:
    import asyncio

    from firmware_bridge.received import Published, Received

    def receive(received: Received) -> None:
        write(received)
        source = received.topic if isinstance(received, Published) else received.port
        counts[source] = counts.get(source, 0) + 1

    tasks = [asyncio.create_task(link.run(receive), name=link.name) for link in links]
    stopped = asyncio.create_task(stop.wait(), name="stop")
    try:
        await asyncio.wait([*tasks, stopped], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in (*tasks, stopped):
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for outcome in ended:
        if isinstance(outcome, Exception):
            raise outcome
