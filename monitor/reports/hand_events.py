"""The events of one hand as they stand: corrections applied, identities left out, in order of time.

Owns the fold from rows to a list that a picture or a count can be made of. Refuses to judge.
"""

from typing import Final

from msgspec import Struct

from monitor.audience import Audience, directors_event
from monitor.events import Corrected, Event
from monitor.view import HAND_EVENTS, corrected

KEPT_EVENTS: Final = HAND_EVENTS


class Standing(Struct, frozen=True):
    """An event as it stands; `seqs` are all numbers under which it was told."""

    event: Event
    seqs: tuple[int, ...]


class HandEvents:
    """Takes a hand's events in order of knowledge. Beyond `KEPT_EVENTS` the oldest are dropped and counted."""

    def __init__(self, audience: Audience) -> None:
        """`audience`: whether numbers of tiles may be told at all."""
        self.dropped = 0
        self._audience = audience
        self._told: dict[int, Standing] = {}

    def take(self, event: Event) -> bool:
        """Take an event or a correction; `False` for a correction of something that is not of this hand."""
        if isinstance(event, Corrected):
            return self._correct(event)
        shown = directors_event(event, self._audience)
        if shown is not None:
            self._told[event.seq] = Standing(shown, (event.seq,))
            if len(self._told) > KEPT_EVENTS:
                del self._told[next(iter(self._told))]
                self.dropped += 1
        return True

    def _correct(self, correction: Corrected) -> bool:
        old = self._told.pop(correction.replaces, None)
        if old is None:
            return False
        if not correction.struck:
            shown = directors_event(corrected(old.event, correction), self._audience)
            if shown is not None:
                self._told[correction.seq] = Standing(shown, (*old.seqs, correction.seq))
        return True

    @property
    def standing(self) -> list[Standing]:
        """What stands, in order of time, and of number where times are equal."""
        return sorted(self._told.values(), key=lambda one: (one.event.at, one.seqs[-1]))

    @property
    def seqs(self) -> set[int]:
        """Every number under which something that stands was told."""
        return {seq for one in self._told.values() for seq in one.seqs}
