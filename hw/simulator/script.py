"""One evening at one table: hand after hand, from the first deal to the end of the recording.

Owns the order of the stages (deal, charleston, play, ending) and what carries over from hand to hand. Pure: the dice
are passed in. options -> **script** -> physical happening and referee's log -> sensors.
"""

from msgspec import Struct
from numpy.random import Generator

from firmware_bridge.messages import Place
from hw.simulator.charleston import charleston
from hw.simulator.deal import deal
from hw.simulator.ending import end_hand, sweep_and_build, throw_in
from hw.simulator.fidgets import fidget
from hw.simulator.options import Ending, Options, RuleFault
from hw.simulator.physical import SEATS, Happening, right_of
from hw.simulator.play import play
from hw.simulator.stage import Stage
from hw.simulator.truth import Referee

_WALL_GAMES = 0.25
"""Share of hands of any ending that run the wall out (our choice)."""


class Performance(Struct, frozen=True):
    """What happened, and what the referee wrote down."""

    happening: Happening
    referee: Referee


def perform(options: Options, rng: Generator) -> Performance:
    """Play the whole evening. The rule fault, if any, happens in the first hand."""
    stage = Stage(rng, options)
    east, fault = options.first_east, options.rule_fault
    now_s = stage.people.between(2.0, 6.0)
    for k in range(options.hands):
        last = k == options.hands - 1
        now_s, east = _hand(stage, east, fault, now_s, last=last)
        fault = None
    end_s = max(now_s, *stage.idle_from_s.values()) + stage.people.between(8.0, 16.0)
    for seat in SEATS:
        fidget(stage, seat, end_s - 0.5)
    return Performance(stage.finish(end_s), stage.referee)


def _hand(stage: Stage, east: Place, fault: RuleFault | None, from_s: float, *, last: bool) -> tuple[float, Place]:
    """One hand, and what follows it unless it is the last; returns when the table is ready, and who is East then."""
    people = stage.people
    for seat in SEATS:
        stage.busy(seat, from_s)
    stage.wall = stage.some(list(range(len(stage.faces))), len(stage.faces))
    stage.returned = False
    dealt_s = deal(stage, east, fault, from_s)
    over_s = charleston(stage, east, fault, dealt_s, stops_at_wrong=not last)
    if not last and any(f.kind == "redeal" and f.at >= from_s for f in stage.referee.faults):
        return sweep_and_build(stage, throw_in(stage, over_s)), east
    ending = _ending(stage, last=last)
    played = play(stage, east, fault, ending, over_s)
    if ending is Ending.OPEN:
        return played.at_s, east
    now_s = end_hand(stage, played)
    if not last or people.chance(0.7):
        now_s = sweep_and_build(stage, now_s)
    return now_s, right_of(east)


def _ending(stage: Stage, *, last: bool) -> Ending:
    """An open ending is for the last hand only."""
    wanted = stage.options.ending
    if wanted is Ending.ANY or (wanted is Ending.OPEN and not last):
        return Ending.WALL if stage.people.chance(_WALL_GAMES) else Ending.MAH_JONGG
    return wanted
