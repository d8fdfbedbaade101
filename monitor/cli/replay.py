"""`rackwatch replay`: a recording through the same table as live, in virtual time; or a hand played for people."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

if TYPE_CHECKING:
    from monitor.timeline import Timeline


def command(
    recording: Annotated[
        Path,
        typer.Argument(
            help="Recording: CASE.recording.jsonl or .jsonl.gz. With --show also an event log.",
            dir_okay=False,
            exists=True,
        ),
    ],
    setup: Annotated[
        Path | None,
        typer.Option(
            help="Set-up of the table: CASE.setup.json. An event log needs none.", dir_okay=False, exists=True
        ),
    ] = None,
    then: Annotated[
        list[Path] | None,
        typer.Option(
            help="The next file of the same run of the monitor, where a hand goes on in it; may be given again.",
            dir_okay=False,
            exists=True,
        ),
    ] = None,
    events: Annotated[Path | None, typer.Option(help="Write the game events here, a JSON line each.")] = None,
    alerts: Annotated[Path | None, typer.Option(help="Write the alerts here, a JSON line each.")] = None,
    profile: Annotated[
        str | None, typer.Option(help="Rules to judge by: league, or a TOML file laid over it.", show_default="league")
    ] = None,
    explain: Annotated[bool, typer.Option(help="Give each alert its explanation in words.")] = False,
    identities: Annotated[bool, typer.Option(help="Keep which tile it was (uid, uids, face) in the events.")] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Play what the director would have seen, here in the terminal.")
    ] = False,
    speed: Annotated[
        float | None,
        typer.Option(
            min=0.1, max=64.0, help="With --show: how many times as fast as life, from the start.", show_default="1"
        ),
    ] = None,
    table: Annotated[
        str | None, typer.Option(help="Of an event log: which table; needless where it holds one.")
    ] = None,
    hand: Annotated[
        int | None, typer.Option(min=0, help="Of an event log: which hand of the table.", show_default="the last")
    ] = None,
) -> None:
    """Replay a recording and write what the monitor would have seen and said; or play it in the terminal.

    Time is the recording's own, so the same recording, set-up and profile give the same bytes. Damaged lines are
    reported with their number and skipped; messages that came to nothing are counted by reason at the end. Exit code 0
    when the recording was read to its end.

    With --show a hand is played as the director would have seen it: the racks, whose turn it is, the window, what
    happened, and alerts as they would have come. Keys: space pauses, left and right go 10 s back and on (page up and
    page down a minute), home and end to the beginning and the end, n and p to the next and the previous alert, + and -
    faster and slower, q quits. A hand of an event log is played without its recording, from what was told then. Where
    the output is no terminal, plain lines come as time passes.
    """
    from monitor.cli._progress import say_reading
    from monitor.log.reader import is_log

    if speed is not None and not show:
        raise typer.BadParameter(
            "it is for --show; without it nothing is played, and time is the recording's own.", param_hint="--speed"
        )
    of_recording = {
        "--setup": setup,
        "--then": then or None,
        "--events": events,
        "--alerts": alerts,
        "--profile": profile,
        "--explain": explain or None,
    }
    if is_log(recording):
        if not show:
            raise typer.BadParameter(f"{recording} is an event log; with --show it is played.", param_hint="RECORDING")
        _refuse(of_recording, "an event log is shown as it was written; this is for a recording.")
        say_reading(recording)
        _show_log(recording, table, hand, speed=speed or 1.0, identities=identities)
        return
    _refuse({"--table": table, "--hand": hand}, "this is for an event log; a recording is played whole.")
    if setup is None:
        raise typer.BadParameter("a recording needs the set-up of its table (CASE.setup.json).", param_hint="--setup")
    if show:
        say_reading(recording)
    timeline = _replay(
        (recording, *(then or [])), setup, profile or "league", Outputs(events, alerts, explain, identities, show)
    )
    if timeline is not None:
        from monitor.cli._show import show as play
        from monitor.cli._words import recording_time

        play(timeline, speed or 1.0, recording_time, _title(recording, identities))


class Outputs(Struct, frozen=True):
    """What is wanted of a recording."""

    events: Path | None
    alerts: Path | None
    explain: bool
    identities: bool
    show: bool


def _replay(recordings: tuple[Path, ...], setup: Path, profile: str, wanted: Outputs) -> "Timeline | None":
    """Write what is wanted; give what is to be shown, if it is."""
    from firmware_bridge.joined import read_joined
    from firmware_bridge.recording import BadLine
    from monitor.alerts import Alert
    from monitor.cli._progress import reading
    from monitor.cli._refusals import CountingRouter, refusals
    from monitor.cli._streams import Streams
    from monitor.log.hands import HandCounter
    from monitor.profiles import load_profile
    from monitor.replay import steps
    from monitor.settings_file import load_setup
    from monitor.table import Table
    from monitor.timeline import TimelineBuilder, Told

    def report(bad: BadLine) -> None:
        fate = "skipped" if bad.skipped else "used all the same"
        typer.echo(f"{recording}:{bad.number}: {bad.reason} ({fate})", err=True)

    recording = recordings[0]
    case = load_setup(setup)
    table = Table(case, load_profile(profile))
    router = CountingRouter(frozenset({case.table}))
    builder = TimelineBuilder(case.table, identities=wanted.identities) if wanted.show else None
    hands = HandCounter()
    now_s = 0.0
    inputs = (*recordings, setup, Path(profile))
    streams = Streams(wanted.events, wanted.alerts, inputs=inputs, identities=wanted.identities, explain=wanted.explain)
    with streams as out, reading(recording) as passed:
        for step in steps(table, router, passed(read_joined(recordings)), report):
            now_s = max(now_s, step.at_s)
            for record in step.records:
                if isinstance(record, Alert):
                    out.alert(record)
                else:
                    hands.take(record)
                    out.event(record)
                if builder is not None:
                    builder.take(Told(step.at_s, hands.number, record))
    for refusal in refusals(router, case.table):
        typer.echo(f"{recording}: {refusal}", err=True)
    return None if builder is None else builder.finish(0.0, now_s)


def _show_log(path: Path, table: str | None, hand: int | None, *, speed: float, identities: bool) -> None:
    from monitor.cli._progress import counting
    from monitor.cli._show import show
    from monitor.log.part import Part
    from monitor.log.reader import open_log
    from monitor.stored_hand import stored_hand
    from monitor.wording import time_of_day

    def clock(at_s: float) -> str:
        """The time of day, to the tenth."""
        return in_hundredths(at_s)[:-1]

    with open_log(path) as log, counting(path.name, log.count(Part(table=table))) as passed:
        stored = stored_hand(log, table, hand, identities=identities, passed=passed)
    in_hundredths = time_of_day(stored.ahead_s)
    show(stored.timeline, speed, clock, _title(path, identities))


def _title(path: Path, identities: bool) -> str:
    return f"{path.name}, tiles named" if identities else path.name


def _refuse(options: Mapping[str, object], why: str) -> None:
    for name, value in options.items():
        if value is not None:
            raise typer.BadParameter(why, param_hint=name)
