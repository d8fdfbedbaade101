"""`rackwatch report`: what a log tells, on paper: one incident for a referee, one evening for a director."""

from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli._logs import LogArgument
from monitor.typesetting.sizes import Paper

app = typer.Typer(no_args_is_help=True, help="Make a report of an event log: an incident, or an evening.")


_Out = Annotated[Path, typer.Option(help="Where to write it; the name says how: .pdf or .html.", metavar="PATH")]
_Paper = Annotated[Paper, typer.Option(help="Sheet of a PDF; HTML fits whatever it is printed on.")]
_Counts = Annotated[
    bool, typer.Option("--counts/--no-counts", help="--no-counts: for an event that has count monitoring switched off.")
]


@app.command("incident")
def incident(
    log: LogArgument,
    alert: Annotated[str, typer.Argument(help="The alert's id, as the director's page has it.", metavar="ALERT_ID")],
    out: _Out,
    paper: _Paper = Paper.A4,
    counts: _Counts = True,
) -> None:
    """One alert on one page: what was seen and between which bounds, whose rule, what became of it, what is left.

    For the director: it tells numbers of tiles, never which tiles. Nothing in the log is changed, and a monitor that
    runs is not disturbed.
    """
    from monitor import log as event_log
    from monitor.audience import Audience
    from monitor.cli._logs import place_of
    from monitor.reports.incident import read_incident
    from monitor.reports.incident_page import incident_page
    from monitor.reports.paper import Kind, check_out, write_report

    place = place_of(log)
    check_out(out, keep=place.files)
    with event_log.open(place) as reader:
        read = read_incident(reader, alert, Audience(count_monitoring=counts))
        chain = reader.last_link(read.table, read.hand).hex() or None
        page = incident_page(read, place.name, chain)
    write_report(out, Kind.INCIDENT, page, paper)
    typer.echo(f"written to {out}")


@app.command("session")
def session(
    log: LogArgument,
    out: _Out,
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], help="The evening's date; the log's last evening without it."),
    ] = None,
    table: Annotated[list[str] | None, typer.Option(help="This table alone; may be given again.")] = None,
    paper: _Paper = Paper.A4,
    counts: _Counts = True,
) -> None:
    """An evening: every table and hand, windows, alerts and what became of them, and the sensors' health.

    What begins before five in the morning belongs to the evening before.
    """
    from monitor import log as event_log
    from monitor.audience import Audience
    from monitor.cli._logs import place_of
    from monitor.cli._progress import following
    from monitor.reports.paper import Kind, check_out, write_report
    from monitor.reports.session import read_session
    from monitor.reports.session_page import session_page

    place = place_of(log)
    check_out(out, keep=place.files)
    with event_log.open(place) as reader, following(place.name) as passing:
        evening = None if date is None else date.date()
        read = read_session(reader, Audience(count_monitoring=counts), evening, table or (), passing)
    with following(out.name) as passing:
        write_report(out, Kind.SESSION, session_page(read, place.name), paper, passing)
    typer.echo(f"written to {out}")
