"""`rackwatch judge`: the rules core alone, over a file of events."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    events: Annotated[Path, typer.Argument(help="Events, a JSON line each.", dir_okay=False, exists=True)],
    alerts: Annotated[Path, typer.Option(help="Write the alerts here, a JSON line each.")],
    profile: Annotated[str, typer.Option(help="Rules to judge by: league, or a TOML file laid over it.")] = "league",
    out: Annotated[Path | None, typer.Option(help="Write the events, with those the rules derive, here.")] = None,
    explain: Annotated[bool, typer.Option(help="Give each alert its explanation in words.")] = False,
    identities: Annotated[bool, typer.Option(help="Keep which tile it was (uid, uids, face) in --out.")] = False,
) -> None:
    """Judge events without sensors: what do the articles say of this log, under this profile?

    Lines that cannot be used are reported with their number and skipped; so is what else had to be done to a line. What
    --out gets can be judged again and says the same. Exit code 0 when the input was read to its end.
    """
    from monitor.alerts import Alert
    from monitor.cli._streams import Streams
    from monitor.profiles import load_profile
    from monitor.rules.court import Unmatched, Unreadable, judge_lines

    rules = load_profile(profile)
    inputs = (events, Path(profile))
    with (
        events.open("rb") as lines,
        Streams(out, alerts, inputs=inputs, identities=identities, explain=explain) as streams,
    ):
        for record in judge_lines(lines, rules):
            match record:
                case Unreadable(line, why, skipped):
                    typer.echo(f"{events}:{line}: {why}{' (skipped)' if skipped else ''}", err=True)
                case Unmatched(count, line, replaces):
                    which = f"{events}:{line}: replaces {replaces}"
                    what = "this correction" if count == 1 else f"this correction and {count - 1} more"
                    typer.echo(f"{which}: {what} found nothing to correct", err=True)
                case Alert():
                    streams.alert(record)
                case _:
                    streams.event(record)
