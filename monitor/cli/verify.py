"""`rackwatch verify`: is this the log that was written?"""

from typing import Annotated

import typer

from monitor.cli._logs import LogArgument


def command(
    log: LogArgument,
    signer: Annotated[
        str | None,
        typer.Option(help="Public key, or its beginning, that must have signed everything (hexadecimal)."),
    ] = None,
) -> None:
    """Check every record, link and signature of an event log, and name the first record that is not as it was written.

    Nothing is changed, and a monitor that runs is not disturbed. Exit code 0: all is as it was written, 1: it is not.
    """
    from monitor.cli._logs import place_of
    from monitor.cli._progress import counting
    from monitor.errors import LogError
    from monitor.log.reader import open_log
    from monitor.log.verifying import verify

    place = place_of(log)
    with open_log(place) as opened:
        try:
            records = opened.count()
        except LogError:  # a damaged file: what is wrong with it is found below
            records = 0
        with counting(f"checking {place}", records) as passed:
            found = verify(opened, passed)
    if found.flaw is not None:
        typer.echo(f"{place}: NOT as it was written: {found.flaw}.")
        raise typer.Exit(1)
    others = [key for key in found.signers if signer is not None and not key.startswith(signer.lower())]
    if others:
        typer.echo(f"{place}: whole, but signed by another key than was asked for: {', '.join(others)}.")
        raise typer.Exit(1)
    purged = f" {found.purged:,} of them are purged; that they were there is proven." if found.purged else ""
    linked = f" The first {found.linked:,} are from before records were linked." if found.linked else ""
    signed = f" Signed by {' and '.join(key[:16] + '…' for key in found.signers)}." if found.signers else ""
    follow = (
        "1 record stands alone" if found.records == 1 else f"{found.records:,} records follow each other without a gap"
    )
    hands_are = "1 hand is" if found.heads == 1 else f"{found.heads:,} hands are"
    typer.echo(f"{place}: as it was written. {follow}, {hands_are} signed for.{purged}{linked}{signed}")
