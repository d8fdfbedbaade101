"""`rackwatch export`: an event log, or a part of it, as JSON lines, CSV, a workbook or a document to print."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from monitor.cli._logs import LogArgument
from monitor.exports.formats import Format
from monitor.typesetting.sizes import Paper

if TYPE_CHECKING:
    from monitor.settings_file import SettingsFile


def command(
    log: LogArgument,
    form: Annotated[
        Format,
        typer.Option("--format", help="jsonl for programs, csv and xlsx for sheets, pdf: a log of hands to print."),
    ],
    out: Annotated[
        Path, typer.Option(help="The file to write; for csv a new folder, or an archive where it ends in .zip.")
    ],
    table: Annotated[str | None, typer.Option(help="Only this table.")] = None,
    hand: Annotated[int | None, typer.Option(help="Only the hands of this number.", min=0)] = None,
    since: Annotated[
        str | None,
        typer.Option(help="Only what was written from this ISO date or time on; a time alone: of today."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(help="Only what was written before this ISO date or time; a date alone: until its end."),
    ] = None,
    paper: Annotated[Paper, typer.Option(help="Size of the pages of a pdf.")] = Paper.A4,
    identities: Annotated[bool, typer.Option(help="Keep which tile it was (uid, uids, face).")] = False,
) -> None:
    """Export an event log, or a part of it. A monitor that writes to it is not disturbed.

    The file is written whole or not at all. Times are UTC in jsonl and csv; in xlsx, pdf, --since and --until they are
    those of this machine's zone. Exit code 2 where nothing matches.
    """
    from datetime import UTC, datetime

    from monitor.cli._logs import place_of
    from monitor.cli._progress import counting
    from monitor.exports.export import Wanted, export
    from monitor.exports.selection import Selection
    from monitor.log import open as open_log
    from monitor.settings_file import load_settings

    uncounted: frozenset[str] = frozenset()
    inputs = (Path(log),)
    now = datetime.now(UTC)
    selection = Selection(table, hand, _moment("--since", since), _moment("--until", until, whole_day_ends=True))
    if log.endswith(".toml"):
        uncounted = _uncounted(load_settings(Path(log)))
    wanted = Wanted(form, out, selection, identities=identities, uncounted=uncounted, inputs=inputs, paper=paper)
    with open_log(place_of(log)) as opened, counting(out.name, opened.count(selection.part)) as passing:
        done = export(opened, wanted, now, passing)
    typer.echo(f"{out}: {done.records:,} {'record' if done.records == 1 else 'records'}", err=True)
    for kind, count in sorted(done.left_out.items()):
        typer.echo(f"{out}: left out, as {form} has no place for them: {count:,} of kind {kind}", err=True)


def _uncounted(file: "SettingsFile") -> frozenset[str]:
    """The tables for which the counts are switched off, by their settings or their profile."""
    from monitor.profiles import load_profile
    from monitor.rules.profile import Monitoring

    return frozenset(
        table.name
        for index, table in enumerate(file.settings.tables)
        if not table.count_monitoring or load_profile(file.profile(index)).count.monitoring is Monitoring.OFF
    )


def _moment(option: str, text: str | None, *, whole_day_ends: bool = False) -> float | None:
    """What an option says of a time, in this machine's zone."""
    from datetime import UTC, datetime

    from monitor.exports.moments import read_moment

    if text is None:
        return None
    try:
        today = datetime.now(UTC).astimezone().date()
        return read_moment(text, today, None, whole_day_ends=whole_day_ends)
    except ValueError as problem:
        raise typer.BadParameter(str(problem), param_hint=option) from problem
