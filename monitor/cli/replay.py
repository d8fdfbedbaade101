"""`rackwatch replay`: a recording through the same table as live, in virtual time."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    recording: Annotated[
        Path, typer.Argument(help="Recording: CASE.recording.jsonl or .jsonl.gz.", dir_okay=False, exists=True)
    ],
    setup: Annotated[Path, typer.Option(help="Set-up of the table: CASE.setup.json.", dir_okay=False, exists=True)],
    events: Annotated[Path | None, typer.Option(help="Write the game events here, a JSON line each.")] = None,
    alerts: Annotated[Path | None, typer.Option(help="Write the alerts here, a JSON line each.")] = None,
    profile: Annotated[str, typer.Option(help="Rules to judge by: league, or a TOML file laid over it.")] = "league",
    explain: Annotated[bool, typer.Option(help="Give each alert its explanation in words.")] = False,
    identities: Annotated[bool, typer.Option(help="Keep which tile it was (uid, uids, face) in the events.")] = False,
) -> None:
    """Replay a recording and write what the monitor would have seen and said.

    Time is the recording's own, so the same recording, set-up and profile give the same bytes. Damaged lines are
    reported with their number and skipped; messages that came to nothing are counted by reason at the end. Exit code 0
    when the recording was read to its end.
    """
    from firmware_bridge.recording import BadLine, read_recording
    from monitor.alerts import Alert
    from monitor.cli._progress import reading
    from monitor.cli._refusals import CountingRouter, refusals
    from monitor.cli._streams import Streams
    from monitor.profiles import load_profile
    from monitor.replay import replay
    from monitor.settings_file import load_setup
    from monitor.table import Table

    def report(bad: BadLine) -> None:
        fate = "skipped" if bad.skipped else "used all the same"
        typer.echo(f"{recording}:{bad.number}: {bad.reason} ({fate})", err=True)

    case = load_setup(setup)
    table = Table(case, load_profile(profile))
    router = CountingRouter(frozenset({case.table}))
    inputs = (recording, setup, Path(profile))
    streams = Streams(events, alerts, inputs=inputs, identities=identities, explain=explain)
    with streams as out, reading(recording) as passed:
        for record in replay(table, router, passed(read_recording(recording)), report):
            if isinstance(record, Alert):
                out.alert(record)
            else:
                out.event(record)
    for refusal in refusals(router, case.table):
        typer.echo(f"{recording}: {refusal}", err=True)
