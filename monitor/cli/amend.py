"""`rackwatch amend`: a person puts something right; the original stays."""

from typing import TYPE_CHECKING, Annotated

import typer

from monitor.cli._logs import LogArgument

if TYPE_CHECKING:
    from monitor.events import Event, Seat


def command(
    log: LogArgument,
    table: Annotated[str, typer.Option(help="The table.")],
    hand: Annotated[int, typer.Option(help="The number of the hand, as exports and reports have it.", min=0)],
    author: Annotated[str, typer.Option(help="Who puts it right.")],
    reason: Annotated[str, typer.Option(help="Why.")],
    swap: Annotated[
        str | None, typer.Option(help="Two racks were taken for each other's, as in east,south.", metavar="SEAT,SEAT")
    ] = None,
    strike: Annotated[
        int | None,
        typer.Option(help="The event with this `seq` of its own (not the log's) never happened.", metavar="SEQ"),
    ] = None,
    add: Annotated[
        str | None, typer.Option(help="An event that was missed, as a JSON line of docs/records.md.", metavar="JSON")
    ] = None,
) -> None:
    """Append a correction to a hand that is over: seats swapped for all of it, an event struck, or one added.

    Nothing that stands is changed; `rejudge` shows what it changes, exports and reports show it beside what was told.
    The monitor must not be running on this log. Exit code 2 where there is no such hand or event, or the log is in use.
    """
    import asyncio
    from importlib.metadata import version

    from monitor.cli._logs import checked, place_of
    from monitor.errors import LogError
    from monitor.log import amending
    from monitor.log.notes import AUTHOR_LONGEST, REASON_LONGEST, Amended
    from monitor.log.reader import open_log
    from monitor.wording import event_line, seat_name

    if sum(each is not None for each in (swap, strike, add)) != 1:
        raise typer.BadParameter("say one of --swap, --strike and --add")
    place = place_of(log)
    event: Event
    with open_log(place) as opened:
        if not any(span.hand == hand for span in opened.hands(table)):
            raise LogError(str(place), f"holds no hand {hand} of {table}")
        if swap is not None:
            one, other = _seats(swap)
            event = amending.swap(opened, table, hand, one, other)
            what = f"{seat_name(one)} and {seat_name(other)} swapped"
        elif strike is not None:
            struck = amending.strike(opened, table, hand, strike)
            event, what = struck.correction, f"struck, {event_line(struck.event)}"
        else:
            event = _event(add or "", table)
            what = f"added, {event_line(event)}"
    note = Amended(
        author=checked("--author", author, AUTHOR_LONGEST),
        reason=checked("--reason", reason, REASON_LONGEST),
        event=event,
        hand=hand,
        table=table,
    )
    asyncio.run(amending.write_notes(place, version("rackwatch"), [note]))
    typer.echo(
        f"{place}: {table}, hand {hand}: noted: {what}. The original stays; rackwatch rejudge shows what it changes."
    )


def _seats(text: str) -> "tuple[Seat, Seat]":
    from monitor.events import Seat

    try:
        one, other = (Seat(word.strip().lower()) for word in text.split(","))
    except ValueError as problem:
        raise typer.BadParameter(f"{text!r} is no pair of seats such as east,south") from problem
    if one is other:
        raise typer.BadParameter("a rack is not swapped with itself")
    return one, other


def _event(text: str, table: str) -> "Event":
    from msgspec.structs import replace

    from monitor.event_lines import read_event
    from monitor.events import Corrected, Tick, WindowClosed, WindowOpened

    read = read_event(text.encode())
    if isinstance(read, str):
        raise typer.BadParameter(f"--add: {read}")
    if isinstance(read.event, Tick | Corrected | WindowOpened | WindowClosed):
        raise typer.BadParameter("--add: name what happened at the table; --strike takes an event away")
    if read.event.table not in ("", table):
        raise typer.BadParameter(f"--add: this is an event of table {read.event.table}, not {table}")
    return replace(read.event, table=table)
