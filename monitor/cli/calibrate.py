"""`rackwatch calibrate`: one load cell, with a person who lays tiles on it."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from firmware_bridge.messages import Channel, Place
    from firmware_bridge.session import Delivery
    from hw.calibration_fit import Weighed
    from hw.guided_calibration import Calibrated, GuidedCalibration

TOLD_TILE_SE_G = 0.3
"""How sure a weight is that a person gives for a tile (our choice)."""


def command(
    settings: Annotated[Path, typer.Argument(help="Settings file (TOML) that names the nodes.", metavar="FILE")],
    table: Annotated[str, typer.Argument(help="Name of the table.")],
    cell: Annotated[str, typer.Argument(help="Load cell, such as east.rack or south.slope.", metavar="PLACE.CHANNEL")],
    recording: Annotated[
        Path | None, typer.Option(help="Take the readings from a recording, and its time.", dir_okay=False, exists=True)
    ] = None,
    tile_grams: Annotated[
        float | None, typer.Option(help="What a tile weighs, where none is weighed on a kitchen scale.")
    ] = None,
) -> None:
    """Calibrate a load cell: empty rack, a number of tiles, and another number to check.

    Says what to do; answer with Enter, or the number of tiles and, if they were weighed, their grams (`14 168.5`).
    `back` returns to the step before, Ctrl-C leaves. The figures go into the table's set-up file, whose old text is
    kept beside it. Exit code 1 where the calibration was not finished.
    """
    from datetime import UTC, datetime

    from firmware_bridge.messages import Channel, Place
    from hw.calibration import LOAD_CELLS
    from hw.calibration_fit import TileWeight
    from hw.guided_calibration import GuidedCalibration
    from hw.setup_text import SetupChange
    from monitor.cli._setting_up import hold_talk
    from monitor.settings_file import load_settings
    from monitor.setup_store import check_writable, table_index, write_setup

    if cell not in LOAD_CELLS:
        raise typer.BadParameter(f"{cell} is no load cell; there are {', '.join(LOAD_CELLS)}")
    file = load_settings(settings)
    index = table_index(file, table)
    check_writable(file, index, cell)
    place, _, channel = cell.partition(".")
    try:
        guide = GuidedCalibration(cell, None if tile_grams is None else TileWeight(tile_grams, TOLD_TILE_SE_G))
    except ValueError as problem:
        raise typer.BadParameter(str(problem)) from problem
    talk = _Talk(guide, Place(place), Channel(channel))
    hold_talk(talk, file, table, recording)
    if not talk.done:
        typer.echo("Not finished; nothing was written.", err=True)
        raise typer.Exit(1)
    result = guide.result(datetime.now(UTC).isoformat(timespec="seconds"))
    _tell(result)
    written = write_setup(file, index, SetupChange(calibration={cell: result.calibration}))
    kept = f" (before: {written.backup.name})" if written.backup is not None else ""
    typer.echo(f"Written to {written.path}{kept}. A monitor that is running reads it when it is started anew.")


class _Talk:
    """Leads a guided calibration on a terminal."""

    def __init__(self, guide: "GuidedCalibration", place: "Place", channel: "Channel") -> None:
        self.over = False
        self.done = False
        self._guide = guide
        self._place = place
        self._channel = channel
        self._told = ""
        self._tell()

    @property
    def asks(self) -> bool:
        from hw.guided_calibration import Phase

        return self._guide.phase is not Phase.HOLDING

    def heard(self, delivery: "Delivery") -> None:
        from hw.setting_up import cell_samples

        self._guide.feed(cell_samples(delivery, self._place, self._channel))
        self._tell()

    def passed(self, now_s: float) -> None:
        self._guide.advance(now_s)
        self._tell()

    def said(self, line: str) -> None:
        from hw.guided_calibration import Stage

        if self.over:
            return
        words = line.lower().split()
        match words:
            case ["back"]:
                self._guide.back()
            case ["quit"]:
                self.over = True
                return
            case ["skip"] | [] if self._guide.stage is Stage.SECOND:
                self._guide.skip()
            case [] if self._guide.stage is Stage.EMPTY:
                self._guide.laid(0)
            case [number, *grams] if number.isdecimal() and len(number) < 4 and len(grams) <= 1:
                weighed = _weighed(grams[0]) if grams else None
                if grams and weighed is None:
                    typer.echo(f"{grams[0]} is no weight in grams.")
                else:
                    self._guide.laid(int(number), weighed)
            case _:
                typer.echo("Say a number of tiles and perhaps their grams, Enter, back or quit.")
        self._told = ""
        self._tell()

    def ended(self) -> None:
        self.over = True

    def _tell(self) -> None:
        """Say what to do, once."""
        from hw.guided_calibration import Stage

        words = self._guide.guidance.words
        if self._guide.stage is Stage.DONE:
            self.over = self.done = True
        elif words != self._told:
            typer.echo(words)
        elif sys.stdout.isatty() and not self.asks:
            typer.echo(f"\r{self._guide.guidance.share:4.0%} ", nl=False)
        self._told = words


def _weighed(text: str) -> "Weighed | None":
    from math import isfinite

    from hw.calibration_fit import Weighed

    try:
        grams = float(text.removesuffix("g").replace(",", "."))
    except ValueError:
        return None
    return Weighed(grams) if isfinite(grams) and grams > 0.0 else None


def _tell(result: "Calibrated") -> None:
    """The figures with their 99 % bounds, and what is worth knowing."""
    from hw.calibration import WITHIN_99

    figures = result.figures
    rows = (
        ("counts per gram", figures.counts_per_g, figures.counts_per_g_se),
        ("counts per tile", figures.counts_per_tile, figures.counts_per_tile_se),
        ("zero, counts", figures.zero_counts, figures.zero_counts_se),
        ("a tile, g", figures.tile_g, figures.tile_g_se),
    )
    typer.echo(f"{result.cell} is calibrated. With 99 % certainty:")
    for name, value, error in rows:
        typer.echo(f"  {name:<16} {value:12.2f} ± {WITHIN_99 * error:.2f}")
    typer.echo(f"  {'noise, g':<16} {figures.noise_g:12.3f}, at {figures.samples_per_s:.0f} samples a second")
    for note in result.notes:
        typer.echo(note)
