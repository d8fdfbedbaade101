"""`rackwatch judge`: the rules core alone, over a file of events."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    events: Annotated[Path, typer.Argument(help="Events, a JSON line each.", dir_okay=False, exists=True)],
    alerts: Annotated[Path, typer.Option(help="Write the alerts here, a JSON line each.")],
    profile: Annotated[str, typer.Option(help="Rules to judge by: league, or a TOML file laid over it.")] = "league",
    out: Annotated[Path | None, typer.Option(help="Write the events, with those the rules derive, here.")] = None,
    identities: Annotated[bool, typer.Option(help="Keep which tile it was (uid, uids, face) in --out.")] = False,
) -> None:
    """Judge events without sensors: what do the articles say of this log, under this profile?

    Malformed lines are reported with their number and skipped. Exit code 0 when the input was read to its end.
    """
    raise typer.Exit(2)
