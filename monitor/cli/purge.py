"""`rackwatch purge`: what is old is taken out of a log; that it was there stays provable."""

from typing import Annotated

import typer

from monitor.cli._logs import LogArgument


def command(
    log: LogArgument,
    before: Annotated[
        str | None, typer.Option(help="Take what was written before this day or time (ISO 8601).", metavar="WHEN")
    ] = None,
    days: Annotated[int | None, typer.Option(help="Take what is older than so many days.", min=0, max=18_250)] = None,
    author: Annotated[str, typer.Option(help="Who does it.")] = "",
    reason: Annotated[str, typer.Option(help="Why.")] = "retention",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be taken, and take nothing.")] = False,
) -> None:
    """Take away what old records said, and their sealed tile identities; numbers, times, kinds and hashes stay.

    `rackwatch verify` still proves that nothing was edited. The monitor must not be running on this log. It cannot be
    undone. Exit code 2 where the log is in use.
    """
    import asyncio
    from datetime import UTC, datetime, timedelta
    from importlib.metadata import version

    from monitor.cli._logs import checked, parse_day, place_of
    from monitor.log.notes import AUTHOR_LONGEST, REASON_LONGEST
    from monitor.log.purging import old, purge

    if (before is None) is (days is None):
        raise typer.BadParameter("say either --before or --days")
    if not dry_run:
        if not author:
            raise typer.BadParameter("say with --author who does it")
        author, reason = checked("--author", author, AUTHOR_LONGEST), checked("--reason", reason, REASON_LONGEST)
    now = datetime.now(UTC)
    moment = parse_day(before) if before is not None else now - timedelta(days=days or 0)
    if moment > now:
        raise typer.BadParameter(f"{before} is yet to come")
    place = place_of(log)
    found = old(place, int(moment.timestamp() * 1e6))
    shown = f"{found.records:,} records written before {moment.astimezone():%Y-%m-%d %H:%M}"
    if found.records == 0:
        typer.echo(
            f"{place}: nothing to take: no record from before {moment.astimezone():%Y-%m-%d %H:%M} says anything."
        )
    elif dry_run:
        typer.echo(f"{place}: would take {shown}.")
    else:
        asyncio.run(purge(place, version("rackwatch"), found, author=author, reason=reason))
        typer.echo(f"{place}: took what {shown} said. Hashes stay: rackwatch verify proves the rest.")
