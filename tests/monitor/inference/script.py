"""Moves of tiles fed by hand to the search over turns, and what it holds true in the end."""

from hw.observations import Moment, Zone
from monitor.events import SEATS, Event, Seat
from monitor.inference.belief import Key
from monitor.inference.findings import Finding
from monitor.inference.moves import Landed, Move
from monitor.inference.turns import Turns

EAST, SOUTH, WEST, NORTH = range(4)

STEP_S = 0.2617


def moment(at_s: float, doubt_s: float = 0.02) -> Moment:
    return Moment(at_s, at_s - doubt_s, at_s + doubt_s)


class Play:
    """A hand in play: East holds fourteen at 100 s and is to discard, unless told otherwise.

    Every move becomes known `lag_s` after it happened, and time passes in steps of `STEP_S`.
    """

    def __init__(
        self,
        *,
        turn: int = EAST,
        holding: bool = True,
        sees_floor: bool = False,
        zone: Zone = Zone.RACK,
        lag_s: float = 0.5137,
    ) -> None:
        self.turns = Turns((13, 13, 13, 13), turn, 100.0, sees_floor=sees_floor)
        if holding and turn >= 0:
            self.turns.start_holding(turn)
        self.zone = zone
        self.lag_s = lag_s
        self.now_s = 100.0
        self.found: list[Finding] = []
        self.standing: dict[Key, Event] = {}
        self._number = 0

    def goes(self, seat: int, at_s: float, tiles: int = 1, **more: object) -> "Play":
        """Tiles leave a rack."""
        return self._move(seat, at_s, -tiles, **more)

    def comes(self, seat: int, at_s: float, tiles: int = 1, **more: object) -> "Play":
        """Tiles come to a rack."""
        return self._move(seat, at_s, tiles, **more)

    def _move(self, seat: int, at_s: float, tiles: int, **more: object) -> "Play":
        self.wait(at_s + self.lag_s)
        self._number += 1
        fields: dict[str, object] = {"zone": self.zone, "moment": moment(at_s), **more}
        move = Move(number=self._number, seat=seat, tiles=tiles, seen_s=self.now_s, **fields)  # type: ignore[arg-type]
        return self._take(self.turns.move(move))

    def press(self, seat: int, at_s: float) -> "Play":
        """A call button, known at once, or with what is known by now."""
        self.wait(at_s)
        return self._take(self.turns.press(seat, moment(at_s, 0.005), self.now_s))

    def lands(self, uid: str, from_seat: int, at_s: float) -> "Play":
        """A tile appears on the floor."""
        self.wait(at_s + self.lag_s)
        self._number += 1
        return self._take(self.turns.landed(Landed(self._number, uid, from_seat, moment(at_s), self.now_s)))

    def wait(self, until_s: float) -> "Play":
        """Let time pass."""
        while self.now_s < until_s:
            self.now_s = min(self.now_s + STEP_S, until_s)
            self._take(self.turns.advance(self.now_s))
        return self

    def end(self) -> "Play":
        """The play is over: what the best explanation holds is told."""
        return self._take(self.turns.finish(self.now_s))

    def _take(self, findings: list[Finding]) -> "Play":
        for finding in findings:
            self.found.append(finding)
            if finding.struck:
                del self.standing[finding.key]
            else:
                before = self.standing.get(finding.key)
                assert before is None or before.at != finding.event.at, "told twice"
                self.standing[finding.key] = finding.event
        return self

    @property
    def story(self) -> list[tuple[str, Seat | None]]:
        """What stands, in order of time: kinds and seats."""
        events = sorted(self.standing.values(), key=lambda e: e.at)
        return [(type(e).__name__, e.seat) for e in events]

    @property
    def struck(self) -> list[tuple[str, Seat | None]]:
        """What was told and taken back."""
        return [(type(f.event).__name__, f.event.seat) for f in self.found if f.struck]

    def event(self, kind: type[Event], seat: int) -> Event:
        """The standing event of a kind and seat. Fails unless there is just one."""
        (one,) = [e for e in self.standing.values() if type(e) is kind and e.seat is SEATS[seat]]
        return one
