"""`rackwatch run`: the daemon."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    settings: Annotated[Path, typer.Argument(help="Settings file (TOML), such as config/club.toml.", metavar="FILE")],
    show: Annotated[bool, typer.Option("--show", help="Print every event and alert to the terminal as well.")] = False,
) -> None:
    """Watch tables until Ctrl-C or SIGTERM.

    Reads the nodes that the settings name, judges what they show, and tells the event log, the broker, the JSON lines
    and the live page. Run `rackwatch check FILE` first: it says what is wrong and how to mend it.
    """
    import asyncio
    import time

    import structlog

    from monitor.cli._console import RecordPrinter, set_up_log
    from monitor.cli._running import run_until_stopped
    from monitor.daemon import Daemon
    from monitor.settings_file import load_settings

    file = load_settings(settings)
    set_up_log()
    told = RecordPrinter(time.monotonic) if show else lambda _table, _record: None
    daemon = Daemon(file, told=told)

    def ready() -> None:
        tables = ", ".join(table.name for table in file.settings.tables)
        structlog.get_logger("rackwatch").info("watching", tables=tables, page=daemon.url or "off")

    async def work(stop: asyncio.Event) -> None:
        await daemon.run(stop, ready)

    run_until_stopped(work)
