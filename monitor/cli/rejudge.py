"""`rackwatch rejudge`: a stored hand under another profile, or with what was put right since."""

from typing import Annotated

import typer

from monitor.cli._logs import LogArgument


def command(
    log: LogArgument,
    table: Annotated[str, typer.Option(help="The table.")],
    hand: Annotated[int, typer.Option(help="The number of the hand, as exports and reports have it.", min=0)],
    profile: Annotated[str, typer.Option(help="Rules to judge by: league, or a TOML file laid over it.")] = "league",
) -> None:
    """Judge a stored hand again and show what was ruled then beside what this profile makes of it.

    What people put right with `amend` is taken into account. Nothing is written. Exit code 0 where nothing would have
    been ruled otherwise, 1 where something would.
    """
    from rich.console import Console

    from monitor.alerts import Alert
    from monitor.cli._logs import place_of
    from monitor.cli._rejudged import as_table
    from monitor.cli._words import printable
    from monitor.errors import LogError
    from monitor.log.amending import amendments, heard_in
    from monitor.log.part import Part
    from monitor.log.reader import open_log
    from monitor.log.schema import Stream
    from monitor.profiles import load_profile
    from monitor.rejudging import rejudge

    place, rules = place_of(log), load_profile(profile)
    with open_log(place) as opened:
        events = list(heard_in(opened, table, hand))
        if not events:
            raise LogError(str(place), f"holds no hand {hand} of {table}")
        told = [stored.record for stored in opened.records(Part(table=table, hand=hand, stream=Stream.ALERT))]
        notes = amendments(opened, table, hand)
    compared = rejudge(events, [alert for alert in told if isinstance(alert, Alert)], rules)
    console = Console()
    for note in notes:
        said = f"put right by {note.author}: {note.event.__struct_config__.tag} ({note.reason})"
        console.print(printable(said), markup=False)
    if compared:
        console.print(as_table(compared))
    changed = sum(not each.same for each in compared)
    verdict = (
        "Nothing would have been ruled otherwise." if not changed else f"{changed} would have been ruled otherwise."
    )
    rulings = "1 ruling" if len(compared) == 1 else f"{len(compared)} rulings"
    console.print(printable(f"{table}, hand {hand}, under {profile}: {rulings}. {verdict}"), markup=False)
    raise typer.Exit(1 if changed else 0)
