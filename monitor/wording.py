"""The words that screens and terminals use for events, phases and the window: one catalogue, in English.

Owns phrasing only. Refuses to know layout and colour, and who may see what: it puts into words what it is given, and
never says a tile's identity. The rules write their alerts' sentences themselves.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import assert_never

from monitor.acts import (
    Acknowledged,
    Act,
    AllThrownIn,
    ClockAct,
    DeclaredDead,
    Declarer,
    Dismissed,
    GivenBack,
    Remarked,
    RoundEnded,
    RoundExtended,
    RoundPaused,
    RoundResumed,
    RoundStarted,
    Taken,
    TimeAdded,
    Undone,
    Upheld,
)
from monitor.alerts import Alert, AlertState, Level, Rule
from monitor.events import (
    Called,
    CallWithdrawn,
    Closing,
    Corrected,
    CountChanged,
    Dead,
    Dealt,
    DeclarationWithdrawn,
    Declared,
    DirectorCalled,
    Discarded,
    EastIs,
    Event,
    Exposed,
    HandEnd,
    HandEnded,
    HandStarted,
    JokerExchanged,
    Named,
    NewHand,
    Passed,
    Picked,
    PlayStarted,
    Racked,
    Returned,
    Seat,
    SeatsSwapped,
    ThrownIn,
    Tick,
    Via,
    WindowClosed,
    WindowOpened,
)
from monitor.view import Doing, Phase, TableView, WindowState

PHASES = {
    Phase.UNKNOWN: "Waiting for a hand",
    Phase.DEAL: "Dealing",
    Phase.CHARLESTON: "Charleston",
    Phase.PLAY: "Play",
    Phase.OVER: "Hand over",
}

PHASE_LINES = {
    Phase.UNKNOWN: "The racks do not tell yet what is played",
    Phase.DEAL: "Racks are being filled",
    Phase.CHARLESTON: "Tiles are being passed",
    Phase.PLAY: "Play goes on",
    Phase.OVER: "Before the next deal",
}

DOINGS = {
    Doing.TO_PICK: "to pick",
    Doing.PICKED: "has picked",
    Doing.RACKED: "has racked",
    Doing.EXPOSED: "has exposed",
    Doing.EXCHANGED: "exchanges jokers",
    Doing.DECLARED: "declared mah jongg",
    Doing.TO_DISCARD: "to discard",
}

WINDOWS = {
    WindowState.NONE: "No discard yet",
    WindowState.OPEN: "open",
    WindowState.CLOSED: "closed",
    WindowState.CLAIMED: "claimed",
}

SIGNS = {
    "phase": "Phase",
    "hand": "Hand",
    "turn": "Turn",
    "window": "Window",
    "window_open": "Window light",
    "last_discard": "Last discard",
    "problem": "Sensors",
    "online": "Status",
    "version": "Version",
}
"""What of a table and of the monitor is called where each is shown by itself, as in Home Assistant."""

CLOSINGS = {
    Closing.RACKED: "racked",
    Closing.NAMED: "named the picked tile",
    Closing.DISCARDED: "discarded",
    Closing.JOKER_EXCHANGE: "began a joker exchange",
    Closing.MAH_JONGG: "declared mah jongg",
    Closing.CLAIMED: "claimed it",
}

ENDINGS = {
    HandEnd.MAH_JONGG: "mah jongg",
    HandEnd.WALL: "wall game",
    HandEnd.REDEAL: "redeal",
    HandEnd.ABANDONED: "abandoned",
}

RULES = {
    Rule.MISSING_TILE: "Missing tile",
    Rule.REDEAL: "Redeal",
    Rule.WRONG_COUNT: "Wrong number of tiles",
    Rule.WRONG_EXPOSURE: "Wrong exposure",
    Rule.LATE_CALL: "Late call",
    Rule.SIMULTANEOUS_CALL: "Call and racking together",
    Rule.WINDOW_CLOSED: "Window closed",
    Rule.OUT_OF_TURN: "Out of turn",
    Rule.INVALID_DECLARATION: "Invalid declaration",
    Rule.DEAD_HAND_ACTS: "Dead hand acts",
    Rule.EVENT_PROCEDURE: "Event procedure",
    Rule.SENSOR_FAULT: "Sensor",
}

LEVELS = {
    Level.ADVICE: "advice",
    Level.RULING_DUE: "ruling due",
    Level.NOTICE: "notice",
    Level.TECHNICAL: "technical",
}

STATES = {
    AlertState.RAISED: "stands",
    AlertState.WITHDRAWN: "withdrawn",
    AlertState.RESOLVED: "resolved",
}

DEEDS: dict[type, str] = {
    CountChanged: "number of tiles",
    Passed: "pass",
    Picked: "pick",
    Named: "naming of the picked tile",
    Racked: "racking",
    Discarded: "discard",
    Called: "call",
    CallWithdrawn: "withdrawal of the call",
    Exposed: "exposure",
    JokerExchanged: "joker exchange",
    Returned: "putting back of the picked tile",
    Declared: "declaration",
    DeclarationWithdrawn: "withdrawal of the declaration",
    Dead: "dead hand",
    SeatsSwapped: "change of seats",
    DirectorCalled: "call for the director",
}
"""What a seat did, for a sentence about it."""

HAPPENINGS: dict[type, str] = {
    HandStarted: "the filling of the racks",
    Dealt: "the deal",
    PlayStarted: "the beginning of play",
    WindowOpened: "the window's opening",
    WindowClosed: "the window's closing",
    ThrownIn: "the throwing in of all tiles",
    HandEnded: "the hand's end",
    EastIs: "who East is",
    NewHand: "the new hand",
    Tick: "the passing of time",
}
"""What happened at the table, whoever did it, for a sentence about it."""


def seat_name(seat: Seat | None) -> str:
    """A chair as people write it; the table where no chair is meant."""
    return seat.value.capitalize() if seat is not None else "The table"


def article(alert: Alert) -> str:
    """The article that an alert rests on; empty for a technical finding, which older logs wrote as `none`."""
    return "" if alert.article in ("", "none") else f"Article {alert.article}"


def time_of_day(ahead_s: float) -> Callable[[float], str]:
    """How moments are written as the time of day here; `ahead_s`: UTC seconds since 1970 minus the moments' clock."""
    return lambda at: f"{datetime.fromtimestamp(at + ahead_s, UTC).astimezone():%H:%M:%S.%f}"[:-4]


def turn_line(view: TableView) -> str:
    """Whose turn it is and what they have done, or where the hand is outside play."""
    if view.phase is not Phase.PLAY or view.turn is None:
        return PHASE_LINES[view.phase]
    return f"{seat_name(view.turn)} {DOINGS[view.doing]}"


def window_line(view: TableView) -> str:
    """What is to be said about the window beside its state; empty where there is no discard."""
    window = view.window
    whose = f"on {seat_name(window.discarder)}'s discard" if window.discarder is not None else ""
    match window.state:
        case WindowState.NONE:
            return ""
        case WindowState.OPEN:
            return f"{whose}; {seat_name(view.caller)} calls" if view.caller is not None else whose
        case WindowState.CLOSED | WindowState.CLAIMED:
            cause = CLOSINGS[window.cause] if window.cause is not None else "closed it"
            return f"{seat_name(window.seat)} {cause}" if window.seat is not None else cause
        case _:
            assert_never(window.state)


def event_line(event: Event, about: Event | None = None) -> str:
    """One event as a short sentence without its time; `about`: the event that a correction corrects, where known."""
    seat = seat_name(event.seat)
    match event:
        case CountChanged(count=None, zone=zone, reason=reason):
            return f"{seat}: {zone} not known{_part(': ', reason)}"
        case CountChanged(count=count, zone=zone):
            return f"{seat}: {count} on the {zone}"
        case HandStarted():
            return "Racks are being filled"
        case Dealt(east=east):
            return "Dealt" if east in {None, Seat.EAST} else f"Dealt; East's hand is at the {seat_name(east)} chair"
        case Passed(to=to, n=n):
            return f"{seat} passed{_part(' ', n)}{_part(' to ', _seat(to))}"
        case PlayStarted():
            return "Play began"
        case Picked():
            return f"{seat} picked"
        case Named():
            return f"{seat} named the picked tile"
        case Racked():
            return f"{seat} racked"
        case Discarded():
            return f"{seat} discarded"
        case WindowOpened():
            return "Window opened"
        case WindowClosed(cause=cause):
            return f"Window closed{_part(f': {seat} ', cause and CLOSINGS[cause])}"
        case Called(claim=claim, via=via):
            shown = " (seen at the exposure)" if via is Via.EXPOSURE else ""
            return f"{seat} called{_part(' for ', claim and claim.replace('_', ' '))}{shown}"
        case CallWithdrawn():
            return f"{seat} withdrew the call"
        case Exposed(n=n):
            return f"{seat} exposed{_part(' ', n)}"
        case JokerExchanged():
            return f"{seat} exchanged jokers"
        case Returned():
            return f"{seat} put the picked tile back"
        case Declared():
            return f"{seat} declared mah jongg"
        case DeclarationWithdrawn():
            return f"{seat} took the declaration back"
        case Dead(by=by):
            return f"{seat} was declared dead{_part(' by ', by)}"
        case SeatsSwapped(other=other):
            return f"{seat} and {seat_name(other)} sit in each other's seats"
        case ThrownIn():
            return "All tiles are thrown in"
        case HandEnded(how=how):
            return f"Hand over{_part(': ', how and ENDINGS[how])}"
        case EastIs():
            return f"{seat} is East"
        case NewHand():
            return "New hand"
        case DirectorCalled():
            return f"{seat} asks for the director"
        case Tick():
            return "Time passed"
        case Corrected(struck=struck):
            return f"Correction: {_deed(about or event)} {'did not happen' if struck else 'changed'}"
        case _:
            assert_never(event)


def put_right(event: Event) -> str:
    """What a person put right afterwards, for a sentence: `event` is to be read as if the monitor had told it."""
    match event:
        case SeatsSwapped(seat=seat, other=other):
            return f"the racks of {seat_name(seat)} and {seat_name(other)} were taken for each other's"
        case Corrected(replaces=seq, struck=True):
            return f"event {seq} never happened"
        case Corrected(replaces=seq):
            return f"event {seq} was another"
        case _:
            return f"missed, {event_line(event)}"


def act_words(did: Act) -> str:
    """What a director did about an alert, as a sentence goes on after a name."""
    match did:
        case Acknowledged():
            return "acknowledged it"
        case Taken():
            return "took it"
        case GivenBack():
            return "gave it back"
        case Upheld():
            return "upheld it"
        case Dismissed():
            return "dismissed it"
        case DeclaredDead(seat=seat, by=Declarer.DIRECTOR):
            return f"declared {seat_name(seat)}'s hand dead"
        case DeclaredDead(seat=seat, by=by):
            return f"ruled {seat_name(seat)}'s hand dead, as {by.value.capitalize()} declared"
        case AllThrownIn():
            return "ruled that all tiles are thrown in"
        case TimeAdded(seconds=seconds):
            return f"added {length_words(seconds)}"
        case Remarked():
            return "noted something"
        case Undone(record=record):
            return f"took back record {record}"
        case _:
            assert_never(did)


def clock_words(did: ClockAct, table: str = "") -> str:
    """What a director did to the clock of the round, for a table or for all, as a sentence goes on after a name."""
    match did:
        case RoundStarted(round=number, length_s=length_s, hands=hands):
            planned = f"{hands} hand{'' if hands == 1 else 's'}"
            return f"started round {number} of {length_words(length_s)} and {planned}"
        case RoundPaused():
            return "paused the clock"
        case RoundResumed():
            return "let the clock go on"
        case RoundExtended(seconds=seconds):
            done = "added" if seconds >= 0 else "took back"
            return f"{done} {length_words(abs(seconds))} for {table or 'all tables'}"
        case RoundEnded():
            return "ended the round"
        case _:
            assert_never(did)


def length_words(seconds: float) -> str:
    """A length in minutes and seconds, such as `5 min` or `1 min 30 s`."""
    minutes, rest = divmod(round(seconds), 60)
    return " ".join([*([f"{minutes} min"] if minutes else []), *([f"{rest} s"] if rest or not minutes else [])])


def _deed(event: Event) -> str:
    """An event as the subject of a sentence; a correction stands for an event of which nothing else is known."""
    if isinstance(event, Corrected):
        return f"something of {seat_name(event.seat)}'s" if event.seat is not None else "something at the table"
    happening = HAPPENINGS.get(type(event))
    if happening is not None:
        return happening
    deed = DEEDS[type(event)]
    return f"{seat_name(event.seat)}'s {deed}" if event.seat is not None else f"a {deed}"


def _part(before: str, value: object | None) -> str:
    """A part of a sentence that is there only where its value is known."""
    return "" if value is None else f"{before}{value}"


def _seat(seat: Seat | None) -> str | None:
    return None if seat is None else seat_name(seat)
