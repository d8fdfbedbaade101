"""`rackwatch explain`: an alert in full: what was seen, whose rule it is, what may follow, what is left to decide."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    alert: Annotated[
        str | None, typer.Argument(help="The alert's id, as the director's page has it.", metavar="ALERT_ID")
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            help="An event log, the settings file of a monitor, or alerts as JSON lines; without it, the log that "
            "stands here under its usual name.",
        ),
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Explain every alert, one after the other.")] = False,
) -> None:
    """Explain an alert; without an id, list the alerts there are.

    The text is the one on the director's page. Nothing is changed, and a monitor that runs is not disturbed. Exit code
    2 where there is no such alert.
    """
    from monitor.cli._explained import explained, listed
    from monitor.errors import UnknownAlertError
    from monitor.settings import LogSettings
    from monitor.told import told_alerts

    path = Path(LogSettings().path) if source is None else source
    if source is None and not path.exists():
        raise typer.BadParameter(f"there is no {path} here; say with --from where the alerts are")

    def report(number: int, why: str) -> None:
        typer.echo(f"{path}:{number}: {why} (skipped)", err=True)

    told = told_alerts(path, report)
    if every:
        typer.echo("\n\n".join(explained(one) for one in told.values()) if told else _NONE)
    elif alert is None:
        typer.echo("\n".join(map(listed, told.values())) if told else _NONE)
    elif alert in told:
        typer.echo(explained(told[alert]))
    else:
        raise UnknownAlertError(path, alert, told)


_NONE = "No alert has been told."
