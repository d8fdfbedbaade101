"""One evening at one table: hand after hand, from the first deal to the end of the recording.

Owns the order of the stages (deal, charleston, play, ending) and what carries over from hand to hand. Pure: the dice
are passed in. options -> **script** -> physical happening and referee's log -> sensors.
"""

from msgspec import Struct
from numpy.random import Generator

from hw.simulator.charleston import charleston
from hw.simulator.deal import deal
from hw.simulator.ending import end_hand, sweep_and_build
from hw.simulator.fidgets import fidget
from hw.simulator.options import Ending, Options
from hw.simulator.physical import SEATS, Happening
from hw.simulator.play import next_east, play
from hw.simulator.stage import Stage
from hw.simulator.truth import Referee


class Performance(Struct, frozen=True):
    """What happened, and what the referee wrote down."""

    happening: Happening
    referee: Referee


def perform(options: Options, rng: Generator) -> Performance:
    """Play the whole evening. The rule fault, if any, happens in the first hand."""
    stage = Stage(rng, options)
    east = options.first_east
    now_s = stage.people.between(2.0, 6.0)
    for seat in SEATS:
        stage.busy(seat, now_s)
    for k in range(options.hands):
        fault = options.rule_fault if k == 0 else None
        stage.wall = stage.some(list(range(len(stage.faces))), len(stage.faces))
        stage.returned = False
        dealt = deal(stage, east, fault, now_s)
        over_s = charleston(stage, east, fault, dealt.at_s)
        last_hand = k == options.hands - 1
        ending = _ending(stage, options, last_hand=last_hand)
        played = play(stage, east, options if k == 0 else _without_fault(options), ending, over_s)
        now_s = played.at_s
        if ending is not Ending.OPEN:
            now_s = end_hand(stage, played)
            if not last_hand or stage.people.chance(0.7):
                now_s = sweep_and_build(stage, now_s)
                for seat in SEATS:
                    stage.busy(seat, now_s)
        east = next_east(east)
    end_s = max(now_s, *stage.idle_from_s.values()) + stage.people.between(8.0, 16.0)
    for seat in SEATS:
        fidget(stage, seat, end_s - 0.5)
    return Performance(stage.finish(end_s), stage.referee)


def _ending(stage: Stage, options: Options, *, last_hand: bool) -> Ending:
    """An open ending is for the last hand only; of `ANY`, one hand in four is a wall game."""
    if options.ending is Ending.ANY or (options.ending is Ending.OPEN and not last_hand):
        return Ending.WALL if stage.people.chance(0.25) else Ending.MAH_JONGG
    return options.ending


def _without_fault(options: Options) -> Options:
    from msgspec.structs import replace

    return replace(options, rule_fault=None)
