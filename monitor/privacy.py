"""The players' privacy notice: what is sensed, kept and shown here, and for how long, made from the settings.

Owns its sentences. Refuses to know pages: `monitor.web` shows it, and a printer prints that page. A club hangs it up
as it is, so each sentence must hold for the settings it was made from; what a setting changes is said for that setting
alone. Settings -> **privacy** -> page.
"""

from collections.abc import Iterator
from typing import assert_never

from msgspec import Struct

from hw.calibration import TableSetup
from monitor.settings import Identities, Keep, Settings


class Section(Struct, frozen=True):
    """A heading and its sentences."""

    title: str
    sentences: tuple[str, ...]


def privacy_notice(settings: Settings, setups: tuple[TableSetup, ...]) -> list[Section]:
    """What players are told. `setups`: of each table of the settings, in order."""
    return [
        Section("What is sensed", tuple(_sensed(settings, setups))),
        Section("What is worked out from it", tuple(_worked_out(settings))),
        Section("Who sees what", tuple(_shown(settings))),
        Section("What is kept, and for how long", tuple(_kept(settings))),
        Section("Who decides", tuple(_decides())),
    ]


def _sensed(settings: Settings, setups: tuple[TableSetup, ...]) -> Iterator[str]:
    if any(setup.calibration for setup in setups) or any(table.calibration for table in settings.tables):
        yield "Scales in the racks weigh the tiles in and on each rack. They also feel hands that rest on a rack."
    if any(setup.tiles for setup in setups) or any(table.tiles for table in settings.tables):
        yield "Tiles carry a number that antennas at the racks read from close by; a tile is known again by it."
    yield "Buttons at the table tell when somebody presses them."
    yield "Nothing else is sensed: no picture, no sound, no names, nothing that you wear or carry."


def _worked_out(settings: Settings) -> Iterator[str]:
    yield "From this the monitor works out when tiles were racked, discarded, called and exposed, and by which chair."
    if all(not table.count_monitoring for table in settings.tables):
        yield "How many tiles a rack holds is neither judged nor shown here."
    else:
        yield "It counts the tiles on each rack and tells the director where a number seems wrong."
    yield "It knows chairs, not people."


def _shown(settings: Settings) -> Iterator[str]:
    yield "Everybody may see what happens in the open: phase, turn, and whether the last discard may still be claimed."
    practising = [table.name for table in settings.tables if table.practice and table.count_monitoring]
    if practising:
        yield f"In practice ({_tables(practising)}) counts and count alerts are shown to the whole table."
    watched = [table for table in settings.tables if table.count_monitoring]
    if len(practising) < len(watched):
        yield f"{'Elsewhere numbers' if practising else 'Numbers'} of tiles are shown to the director alone."
    unwatched = [table.name for table in settings.tables if not table.count_monitoring]
    if unwatched and watched:
        yield f"No number of tiles is shown to anybody at {_tables(unwatched)}."
    yield "Which tiles a hand holds is shown to nobody while it is played, the director included."
    if settings.mqtt is not None:
        yield "What the sensors tell and what the monitor says also go over this venue's own message broker."


def _kept(settings: Settings) -> Iterator[str]:
    log, recording = settings.log, settings.recording
    yield "What happened at each table is written into a log that cannot be changed unnoticed."
    yield "Directors and scorers are named in it with what they ruled, entered or noted."
    match log.identities:
        case Identities.AFTER_HAND:
            yield "Which tile it was is encrypted in it, and may be read once the hand is over."
        case Identities.SEALED:
            yield "Which tile it was is encrypted in it, and can be read with the key of the log alone."
        case Identities.NEVER:
            yield "Which tile it was is not kept in it."
        case _ as unreachable:
            assert_never(unreachable)
    yield _for_days(log.keep_days, "The log")
    if recording.folder is None:
        yield "What the sensors themselves said is not kept."
        return
    if recording.keep is Keep.WITH_ALERTS:
        yield "What the sensors themselves said is kept where something needed the director, with the numbers of tiles."
    else:
        yield "What the sensors themselves said is kept too, with the numbers of tiles."
    yield _for_days(recording.keep_days, "These recordings")


def _for_days(days: int, what: str) -> str:
    verb = "is" if what == "The log" else "are"
    if days == 0:
        return f"{what} {verb} kept until somebody takes {'it' if verb == 'is' else 'them'} away."
    return f"{what} {verb} kept for {days} day{'s' if days > 1 else ''}."


def _decides() -> Iterator[str]:
    yield "The monitor advises. Only players and the director rule; it never declares a hand dead."
    yield "Ask the director to see what is kept of your table, or to have it taken away."


def _tables(names: list[str]) -> str:
    if len(names) == 1:
        return f"table {names[0]}"
    return f"tables {', '.join(names[:-1])} and {names[-1]}"
