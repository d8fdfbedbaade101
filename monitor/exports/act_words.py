"""What a person did, as the sentence that sheets and paper have beside the person's own words.

Owns the choice of words for a record; the words themselves are `wording`'s.
"""

from typing import assert_never

from monitor.inference.inputs import event_of
from monitor.log.notes import Acted, AnyAct, Clocked, Said
from monitor.wording import act_words, clock_words, event_line


def act_line(act: AnyAct) -> str:
    """It, as a sentence goes on after the person's name."""
    match act:
        case Acted(did=did):
            return act_words(did)
        case Clocked(did=did, table=table):
            return clock_words(did, table)
        case Said(said=said, seat=seat, at=at):
            return f"entered: {event_line(event_of(said, seat, at))}"
        case _:
            assert_never(act)


def own_words(act: AnyAct) -> str:
    """What the person said besides; empty where nothing."""
    line = act_line(act).removeprefix("entered: ")
    return "" if act.reason == line else act.reason
