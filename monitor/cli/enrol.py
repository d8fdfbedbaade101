"""`rackwatch enrol`: a tile set, with a person who lays one tile after another on an antenna."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from firmware_bridge.messages import Antenna, Place
    from firmware_bridge.session import Delivery
    from hw.enrolment import Enrolment, Told

_HELP = """\
A face (4-bam, joker): tiles of it come next.   yes: enrol the doubtful one.   aside: its tag is not heard, go on.
undo: take back the last.   UID FACE: correct.   forget UID.   ignore: what is heard stays there.   status.
together: lay all tiles of a face side by side.   single: one after another.
done: write and end.   quit: end and write nothing."""


def command(
    settings: Annotated[Path, typer.Argument(help="Settings file (TOML) that names the nodes.", metavar="FILE")],
    table: Annotated[str, typer.Argument(help="Name of the table.")],
    place: Annotated[
        str, typer.Argument(help="Where tiles are laid: east, floor, or an antenna such as east.ledge.")
    ] = "east",
    recording: Annotated[
        Path | None, typer.Option(help="Take the readings from a recording, and its time.", dir_okay=False, exists=True)
    ] = None,
    anew: Annotated[bool, typer.Option("--anew", help="Begin with no tile, whatever the set-up has.")] = False,
) -> None:
    """Enrol a tile set: 152 tiles, laid on one antenna one after another.

    Says which tile to lay. Words on the way: a face, yes, aside, undo, UID FACE, forget UID, ignore, together (lay all
    tiles of a face side by side), single, status, done, quit. What is enrolled goes into the table's set-up file, also
    when the set is half done: the next time goes on from there. The old text is kept beside it. Exit code 1 where the
    set is not complete.
    """
    from hw.enrolment import Enrolment
    from hw.setup_text import SetupChange
    from monitor.cli._setting_up import hold_talk
    from monitor.settings_file import load_settings
    from monitor.setup_store import enrolled_so_far, setup_path, table_index, write_setup

    here, antenna = _antenna(place)
    file = load_settings(settings)
    index = table_index(file, table)
    if file.settings.tables[index].tiles is None:
        setup_path(file, index)
    before = enrolled_so_far(file, index)
    enrolment = Enrolment() if anew else Enrolment(before.tiles, before.tile_doubts or {})
    talk = _Talk(enrolment, here, antenna)
    hold_talk(talk, file, table, recording)
    status, result = enrolment.status, enrolment.result
    typer.echo(status.words)
    if result.doubts:
        typer.echo(
            f"Doubtful: {', '.join(f'{result.tiles[uid]} ({uid}): {why}' for uid, why in result.doubts.items())}."
        )
    if enrolment.glimpsed:
        typer.echo(f"Heard in passing and not enrolled: {', '.join(sorted(enrolment.glimpsed))}.")
    if talk.thrown_away:
        typer.echo("Nothing was written.")
    elif result.tiles != before.tiles or result.doubts != (before.tile_doubts or {}):
        written = write_setup(file, index, SetupChange(tiles=result.tiles, tile_doubts=result.doubts))
        kept = f" (before: {written.backup.name})" if written.backup is not None else ""
        typer.echo(f"Written to {written.path}{kept}. A monitor that is running reads it when it is started anew.")
    if not status.complete or talk.thrown_away:
        raise typer.Exit(1)


def _antenna(where: str) -> "tuple[Place, Antenna]":
    from firmware_bridge.messages import Antenna, Place

    name, _, antenna = where.partition(".")
    try:
        place = Place(name)
        usual = Antenna.DISCARD if place is Place.FLOOR else Antenna.SLOPE
        return place, Antenna(antenna) if antenna else usual
    except ValueError as problem:
        raise typer.BadParameter(f"{where} is no antenna; say east, east.ledge, floor or the like") from problem


class _Talk:
    """Leads an enrolment on a terminal."""

    def __init__(self, enrolment: "Enrolment", place: "Place", antenna: "Antenna") -> None:
        from hw.setting_up import AntennaRounds

        self.over = False
        self.thrown_away = False
        self._enrolment = enrolment
        self._rounds = AntennaRounds(place, antenna)
        self._bad_rows = 0
        self._told = ""
        self._tell()

    @property
    def asks(self) -> bool:
        return True

    def heard(self, delivery: "Delivery") -> None:
        for heard in self._rounds.of(delivery):
            self._say(*self._enrolment.feed(heard))
        if delivery.bad_rows and not self._bad_rows:
            typer.echo("The node reports ids that are no whole ids of tags (cut short, perhaps); they are left out.")
        self._bad_rows += delivery.bad_rows
        self._tell()

    def passed(self, now_s: float) -> None:
        """The enrolment's time is that of its rounds."""

    def said(self, line: str) -> None:
        from hw.tile_set import face_named

        if self.over:
            return
        enrolment = self._enrolment
        match line.split():
            case ["done"]:
                self.over = True
            case ["quit"]:
                self.over = self.thrown_away = True
            case ["yes"]:
                self._say(enrolment.confirm())
            case ["undo"]:
                self._say(enrolment.undo())
            case ["aside"]:
                self._say(enrolment.set_aside())
            case ["together" | "single" as how]:
                enrolment.together = how == "together"
            case ["ignore"]:
                self._say(enrolment.ignore())
            case ["forget", uid]:
                self._say(enrolment.forget(uid.upper()))
            case ["status"]:
                typer.echo(enrolment.status.words)
            case []:
                self._told = ""
            case words if (face := face_named(line)) is not None and words:
                self._say(enrolment.choose(face))
            case [uid, *words] if (face := face_named(" ".join(words))) is not None:
                self._say(enrolment.correct(uid.upper(), face))
            case _:
                typer.echo(_HELP)
        self._tell()

    def ended(self) -> None:
        self.over = True

    def _say(self, *told: "Told") -> None:
        for one in told:
            typer.echo(one.words)

    def _tell(self) -> None:
        """Say what to do, once."""
        from hw.enrolment import State

        if self.over:
            return
        advice = self._enrolment.advice
        words = f"{advice.trouble} {advice.words}" if advice.trouble else advice.words
        if advice.state is State.COMPLETE:
            self.over = True
        elif words != self._told:
            typer.echo(words)
        self._told = words
