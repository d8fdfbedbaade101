"""Calibrating one load cell with a person: what to do now, how far it is, and what is wrong.

Owns the order of the steps, what may be believed, and the words. Refuses to know how samples come and where the result
goes; reads no clock: samples and times are passed in. Samples, a person's words -> **guided calibration** ->
`CellCalibration`, of which command line and page are faces.

    stage     asks for                      a word (`laid`, `skip`)     a still hold leads to
    ------    --------------------------    ------------------------    ---------------------------------------
    EMPTY     the rack with nothing on it   laid(0): holding            FIRST, or refused
    FIRST     n tiles (weighed, perhaps)    laid(n, weighed): holding   SECOND, or refused
    SECOND    another number, or nothing    laid(m): holding; skip      CHECK, or refused
    CHECK     about half as many            laid(k): holding            DONE, or refused
    DONE                                                                the result is there

In each stage the machine is ASKING, then HOLDING until the cell lies still; REFUSED says why, and the same word may be
said again. `back` returns to the stage before.
"""

from collections.abc import Iterable
from enum import StrEnum

from msgspec import Struct

from hw.calibration import CellCalibration, Measured
from hw.calibration_fit import (
    Assumptions,
    Figures,
    Laid,
    TileWeight,
    Weighed,
    expected_error,
    expected_tiles,
    fit,
)
from hw.hold import DRIFT_SURE, DRIFT_TILES_PER_MIN, HOLD_S, NOISE_MOST_TILES, CellSample, Hold, HoldWindow, Trouble

LEAST_TILES = 5
"""Fewer tiles tell too little of the set; our choice."""
MOST_TILES = 40
ADVISED_TILES = 14
"""A hand of tiles: what the cell is to count."""
TILE_G_LEAST = 10.0
TILE_G_MOST = 25.0
"""A tile of an American set weighs 10 to 13 g (research); other sets' are heavier."""
LEAST_SIGMAS = 2.5
LEAST_COUNTS = 20.0
"""A tile must be worth more than so many deviations of a sample, and so many codes, to be a load at all."""
CHECK_SIGMAS = 2.8
CHECK_MOST = 0.45
"""A check passes within so many standard errors, and never half a tile away."""
CHECK_APART = 0.3
"""The check's number differs by at least this share: a tile miscounted in both would else go through."""


class Stage(StrEnum):
    """Which hold comes next."""

    EMPTY = "empty"
    FIRST = "first"
    SECOND = "second"
    CHECK = "check"
    DONE = "done"


class Phase(StrEnum):
    """What the machine is doing in a stage."""

    ASKING = "asking"
    HOLDING = "holding"
    REFUSED = "refused"
    DONE = "done"


class Refusal(StrEnum):
    """Why a number or a hold is not taken."""

    BAD_NUMBER = "bad number"
    NUMBER_TOO_NEAR = "number too near"
    TILE_IMPLAUSIBLE = "tile implausible"
    TOO_LITTLE = "too little difference"
    NOISE_TOO_HIGH = "noise too high"
    WAS_NOT_STILL = "was not still"
    DRIFT = "drift"
    WRONG_WAY = "wrong way"
    DOES_NOT_CHECK = "does not check"


class Refused(Struct, frozen=True):
    """Why, and what to do about it, in words."""

    why: Refusal
    words: str


class Guidance(Struct, frozen=True):
    """What to tell the person now. `share`: how far the hold is, 0 to 1. `trouble`: what keeps it from being still."""

    stage: Stage
    phase: Phase
    words: str
    share: float = 0.0
    trouble: Trouble | None = None
    refused: Refused | None = None


class Calibrated(Struct, frozen=True):
    """The result: `calibration` carries its doubts in `measured`; `notes` are worth telling a person."""

    cell: str
    calibration: CellCalibration
    figures: Figures
    notes: tuple[str, ...]


_TROUBLES = {
    Trouble.SILENT: "Nothing comes from the cell. Is its node running, and is this the right channel?",
    Trouble.OUT_OF_RANGE: "The cell sends codes that are no weight. Check the wires between cell and converter.",
    Trouble.SATURATED: "The cell is at the end of its range: overloaded, or a wire is off.",
    Trouble.STUCK: "The cell sends the same code again and again: the converter is stuck. Restart the node.",
    Trouble.NOT_STILL: "Not still yet. Let nobody touch rack or table.",
    Trouble.HAND: "A hand is on the rack. Take it away.",
    Trouble.DRIFT: "The reading drifts. Let the cell warm up, and see that nothing leans on the rack.",
}


class GuidedCalibration:
    """The procedure for one cell. Say what was laid, feed samples, read `guidance`."""

    def __init__(self, cell: str, tile: TileWeight | None = None, assumed: Assumptions | None = None) -> None:
        """`tile`: what a tile weighs, where none will be weighed. Raises ValueError for a weight no tile has."""
        self.cell = cell
        self.stage = Stage.EMPTY
        self.phase = Phase.ASKING
        self._tile = tile or TileWeight()
        if not TILE_G_LEAST <= self._tile.tile_g <= TILE_G_MOST:
            raise ValueError(implausible(self._tile.tile_g))
        self._assumed = assumed or Assumptions()
        self._laid: list[Laid] = []
        self._weighed: Weighed | None = None
        self._said = 0
        self._window = HoldWindow()
        self._refused: Refused | None = None
        self._figures: Figures | None = None
        self._notes: list[str] = []

    @property
    def guidance(self) -> Guidance:
        """What to tell the person now."""
        trouble = self._window.trouble if self.phase is Phase.HOLDING else None
        words = self._asked()
        match self.phase:
            case Phase.HOLDING:
                words = (
                    _TROUBLES[trouble] if trouble is not None else f"Measuring for {HOLD_S:.0f} s. Hands off, please."
                )
            case Phase.REFUSED:
                words = f"{self._refused.words if self._refused else ''} {words}"
            case _:
                pass
        share = self._window.share if self.phase is Phase.HOLDING else 0.0
        return Guidance(self.stage, self.phase, words, share, trouble, self._refused)

    def laid(self, tiles: int, weighed: Weighed | None = None) -> Refused | None:
        """The person says that so many tiles lie on the rack now, and no hand; `weighed` counts in the stage FIRST.

        Returns why the number cannot be used, or `None`: then the cell is measured from the next sample on.
        """
        if self.phase is Phase.DONE:
            return Refused(Refusal.BAD_NUMBER, "The calibration is finished.")
        refused = self._number_refused(tiles, weighed)
        if refused is not None:
            self._refuse(refused)
            return refused
        if self.stage is Stage.FIRST:
            self._weighed = weighed
        self._said = tiles
        self._refused = None
        self.phase = Phase.HOLDING
        self._window = HoldWindow(self._tile_counts())
        return None

    def skip(self) -> bool:
        """Leave out the second number; only there can something be left out."""
        if self.stage is not Stage.SECOND:
            return False
        self.stage, self.phase, self._refused = Stage.CHECK, Phase.ASKING, None
        return True

    def back(self) -> None:
        """Return to the stage before, or stop measuring in this one."""
        if self.phase in {Phase.HOLDING, Phase.REFUSED}:
            self.phase, self._refused = Phase.ASKING, None
            return
        match self.stage:
            case Stage.EMPTY:
                return
            case Stage.FIRST:
                self.stage = Stage.EMPTY
            case Stage.SECOND:
                self.stage = Stage.FIRST
            case Stage.CHECK | Stage.DONE:
                self.stage = Stage.CHECK if self.stage is Stage.DONE else Stage.SECOND
        self.phase = Phase.ASKING
        kept = {Stage.EMPTY: 0, Stage.FIRST: 1, Stage.SECOND: 2}.get(self.stage, len(self._laid))
        del self._laid[kept:]
        self._notes.clear()

    def feed(self, samples: Iterable[CellSample]) -> None:
        """Take samples of the cell in order of time. Only what comes while HOLDING counts."""
        for sample in samples:
            if self.phase is not Phase.HOLDING:
                return
            self._window.feed(sample)
            if self._window.hold is not None:
                self._held(self._window.hold)

    def advance(self, now_s: float) -> None:
        """Let time pass, on the samples' clock: a cell that says nothing shows only so."""
        if self.phase is Phase.HOLDING:
            self._window.advance(now_s)

    def result(self, when: str) -> Calibrated:
        """The calibration; `when` is UTC, ISO 8601. Raises ValueError before the stage DONE."""
        figures = self._figures
        if self.stage is not Stage.DONE or figures is None:
            raise ValueError("the calibration is not finished")
        measured = Measured(
            counts_per_g_se=_rounded(figures.counts_per_g_se),
            zero_counts_se=_rounded(figures.zero_counts_se),
            tile_g_se=_rounded(figures.tile_g_se),
            counts_per_tile_se=_rounded(figures.counts_per_tile_se),
            noise_g=_rounded(figures.noise_g),
            samples_per_s=_rounded(figures.samples_per_s),
            tiles=tuple(one.tiles for one in self._laid[1:]),
            when=when,
        )
        gain, tile_g = float(f"{figures.counts_per_g:.8g}"), float(f"{figures.tile_g:.6g}")
        calibration = CellCalibration(gain, round(figures.zero_counts, 1), tile_g, measured)
        return Calibrated(self.cell, calibration, figures, tuple(self._notes))

    # the table above, from left to right

    def _asked(self) -> str:
        numbers = [one.tiles for one in self._laid[1:]]
        match self.stage:
            case Stage.EMPTY:
                return f"Take every tile off {self.cell}, and your hands."
            case Stage.FIRST:
                return (
                    f"Count {ADVISED_TILES} tiles, weigh them on a kitchen scale if there is one, and lay them on "
                    f"{self.cell}. Say how many, and their grams."
                )
            case Stage.SECOND:
                return f"For better figures lay more tiles on {self.cell} and say how many lie there. Or skip this."
            case Stage.CHECK:
                return f"To check, leave another number of tiles, such as {max(3, numbers[0] // 2)}, and say how many."
            case Stage.DONE:
                return "Done."

    def _tile_counts(self) -> float | None:
        if len(self._laid) < 2:
            return None
        last = self._laid[-1]
        return (last.hold.level_counts - self._laid[0].hold.level_counts) / last.tiles

    def _number_refused(self, tiles: int, weighed: Weighed | None) -> Refused | None:
        numbers = [one.tiles for one in self._laid[1:]]
        match self.stage:
            case Stage.EMPTY:
                if tiles != 0:
                    return Refused(Refusal.BAD_NUMBER, "The rack must be empty first.")
            case Stage.FIRST | Stage.SECOND:
                if not LEAST_TILES <= tiles <= MOST_TILES:
                    return Refused(Refusal.BAD_NUMBER, f"Between {LEAST_TILES} and {MOST_TILES} tiles are needed.")
                if self.stage is Stage.SECOND and tiles <= numbers[0]:
                    return Refused(Refusal.NUMBER_TOO_NEAR, f"It must be more than {numbers[0]} tiles.")
                if self.stage is Stage.FIRST and weighed is not None:
                    tile_g = weighed.grams / tiles
                    if not TILE_G_LEAST <= tile_g <= TILE_G_MOST:
                        return Refused(Refusal.TILE_IMPLAUSIBLE, implausible(tile_g))
            case Stage.CHECK:
                if not 1 <= tiles <= MOST_TILES:
                    return Refused(Refusal.BAD_NUMBER, f"Between 1 and {MOST_TILES} tiles are needed.")
                if any(abs(tiles - number) < max(2.0, CHECK_APART * number) for number in numbers):
                    words = (
                        f"{tiles} is too near to a number that was measured; about {max(3, numbers[0] // 2)} is best."
                    )
                    return Refused(Refusal.NUMBER_TOO_NEAR, words)
                if tiles > max(numbers):
                    return Refused(Refusal.BAD_NUMBER, f"Fewer than {max(numbers)} tiles check better.")
            case Stage.DONE:
                pass
        return None

    def _held(self, hold: Hold) -> None:
        """A still hold has come: take it, or say why not."""
        match self.stage:
            case Stage.EMPTY:
                self._laid = [Laid(0, hold)]
                self.stage, self.phase = Stage.FIRST, Phase.ASKING
            case Stage.FIRST:
                self._first(Laid(self._said, hold))
            case Stage.SECOND:
                self._second(Laid(self._said, hold))
            case Stage.CHECK:
                self._check(hold)
            case Stage.DONE:
                pass

    def _first(self, laid: Laid) -> None:
        empty = self._laid[0].hold
        worth = (laid.hold.level_counts - empty.level_counts) / laid.tiles
        noise = max(empty.noise_counts, laid.hold.noise_counts)
        if abs(worth) < max(LEAST_COUNTS, LEAST_SIGMAS * noise):
            words = f"The reading hardly changed ({worth:+.0f} counts a tile). Are the tiles on {self.cell}?"
            self._refuse(Refused(Refusal.TOO_LITTLE, words))
        elif laid.hold.noise_counts < 0.5 * noise and noise > NOISE_MOST_TILES * abs(worth):
            self._laid.clear()
            self.stage = Stage.EMPTY
            self._refuse(Refused(Refusal.WAS_NOT_STILL, "The empty rack was not still after all. Begin again."))
        elif noise > NOISE_MOST_TILES * abs(worth):
            words = f"The cell is too noisy: {noise / abs(worth):.0%} of a tile. Check its wires and its supply."
            self._refuse(Refused(Refusal.NOISE_TOO_HIGH, words))
        elif _drifts(laid.hold, worth):
            self._window = HoldWindow(worth)  # wait until it has calmed down, now that its scale is known
            self._window.trouble = Trouble.DRIFT
        elif _drifts(empty, worth):
            self._laid.clear()
            self.stage = Stage.EMPTY
            self._refuse(Refused(Refusal.DRIFT, "The empty rack was drifting. Let it warm up, and begin again."))
        else:
            self._laid = [self._laid[0], laid]
            self.stage, self.phase = Stage.SECOND, Phase.ASKING

    def _second(self, laid: Laid) -> None:
        figures = fit(self._laid, self._weighed, self._tile, laid.hold.at_s, self._assumed)
        refused = self._unlike(laid, figures)
        if refused is None:
            self._laid.append(laid)
            self.stage, self.phase = Stage.CHECK, Phase.ASKING
        else:
            self._refuse(refused)

    def _check(self, hold: Hold) -> None:
        figures = fit(self._laid, self._weighed, self._tile, hold.at_s + HOLD_S, self._assumed)
        refused = self._unlike(Laid(self._said, hold), figures)
        if refused is not None:
            self._refuse(refused)
            return
        if not TILE_G_LEAST <= figures.tile_g <= TILE_G_MOST:
            self._refuse(Refused(Refusal.TILE_IMPLAUSIBLE, implausible(figures.tile_g)))
            return
        self._figures = figures
        self._notes = list(self._noted(figures))
        self.stage, self.phase = Stage.DONE, Phase.DONE

    def _unlike(self, laid: Laid, figures: Figures) -> Refused | None:
        """Why a hold does not weigh like the number of tiles that it was said to have."""
        like = expected_tiles(figures, laid.hold)
        error = expected_error(self._laid, laid.tiles, figures, laid.hold, self._assumed)
        within = min(CHECK_MOST, CHECK_SIGMAS * error)
        if abs(like - laid.tiles) <= within:
            return None
        if like < -within:
            return Refused(Refusal.WRONG_WAY, "The load went the other way than before. Is something under the rack?")
        told = [f"{one.tiles}" for one in self._laid[1:]]
        words = (
            f"It weighs like {like:.1f} tiles, and {laid.tiles} were said. Count again; if {laid.tiles} is right, "
            f"{' or '.join(told)} was not, or something touches the rack."
        )
        return Refused(Refusal.DOES_NOT_CHECK, words)

    def _refuse(self, refused: Refused) -> None:
        self._refused = refused
        self.phase = Phase.REFUSED

    def _noted(self, figures: Figures) -> Iterable[str]:
        if figures.counts_per_tile < 0.0:
            yield "The cell is mounted upside down or wired the other way: more weight reads less. That does no harm."
        if self._weighed is None:
            yield (
                f"No tile was weighed: {self._tile.tile_g:g} g are assumed. Counts of tiles do not depend on it; "
                "figures in grams do."
            )


def implausible(tile_g: float) -> str:
    """What to say of a tile's weight that no tile has."""
    return f"A tile would weigh {tile_g:.1f} g; tiles weigh {TILE_G_LEAST:.0f} to {TILE_G_MOST:.0f} g. Count again."


def _drifts(hold: Hold, tile_counts: float) -> bool:
    """Whether a hold whose scale was not known when it was taken drifted."""
    per_min = abs(hold.slope_counts_per_s) * 60.0
    error = hold.level_se_counts * 12.0**0.5 / HOLD_S * 60.0
    return per_min > DRIFT_TILES_PER_MIN * abs(tile_counts) and per_min > DRIFT_SURE * error


def _rounded(figure: float) -> float:
    return float(f"{figure:.3g}")
