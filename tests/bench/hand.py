"""Small made-up hands: a truth and what was told of it, written down by hand."""

from firmware_bridge.messages import Place
from hw.simulator.truth import BusyRow, CountRow, Truth, TruthEvent, TruthFault
from monitor.alerts import Alert, AlertState, Authority, Level, Rule, Verdict
from monitor.events import Seat


def truth(
    events: tuple[TruthEvent, ...] = (),
    faults: tuple[TruthFault, ...] = (),
    counts: tuple[CountRow, ...] = (),
    busy: tuple[BusyRow, ...] = (),
    tier: str = "hybrid",
    end: float = 200.0,
) -> Truth:
    """A hand in play from 10 s on."""
    began = TruthEvent(at=10.0, kind="play_started", seat=Place.EAST)
    return Truth(
        name="made up",
        tier=tier,
        seed=0,
        fault=None,
        chaos=(),
        end=end,
        counts=counts,
        busy=busy,
        events=(began, *events),
        faults=faults,
    )


def alert(
    rule: Rule,
    at: float,
    seat: Seat | None = Seat.EAST,
    state: AlertState = AlertState.RAISED,
    id_: str = "a",
    verdict: Verdict | None = None,
    raised_at: float | None = None,
) -> Alert:
    """An alert of which only rule, seat, times and state matter."""
    return Alert(
        id=id_,
        rule=rule,
        at=at,
        raised_at=at + 5.0 if raised_at is None else raised_at,
        article="",
        authority=Authority.LEAGUE,
        level=Level.RULING_DUE,
        message="",
        state=state,
        seat=seat,
        verdict=verdict,
    )
