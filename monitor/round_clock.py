"""The clock of the round: how long there is to play, for each table, and what directors did to it.

Owns its states and its sums. What was done, as it became durable -> **round clock** -> chair, pages. Pure: the moment
is passed in. It is reckoned in seconds since 1970, so that it goes on where it stood after a restart: a clock that ran
while the monitor was down ran by the time of day, and `gap` says from when to when nobody watched.

    none ── started ── running ⇄ paused ── ended ── started ── …     extended: while running or paused
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from monitor.acts import ClockAct, RoundEnded, RoundExtended, RoundPaused, RoundResumed, RoundStarted
from monitor.wording import clock_words

TURNS_MOST: Final = 2000
"""Of one round; our choice: every table of a hall is given time several times."""


class Running(StrEnum):
    """How the clock stands."""

    NONE = "none"
    RUNNING = "running"
    PAUSED = "paused"
    ENDED = "ended"


_NEXT: Final[Mapping[tuple[Running, type[ClockAct]], Running]] = {
    (Running.NONE, RoundStarted): Running.RUNNING,
    (Running.ENDED, RoundStarted): Running.RUNNING,
    (Running.RUNNING, RoundPaused): Running.PAUSED,
    (Running.PAUSED, RoundResumed): Running.RUNNING,
    (Running.RUNNING, RoundExtended): Running.RUNNING,
    (Running.PAUSED, RoundExtended): Running.PAUSED,
    (Running.RUNNING, RoundEnded): Running.ENDED,
    (Running.PAUSED, RoundEnded): Running.ENDED,
}
_STANDS: Final[Mapping[Running, str]] = {
    Running.NONE: "No round is on the clock.",
    Running.RUNNING: "The clock is running.",
    Running.PAUSED: "The clock is paused.",
    Running.ENDED: "The round is over.",
}


class Turned(Struct, frozen=True):
    """What was done to the clock, as it is durable; `table`: empty for all. `record`: its number in the log."""

    record: int
    author: str
    utc_s: float
    words: str
    table: str
    did: ClockAct


class Gap(Struct, frozen=True):
    """The monitor was down between these moments while the clock ran: it went on by the time of day."""

    since_utc_s: float
    until_utc_s: float


class RoundClock(Struct, frozen=True):
    """The clock of one round. `ran_s`: how long it had run when it was last set going, at `since_utc_s`, or stopped.

    `added_s`: seconds given, by table; under the empty name those for all. `turns`: of this round, oldest first.
    `version`: how often anything was done to the clock, in any round.
    """

    running: Running = Running.NONE
    round: int = 0
    length_s: float = 0.0
    hands: int = 0
    ran_s: float = 0.0
    since_utc_s: float = 0.0
    added_s: dict[str, float] = {}
    turns: tuple[Turned, ...] = ()
    version: int = 0
    gap: Gap | None = None

    def played_s(self, now_utc_s: float) -> float:
        """How long the round has run; a time of day that was set back takes nothing off."""
        return self.ran_s + (max(0.0, now_utc_s - self.since_utc_s) if self.running is Running.RUNNING else 0.0)

    def remaining_s(self, table: str, now_utc_s: float) -> float:
        """How long a table may still play; below 0: for how long its time has been up. 0 where no round was begun."""
        added_s = self.added_s.get("", 0.0) + (self.added_s.get(table, 0.0) if table else 0.0)
        return self.length_s + added_s - self.played_s(now_utc_s)

    def added_for(self, alert: str) -> float:
        """Seconds that rulings about an alert gave in this round."""
        given = (turn.did for turn in self.turns if isinstance(turn.did, RoundExtended))
        return sum(did.seconds for did in given if did.alert == alert)

    def complaint(self, did: ClockAct) -> str:
        """Why this may not be done as the clock stands, in words; empty where it may."""
        if (self.running, type(did)) not in _NEXT:
            return _STANDS[self.running]
        if len(self.turns) >= TURNS_MOST and isinstance(did, RoundExtended):
            return f"The clock was turned {TURNS_MOST} times in this round, and there is no room for more."
        return ""

    def after(self, turned: Turned) -> "RoundClock":
        """The clock after what was done to it; what may not be done as it stands changes nothing but the version."""
        clock = replace(self, version=self.version + 1, turns=(*self.turns, turned))
        if (self.running, type(turned.did)) not in _NEXT:
            return clock
        now = _NEXT[self.running, type(turned.did)]
        match turned.did:
            case RoundStarted(round=number, length_s=length_s, hands=hands):
                return RoundClock(
                    now, number, length_s, hands, since_utc_s=turned.utc_s, turns=(turned,), version=clock.version
                )
            case RoundExtended(seconds=seconds):
                added_s = {**self.added_s, turned.table: self.added_s.get(turned.table, 0.0) + seconds}
                return replace(clock, added_s=added_s)
            case RoundPaused() | RoundResumed() | RoundEnded():
                ran_s = self.played_s(turned.utc_s)
                return replace(clock, running=now, ran_s=ran_s, since_utc_s=turned.utc_s)

    def restarted(self, last_utc_s: float, now_utc_s: float) -> "RoundClock":
        """The monitor starts anew; `last_utc_s`: when it last wrote anything down."""
        if self.running is not Running.RUNNING:
            return self
        return replace(self, gap=Gap(max(last_utc_s, self.since_utc_s), now_utc_s))


class ClockConflict(Struct, frozen=True):
    """Refused: somebody turned the clock since the version that this was done on. `meanwhile`: what, oldest first."""

    clock: RoundClock
    meanwhile: tuple[Turned, ...]

    @property
    def text(self) -> str:
        """What the others did, in a sentence."""
        if not self.meanwhile:
            return "The clock is not as you saw it."
        done = (f"{turn.author} {clock_words(turn.did, turn.table)}" for turn in self.meanwhile)
        return f"Meanwhile {', '.join(done)}."


def clock_conflict(clock: RoundClock, version: int) -> ClockConflict | None:
    """What others did to the clock since this version; `None` where nothing."""
    if version == clock.version:
        return None
    since = clock.version - version
    return ClockConflict(clock, clock.turns[-since:] if 0 < since <= len(clock.turns) else clock.turns)
