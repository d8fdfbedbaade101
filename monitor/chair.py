"""The director's chair: what a console may do, and what it hears of.

Owns the way of an act into the log, and from there to every console; of a referee's word to its table; of a ruling to
the table that must know of it. Refuses to know pages and who may sit here. A page calls `act`, `clock` and `say`, each
with its author; each returns when it is durable, or says why it is not done. Nothing is shown before it is in the log.

What is written and not durable yet holds its case: two directors at once are one, and one who is told what the other
did. What goes to a table goes the way of every input, so that it is recorded and replayed like one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import msgspec
import structlog
from msgspec import Struct

from firmware_bridge.messages import Input, InputName, Place
from firmware_bridge.received import Published
from firmware_bridge.topics import input_topic
from monitor.acts import (
    Act,
    AllThrownIn,
    ClockAct,
    DeclaredDead,
    Declarer,
    Remarked,
    RoundExtended,
    Undone,
)
from monitor.alerts import Alert
from monitor.audience import Audience, DirectorsRecords
from monitor.docket import ActConflict, Case, Docket, Made, Refused
from monitor.event_lines import contradiction
from monitor.events import Seat
from monitor.inference.inputs import event_of
from monitor.log.notes import Acted, Clocked, Note, Said
from monitor.log.payloads import refusal
from monitor.log.scribe import Logged
from monitor.resuming import Resumed, made, turned
from monitor.round_clock import ClockConflict, RoundClock, Running, clock_conflict
from monitor.wording import act_words, clock_words, event_line, length_words, seat_name

WAITING_MOST: Final = 100
"""Our choice: acts that wait for the disk; who comes then is told to wait."""

_log = structlog.get_logger("rackwatch.chair")

Append = Callable[[str, Sequence[Note]], Awaitable[None]]


class Done(Struct, frozen=True):
    """It is in the log, as record `record`; `text`: what else came of it, or could not, in sentences; mostly empty."""

    record: int
    text: str = ""


class Changed(Struct, frozen=True):
    """What consoles draw anew: cases by alert (those that are no more too), and the clock."""

    cases: tuple[str, ...]
    clock: bool


class Chair:
    """One monitor's. `docket` and `round` are what is durable; both are changed by `take` alone."""

    def __init__(
        self,
        audiences: Mapping[str, Audience],
        resumed: Resumed,
        append: Append,
        receive: Callable[[Published], None],
        now_s: Callable[[], float],
    ) -> None:
        """`audiences` by table. `append` hands notes to the log; `receive` takes an input as if the broker had it.

        `now_s`: the host's seconds.
        """
        self.docket: Docket = resumed.docket
        self.round: RoundClock = resumed.clock
        self._audiences = audiences
        self._run = resumed.run
        self._append = append
        self._receive = receive
        self._now_s = now_s
        self._waiting: dict[int, asyncio.Future[int]] = {}
        self._acting: dict[str, Acted] = {}
        self._turning: Clocked | None = None
        self._listeners: dict[object, Callable[[Changed], None]] = {}

    def listen(self, hear: Callable[[Changed], None]) -> Callable[[], None]:
        """Be told of every change once it is durable, without blocking; the answer ends it."""
        token = object()
        self._listeners[token] = hear

        def end() -> None:
            self._listeners.pop(token, None)

        return end

    def host_s(self, utc_s: float) -> float:
        """The host's seconds of a moment in seconds since 1970."""
        return utc_s - self._run.utc_s(0.0)

    async def act(
        self, author: str, alert: str, did: Act, version: int, words: str = ""
    ) -> Done | ActConflict | Refused:
        """Do something about an alert, as its case was at `version`; `words`: the director's own."""
        case = self.docket.case(alert)
        if case is None:
            return Refused("There is no such case.")
        if isinstance(did, Remarked) and not words.strip():
            return Refused("A note needs words.")
        under_way = self._acting.get(alert)
        if under_way is not None and not isinstance(did, Remarked):
            return ActConflict(case, (made(0, under_way, self._run.utc_s(under_way.at)),))
        objection = self.docket.objection(case, author, did, version)
        if objection is not None:
            return objection
        table, at_s = case.alert.table, self._now_s()
        note = Acted(
            author=author, reason=words.strip() or act_words(did), table=table, at=at_s,
            alert=alert, rule=case.alert.rule, hand=case.hand, did=did,
        )  # fmt: skip
        on_clock, text = self._consequences(case, note)
        if not isinstance(did, Remarked):
            self._acting[alert] = note
        return await self._write(table, note, on_clock, text, lambda: self._tell_table(case, did))

    async def clock(
        self, author: str, did: ClockAct, version: int, table: str = "", words: str = ""
    ) -> Done | ClockConflict | Refused:
        """Do something to the clock of the round, as it was at `version`; `table` is given time, or all are."""
        if table and (table not in self._audiences or not isinstance(did, RoundExtended)):
            return Refused(f"There is no table {table} here." if table not in self._audiences else "That is for all.")
        if self._turning is not None:
            held = self._turning
            return ClockConflict(self.round, (turned(0, held.table, held, self._run.utc_s(held.at)),))
        conflict = clock_conflict(self.round, version)
        if conflict is not None:
            return conflict
        why = self.round.complaint(did)
        if why:
            return Refused(why)
        reason = words.strip() or clock_words(did, table)
        note = Clocked(author=author, reason=reason, table=table, at=self._now_s(), did=did)
        self._turning = note
        return await self._write(table, note)

    async def say(
        self, author: str, table: str, said: Input, seat: Seat | None = None, words: str = ""
    ) -> Done | Refused:
        """Tell a table what no sensor sees, such as a named tile; `seat`: whom it is about, where it is about one."""
        if table not in self._audiences:
            return Refused(f"There is no table {table} here.")
        if said.input is InputName.DEAD and said.by is None:
            said = msgspec.structs.replace(said, by=Declarer.DIRECTOR.value)
        event = event_of(said, seat, self._now_s())
        why = contradiction(event)
        if why:
            return Refused(f"{why[0].upper()}{why[1:]}.")
        reason = words.strip() or event_line(event)
        note = Said(author=author, reason=reason, table=table, at=event.at, said=said, seat=seat)
        return await self._write(table, note, then=lambda: self._send(table, said, seat))

    def take(self, group: Sequence[Logged]) -> None:
        """A group of records that is durable now."""
        cases: dict[str, None] = {}
        clock = False
        for logged in group:
            match logged.record:
                case Acted() as note:
                    self.docket.take_act(note.alert, made(logged.seq, note, self._run.utc_s(note.at)))
                    cases[note.alert] = None
                    if self._acting.get(note.alert) is note:
                        del self._acting[note.alert]
                case Clocked() as note:
                    self.round = self.round.after(turned(logged.seq, logged.table, note, self._run.utc_s(note.at)))
                    clock = True
                    if self._turning is note:
                        self._turning = None
                case Alert() as alert:
                    if self._take_alert(alert, logged):
                        cases[alert.id] = None
                case Note():
                    pass
                case event:
                    self.docket.take_event(event, logged.table, logged.hand, self._run.utc_s)
            waiting = self._waiting.pop(id(logged.record), None)
            if waiting is not None and not waiting.done():
                waiting.set_result(logged.seq)
        if cases or clock:
            self._tell(Changed(tuple(cases), clock))

    def _take_alert(self, alert: Alert, logged: Logged) -> bool:
        audience = self._audiences.get(logged.table)
        shown = None if audience is None else DirectorsRecords(audience).alert(alert)
        if shown is None:
            return False
        had = self.docket.case(shown.id) is not None
        self.docket.take_alert(shown, logged.hand, self._run.utc_s)
        return had or self.docket.case(shown.id) is not None

    def _tell(self, changed: Changed) -> None:
        for hear in list(self._listeners.values()):
            try:
                hear(changed)
            except Exception:  # one console's trouble must stop neither the log nor the others
                _log.exception("a console could not be told")

    async def _write(
        self,
        table: str,
        note: Acted | Clocked | Said,
        beside: Clocked | None = None,
        text: str = "",
        then: Callable[[], str] = lambda: "",
    ) -> Done | Refused:
        """Hand notes to the log, do what follows at once, and wait until they are durable.

        What follows is a record itself and comes behind the note: nobody hears of it sooner.
        """
        why = next(filter(None, (refusal(one) for one in (note, beside) if one is not None)), "")
        if not why and len(self._waiting) >= WAITING_MOST:
            why = "the event log does not keep up; wait until it does"
        if why:
            self._let_go(note)
            return Refused(f"It cannot be written down: {why}.")
        durable = self._waiting[id(note)] = asyncio.get_running_loop().create_future()
        try:
            await self._append(table, [note] if beside is None else [note, beside])
        except asyncio.CancelledError:  # the log is full, and whoever asked went away
            del self._waiting[id(note)]
            self._let_go(note)
            raise
        text = " ".join(filter(None, (text, then())))
        return Done(await durable, text)

    def _let_go(self, note: Acted | Clocked | Said) -> None:
        if isinstance(note, Acted) and self._acting.get(note.alert) is note:
            del self._acting[note.alert]
        if self._turning is note:
            self._turning = None

    def _consequences(self, case: Case, note: Acted) -> tuple[Clocked | None, str]:
        """What an act does to the clock, and what is to be said about that and about what cannot be taken back."""
        after = case.after(Made(0, note.author, 0.0, note.reason, note.did))
        seconds = after.seconds_added - case.seconds_added
        if not seconds:
            return None, self._undoing_words(case, note.did)
        on = self.round.running in (Running.RUNNING, Running.PAUSED)
        if not on or (seconds < 0 and self.round.added_for(note.alert) < -seconds):
            return None, "The clock stays as it is: the round is over, or none was begun."
        done = "has" if seconds > 0 else "no longer has"
        did = RoundExtended(seconds, note.alert)
        on_clock = Clocked(author=note.author, reason=note.reason, table=note.table, at=note.at, did=did)
        return on_clock, f"{note.table} {done} {length_words(abs(seconds))} more in this round."

    def _undoing_words(self, case: Case, did: Act) -> str:
        """An input that was sent is not taken back by undoing the ruling: the rules know none that would do it."""
        if not isinstance(did, Undone):
            return ""
        table, before = case.alert.table, set(case.rulings)
        for ruling in before ^ set(case.after(Made(0, "", 0.0, "", did)).rulings):
            back = ruling in before
            known = ruling.utc_s >= self._run.utc_us / 1e6  # a table forgets what it was told before a start
            match ruling.did:
                case DeclaredDead(seat=seat) if back and known and not self.docket.is_over(table, case.hand):
                    return (
                        f"The ruling is taken back, but no input brings a hand back: {table} goes on taking "
                        f"{seat_name(seat)}'s hand for dead until its hand is over."
                    )
                case AllThrownIn() if back and known:
                    return f"The ruling is taken back, but {table} was told, and its hand is over for the monitor."
                case DeclaredDead() | AllThrownIn() if not back:
                    return f"The ruling counts again; {table} is told nothing anew."
                case _:
                    pass
        return ""

    def _tell_table(self, case: Case, did: Act) -> str:
        """A ruling that the rules must know of, as the input that they know; only while its hand is on."""
        table = case.alert.table
        said: Input
        about: Seat | None
        match did:
            case DeclaredDead(seat=seat, by=by):
                said, about = Input(input=InputName.DEAD, by=by.value), seat
                what = f"{table} takes {seat_name(seat)}'s hand for dead."
            case AllThrownIn():
                said, about = Input(input=InputName.THROW_IN), None
                what = f"{table} takes its hand for over."
            case _:
                return ""
        if self.docket.is_over(table, case.hand):
            return f"{table} is not told: that hand is over."
        self._send(table, said, about)
        return what

    def _send(self, table: str, said: Input, seat: Seat | None) -> str:
        place = None if seat is None else Place(seat.value)
        self._receive(Published(self._now_s(), input_topic(table, place), msgspec.json.encode(said)))
        return ""
