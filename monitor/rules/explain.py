"""What an alert says to people: one plain sentence, and the longer explanation behind it.

Owns the words. Decides nothing and looks nothing up: all that it says stands in the finding or in the alert line, so
the same text comes out on the screen, in an export and on the command line. It never names a tile and never declares a
hand dead. Times are told with their bounds.
"""

from collections.abc import Callable, Iterable

from msgspec import Struct

from monitor.alerts import Alert, AlertState, Authority, Fact, Level, Rule, Verdict, What
from monitor.events import Closing, Seat
from monitor.rules.claim_window import UNSEEN
from monitor.rules.state import IN_TURN, Closed, Ending, Finding

_NUMBERS = {1: "one tile", 2: "two tiles", 3: "three tiles"}

_DID = {
    What.DEALT: "the deal was complete",
    What.PASSED: "passed",
    What.PLAY_STARTED: "began play with the first discard",
    What.PICKED: "picked from the wall",
    What.NAMED: "named the picked tile",
    What.RACKED: "racked",
    What.DISCARDED: "discarded",
    What.CALLED: "called",
    What.EXPOSED: "exposed",
    What.JOKER_EXCHANGED: "began a joker exchange",
    What.RETURNED: "put the picked tile back",
    What.DECLARED: "declared mah jongg",
    What.WITHDRAWN: "took it back",
    What.DEAD: "was declared dead",
    What.RESTED: "rack came to rest",
    What.UNKNOWN_COUNT: "rack could no longer be counted",
}

_ENDED = {
    Ending.TILE_TAKEN: "{seat} has taken the missing tile.",
    Ending.MENDED: "{seat} has the right number of tiles again, before the first discard.",
    Ending.SECOND_WRONG: "A second hand has a wrong number of tiles: see the redeal.",
    Ending.PLAY_BEGAN: "Play began while {seat} was short: the missing tile can no longer be taken.",
    Ending.DECLARED_DEAD: "{seat}'s hand was ruled on; its number of tiles no longer matters.",
    Ending.RETURNED: "The picked tile went back into the wall; {seat} has the discard.",
    Ending.TAKEN_BACK: "{seat} took the declaration of mah jongg back before anything was shown.",
    Ending.KNOWN_AGAIN: "{seat}'s rack can be counted again.",
    Ending.HAND_OVER: "The hand is over; nothing is left to rule on this.",
}


def named(seat: Seat | None) -> str:
    """A seat as people write it."""
    return "The table" if seat is None else seat.value.capitalize()


def apart(earlier: Fact, later: Fact) -> str:
    """How far two facts lie apart, with the bound of it: `0.42 s ± 0.05 s`."""
    between_s = later.at - earlier.at
    bound_s = max(later.latest - earlier.earliest - between_s, between_s - (later.earliest - earlier.latest))
    return f"{abs(between_s):.2f} s ± {bound_s:.2f} s" if bound_s >= 0.005 else f"{abs(between_s):.2f} s"


def message(outcome: Finding | Closed) -> str:
    """One plain sentence about what was found, or about how it ended."""
    if isinstance(outcome, Closed):
        return _closed(outcome)
    if outcome.ending is not Ending.NOT_YET:
        return _ENDED[outcome.ending].format(seat=named(outcome.seat))
    return _SAYS[outcome.rule](outcome)


def _closed(closed: Closed) -> str:
    whose, who = named(closed.discard.seat), named(closed.moment.seat)
    how = {
        Closing.RACKED: f"{who} racked",
        Closing.NAMED: f"{who} named the picked tile",
        Closing.DISCARDED: f"{who} discarded",
        Closing.JOKER_EXCHANGE: f"{who} began a joker exchange",
        Closing.MAH_JONGG: f"{who} declared mah jongg",
        Closing.CLAIMED: f"{who} showed a claim of it",
    }[closed.cause]
    return f"The window on {whose}'s discard is closed: {how}."


def _tiles(count: int | None) -> str:
    return "1 tile" if count == 1 else f"{count} tiles"


def _missing(found: Finding) -> str:
    short = (found.expected or 0) - (found.count or 0)
    whose = "" if found.rests_on is None else " (our reading: the article speaks of the player at East's left alone)"
    how_many = _NUMBERS.get(short, f"{short} tiles")
    who = named(found.seat)
    return f"{who} is {how_many} short since the deal and may take what is missing until the first discard{whose}."


def _redeal(found: Finding) -> str:
    if found.authority is Authority.EVENT:
        return "A number of tiles is wrong, and this event then has all tiles thrown in and a new hand begun."
    return "More than one hand has a wrong number of tiles in the Charleston: all is thrown in and a new game begins."


def _wrong_count(found: Finding) -> str:
    has = f"{named(found.seat)} has {_tiles(found.count)} in or on its rack"
    if found.level is Level.ADVICE:
        return f"{has} before the first discard, where {found.expected} belong; the article rules on two such hands."
    moment = found.moment
    if moment.what is What.DECLARED:
        when = "declaring mah jongg"
    elif moment.what is What.DISCARDED and moment.seat is found.seat:
        when = "after its discard"
    elif found.expected == IN_TURN:
        return f"{has} declaring mah jongg, where {IN_TURN} belong; the number is wrong since before the first discard."
    elif moment.what in (What.PLAY_STARTED, What.DISCARDED):
        when = "since before the first discard"
    else:
        when = "while it is not its turn"
    return f"{has} {when}, where {found.expected} belong."


def _wrong_exposure(found: Finding) -> str:
    shown = f"{named(found.seat)} discarded with {_tiles(found.count)} exposed for the claim"
    if found.expected is None:
        return f"{shown}; an exposure has three to six."
    return f"{shown}, but called for {found.expected}."


def _late_call(found: Finding) -> str:
    call, act, discard = _claim_act_discard(found.facts, found.seat)
    return (
        f"{named(found.seat)} {_DID[call.what]} {apart(act, call)} after {named(act.seat)} {_DID[act.what]}: "
        f"the window on {named(discard.seat)}'s discard had closed."
    )


def _simultaneous(found: Finding) -> str:
    call, act, _ = _claim_act_discard(found.facts, found.seat)
    both = f"{named(found.seat)} {_DID[call.what]} and {named(act.seat)} {_DID[act.what]}"
    if found.verdict is Verdict.SIMULTANEOUS:
        return (
            f"{both} at the same time ({apart(act, call)} apart): "
            "the caller gets the discard, and the picked tile goes back into the wall."
        )
    return f"{both}, and which came first cannot be told ({apart(act, call)} apart): the director decides."


def _claim_act_discard(facts: Iterable[Fact], seat: Seat | None) -> tuple[Fact, Fact, Fact]:
    """The claim, the act that stands against it, and the discard it is about."""
    call = next(f for f in facts if f.seat is seat and f.what in (What.CALLED, What.DECLARED, What.EXPOSED))
    others = [f for f in facts if f is not call]
    discard = next(f for f in others if f.what is What.DISCARDED)
    act = next(f for f in others if f is not discard)
    return call, act, discard


def _out_of_turn(found: Finding) -> str:
    after = next((f for f in found.facts if f != found.moment), found.moment)
    return f"{named(found.seat)} {_DID[found.moment.what]} out of turn after {named(after.seat)}'s discard."


def _invalid(found: Finding) -> str:
    moment, who = found.moment, named(found.seat)
    if moment.what is What.DEAD:
        if moment.seat is found.seat:
            return f"{who} declared its own hand dead; only another player or the director may do that."
        return f"{who} declared {named(moment.seat)}'s hand dead, but was declared dead before."
    if any(f.what is What.DEAD for f in found.facts):
        return f"{who} declared mah jongg after its hand was declared dead."
    return f"{who} declared mah jongg while its number of tiles or its exposure waits for a ruling."


def _dead_hand(found: Finding) -> str:
    return f"{named(found.seat)} {_DID[found.moment.what]} although its hand was declared dead before."


def _event_procedure(found: Finding) -> str:
    if found.rests_on == "procedure.touch_commits":
        return f"{named(found.seat)} called after picking from the wall; this event holds players to the pick."
    return f"{named(found.seat)} made joker exchanges together; this event asks for one at a time, the League does not."


def _sensor(found: Finding) -> str:
    return f"{named(found.seat)}'s rack cannot be counted; nothing is ruled from it until it can."


_SAYS: dict[Rule, Callable[[Finding], str]] = {
    Rule.MISSING_TILE: _missing,
    Rule.REDEAL: _redeal,
    Rule.WRONG_COUNT: _wrong_count,
    Rule.WRONG_EXPOSURE: _wrong_exposure,
    Rule.LATE_CALL: _late_call,
    Rule.SIMULTANEOUS_CALL: _simultaneous,
    Rule.OUT_OF_TURN: _out_of_turn,
    Rule.INVALID_DECLARATION: _invalid,
    Rule.DEAD_HAND_ACTS: _dead_hand,
    Rule.EVENT_PROCEDURE: _event_procedure,
    Rule.SENSOR_FAULT: _sensor,
}


# ---- the longer explanation


class Reason(Struct, frozen=True):
    """What stands behind a rule: the article in our words, what it says may follow, what is left to the director."""

    article: str
    may_follow: str
    left: str


REASONS: dict[Rule, Reason] = {
    Rule.MISSING_TILE: Reason(
        "Article 205: a tile that North forgot to take in the deal may be taken until East discards to begin play.",
        "The player takes the missing tile and the game goes on.",
        "Whether the table has noticed; after East's first discard another player may disqualify the hand.",
    ),
    Rule.REDEAL: Reason(
        "Article 205: if more than one player has a wrong number of tiles during the Charleston, all is thrown in.",
        "All tiles are thrown in and a new game begins.",
        "To confirm the numbers by counting before the tiles are thrown in.",
    ),
    Rule.WRONG_COUNT: Reason(
        "Article 205: thirteen tiles in or on the rack, fourteen in an active turn, judged when a procedure is over.",
        "In play another player may disqualify the hand; until then its player plays on. Tiles taken or given later do "
        "not cure it.",
        "To count the rack, and to rule if a player declares the hand dead.",
    ),
    Rule.WRONG_EXPOSURE: Reason(
        "Article 205: an incorrect number of tiles exposed makes a hand liable to be declared dead.",
        "Another player may declare the hand dead.",
        "To look at the exposure, and to rule if a player declares the hand dead.",
    ),
    Rule.LATE_CALL: Reason(
        "Article 107: the last discard can be claimed until the next player picks and racks, names or discards, or "
        "another player begins a joker exchange or declares mah jongg; a covered discard cannot be claimed at all.",
        "The claim is not permitted and play goes on.",
        "To hear the table: a claim that was spoken before the button was pressed came earlier than the press.",
    ),
    Rule.SIMULTANEOUS_CALL: Reason(
        "Article 107: where a call and the racking of a picked tile come together, the caller gets the discard and the "
        "picked tile goes back into the wall; how far the tile was placed does not matter, timing does.",
        "If together, the caller takes the discard and the tile goes back; if the racking came first, play goes on.",
        "How close counts as together is the project's choice, not the League's; where the order cannot be told, the "
        "director decides on this evidence.",
    ),
    Rule.WINDOW_CLOSED: Reason(
        "Article 107: once the next player racks, names, discards, begins a joker exchange or declares mah jongg, the "
        "opportunity on the previous discard is over.",
        "The previous discard can no longer be claimed.",
        "Nothing.",
    ),
    Rule.OUT_OF_TURN: Reason(
        "Article 107 and the procedure it takes for granted: the player to the right of the discarder is next.",
        "The table puts it right by itself, or asks the director.",
        "What happens with a tile picked or discarded out of turn.",
    ),
    Rule.INVALID_DECLARATION: Reason(
        "Article 205: players cannot disqualify themselves and a dead hand cannot declare others; a hand with a wrong "
        "number of tiles cannot call mah jongg.",
        "The declaration has no effect; mah jongg in error may be taken back before anything is shown.",
        "To rule on the hand that declared.",
    ),
    Rule.DEAD_HAND_ACTS: Reason(
        "Article 205: once disqualified, a player stops picking and discarding; valid exposures stay open to exchange.",
        "The act has no effect and the turn passes to the next player.",
        "What happens with the tile.",
    ),
    Rule.EVENT_PROCEDURE: Reason(
        "This event's own procedure. The League's rules allow what was done.",
        "What the event's rules say.",
        "Whether the event's procedure is to be reminded of or enforced.",
    ),
    Rule.SENSOR_FAULT: Reason(
        "No article: the monitor cannot count this rack.",
        "Nothing is ruled from this rack until it can be counted again.",
        "To send a technician.",
    ),
}


class Explanation(Struct, frozen=True):
    """One alert, explained: the sentence, what was seen in order of time, whose rule, what may follow, what is left."""

    sentence: str
    facts: tuple[str, ...]
    article: str
    authority: str
    may_follow: str
    left: str

    def as_text(self) -> str:
        """The explanation as plain lines."""
        parts = [(title, lines) for title, lines in self.parts if lines]
        return "\n\n".join([self.sentence, *("\n  ".join((title, *lines)) for title, lines in parts)]) + "\n"

    @property
    def parts(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """What stands below the sentence, as titles with their lines, the same wherever an alert is explained."""
        return (
            ("What was seen", self.facts),
            ("Whose rule", (self.article, self.authority)),
            ("What may follow", (self.may_follow,)),
            ("What is left to the director", (self.left,)),
        )


def seconds(at: float) -> str:
    """A moment as seconds of its stream."""
    return f"{at:.2f} s"


def explain(alert: Alert, clock: Callable[[float], str] = seconds) -> Explanation:
    """The explanation of an alert line. `clock` writes a moment as people read it."""
    reason = REASONS[alert.rule]
    facts = [_line(fact, clock) for fact in alert.facts]
    decisive = claim_and_act(alert)
    if decisive is not None:
        claim, act = decisive
        first, second = sorted((claim, act), key=lambda f: f.at)
        facts.append(
            f"{named(first.seat)} {_DID[first.what]} {apart(first, second)} before "
            f"{named(second.seat)} {_DID[second.what]}."
        )
    whose = _whose(alert)
    sentence = alert.message
    if alert.state is AlertState.WITHDRAWN:
        sentence = f"Withdrawn, the finding proved wrong: {sentence}"
    return Explanation(sentence, tuple(facts), reason.article, whose, reason.may_follow, reason.left)


def _whose(alert: Alert) -> str:
    if alert.rule is Rule.SENSOR_FAULT:
        return "No rule of play."
    whose = "The League's rule." if alert.authority is Authority.LEAGUE else "This event's own rule, not the League's."
    return whose if alert.rests_on is None else f"{whose} Decided by the profile's {alert.rests_on}."


def claim_and_act(alert: Alert) -> tuple[Fact, Fact] | None:
    """The claim and the act that stands against it, where their order is what the alert is about."""
    if not alert.facts or alert.rule not in (Rule.LATE_CALL, Rule.SIMULTANEOUS_CALL):
        return None
    claim, act, _ = _claim_act_discard(alert.facts, alert.seat)
    return claim, act


def happened(fact: Fact) -> str:
    """What a fact says, without its time."""
    if fact.seq == UNSEEN and fact.what is What.DISCARDED:
        return f"{named(fact.seat)}'s turn and discard, which nobody saw"
    if fact.what is What.DEALT:
        return _DID[fact.what]
    if fact.what is What.RESTED:
        tiles = "" if fact.count is None else f" with {_tiles(fact.count)}"
        return f"{named(fact.seat)}'s {_DID[fact.what]}{tiles}"
    if fact.what is What.UNKNOWN_COUNT:
        return f"{named(fact.seat)}'s {_DID[fact.what]}"
    if fact.what is What.DEAD:
        by = "" if fact.by is None else f" by {fact.by.capitalize()}"
        return f"{named(fact.seat)}'s hand {_DID[fact.what]}{by}"
    tiles = "" if fact.count is None else f" ({_tiles(fact.count)})"
    return f"{named(fact.seat)} {_DID[fact.what]}{tiles}"


def _line(fact: Fact, told: Callable[[float], str]) -> str:
    if fact.seq == UNSEEN and fact.what is What.DISCARDED:
        return f"Nobody saw it: {named(fact.seat)}'s turn and discard, before {told(fact.latest)}."
    bound_s = max(fact.latest - fact.at, fact.at - fact.earliest)
    when = f"{told(fact.at)} ± {bound_s:.2f} s" if bound_s >= 0.005 else told(fact.at)
    return f"{when}: {happened(fact)}."
