"""What the JSON API says: tables and alerts, as a caller's role may see them (`docs/api.md`).

Owns the names in the answers; they are a contract, so a screen's view may change without them. Times are seconds of the
host's clock (`now` says what it shows), as everywhere in records.
"""

from msgspec import Struct

from monitor.acts import ClockAct
from monitor.alerts import Alert
from monitor.events import Closing, Seat
from monitor.round_clock import Running
from monitor.view import Doing, Phase, TableView, WindowState
from monitor.web.round_face import RoundFace


class WindowNow(Struct, frozen=True):
    """Whether the last discard may be claimed, since when, and who or what closed it."""

    state: WindowState
    since: float | None
    discarder: Seat | None
    seat: Seat | None
    cause: Closing | None


class CountNow(Struct, frozen=True):
    """Tiles of one seat; null: not known. `confidence`: 0 to 1, null: certain or not known."""

    seat: Seat
    tiles: int | None
    slope: int | None
    ledge: int | None
    confidence: float | None


class TableNow(Struct, frozen=True):
    """One table. `counts` is empty where the caller may not see them; `alerts` are those that it may see."""

    table: str
    hand: int
    phase: Phase
    east: Seat | None
    turn: Seat | None
    doing: Doing
    window: WindowNow
    last_discard: float | None
    caller: Seat | None
    dead: tuple[Seat, ...]
    counts: tuple[CountNow, ...]
    alerts: tuple[Alert, ...]


class Tables(Struct, frozen=True):
    """All tables, in order of their names."""

    now: float
    tables: tuple[TableNow, ...]


class OneTable(Struct, frozen=True):
    """One table and the time."""

    now: float
    table: TableNow


class Alerts(Struct, frozen=True):
    """Alerts that stand or ended of late, and sensors' faults, over all tables; newest first at each table."""

    now: float
    alerts: tuple[Alert, ...]


class TableTime(Struct, frozen=True):
    """A table with time of its own in this round. `left` and `ends` as of the clock."""

    table: str
    added: float
    left: float
    ends: float | None


class ClockNow(Struct, frozen=True):
    """The clock of the round. Below 0 `left` is over; `ends`: when the time is up, null where the clock stands.

    `version` is what a change must name; `tables` are those with time of their own, all others have `left`.
    """

    now: float
    version: int
    running: Running
    round: int
    hands: int
    length: float
    left: float
    ends: float | None
    tables: tuple[TableTime, ...]


class ClockTurn(Struct, frozen=True, forbid_unknown_fields=True):
    """What to do to the clock, as it was at `version`. `table`: whom `extended` gives time; empty: all."""

    did: ClockAct
    version: int
    table: str = ""
    words: str = ""


def clock_now(face: RoundFace, now_s: float) -> ClockNow:
    """The clock as the API tells it: numbers that a hall sees, and nobody's words."""
    clock = face.clock
    return ClockNow(
        now=now_s,
        version=clock.version,
        running=clock.running,
        round=clock.round,
        hands=clock.hands,
        length=clock.length_s,
        left=face.left_s(now_s),
        ends=face.ends_s(),
        tables=tuple(
            TableTime(table, face.own_s(table), face.left_s(now_s, table), face.ends_s(table))
            for table in face.tables()
        ),
    )


def table_now(view: TableView) -> TableNow:
    """A view as the API tells it; it holds what the view's audience may see and nothing else."""
    window = view.window
    return TableNow(
        table=view.table,
        hand=view.hand,
        phase=view.phase,
        east=view.east,
        turn=view.turn,
        doing=view.doing,
        window=WindowNow(window.state, window.since, window.discarder, window.seat, window.cause),
        last_discard=view.last_discard,
        caller=view.caller,
        dead=view.dead,
        counts=tuple(CountNow(one.seat, one.total, *one.placed, one.confidence) for one in view.counts),
        alerts=(*view.alerts, *view.health),
    )
