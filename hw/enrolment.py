"""Enrolling a tile set with a person: which tile to lay on the antenna now, and which tag it bears.

Owns the order of faces, what makes an id doubtful, undoing, and what is missing at the end. Refuses to know how rounds
come and where the result goes; reads no clock. Inventories, a person's words -> **enrolment** -> `tiles` of a set-up,
of which command line and page are faces.

    state      what lies on the antenna           leads to
    -------    -------------------------------    --------------------------------------------------------
    BARE       nothing, for a while               WAITING
    BARE       something                          BARE: take it off, or `ignore` it
    WAITING    one tag, sure                      LIFTING: enrolled, known already, or refused
    WAITING    one tag, weak or odd               DOUBTFUL
    WAITING    several, a neighbour's, garbled    WAITING, with a word about it
    DOUBTFUL   (`confirm`)                        LIFTING: enrolled with a doubt
    DOUBTFUL   nothing                            WAITING
    LIFTING    nothing of that tag                WAITING for the next tile, or COMPLETE
    WAITING    (`together`) all tiles of a face   LIFTING: all of them enrolled
    COMPLETE   anything                           COMPLETE; `undo`, `correct` and `forget` may reopen it

An id is never corrected into another one: ids that differ by a digit are different tiles (reels of tags are numbered
in a row), so such an id is only asked to be heard better than others.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from firmware_bridge.uids import reversed_bytes, well_formed
from hw.set_status import SetStatus, set_status
from hw.tag_on_antenna import Heard, Lies, Seen, TagOnAntenna, differ_by_a_digit
from hw.tile_set import AMERICAN_SET

BARE_S = 1.5
"""How long the antenna must be bare at first; our choice."""
PATIENCE_S = 8.0
"""A tile that is not heard for so long after it was asked for may have a dead tag; our choice."""
NEAR_ROUNDS = 15
NEAR_SHARE = 0.8
"""An id that differs by one digit from an enrolled one must be heard so often, in so many rounds. Our choice."""
ALIKE = 3
"""From so many enrolled ids of one length on, another length is odd."""
GLIMPSED = 256
"""Ids that were heard in passing and are remembered; our choice."""


class State(StrEnum):
    """Where the enrolment is."""

    BARE = "bare"
    WAITING = "waiting"
    DOUBTFUL = "doubtful"
    LIFTING = "lifting"
    COMPLETE = "complete"


class Outcome(StrEnum):
    """What became of a tag that was laid on the antenna, or of a person's word."""

    ENROLLED = "enrolled"
    KNOWN = "known"
    CLASH = "clash"
    DOUBTFUL = "doubtful"
    CUT_SHORT = "cut short"
    ILL_FORMED = "ill formed"
    REVERSED = "reversed"
    FLEETING = "fleeting"
    CHANGED = "changed"
    REFUSED = "refused"


class Told(Struct, frozen=True):
    """Something to tell the person."""

    outcome: Outcome
    words: str
    uid: str = ""
    face: str = ""


class Advice(Struct, frozen=True):
    """What to do now. `trouble`: what is odd on the antenna, in words; empty where all is well."""

    state: State
    words: str
    trouble: str = ""
    face: str | None = None
    enrolled: int = 0


class EnrolledSet(Struct, frozen=True):
    """The result: `tiles` and `tile_doubts` of a `TableSetup`."""

    tiles: dict[str, str]
    doubts: dict[str, str]


class _Change(Struct, frozen=True):
    """One thing that can be undone. `before`, `after`: the tag's face, `None` where it had none; no tag: set aside."""

    uid: str
    before: str | None
    after: str | None
    doubt: str = ""


class Enrolment:
    """The procedure for one set. Feed it rounds and the person's words; read `advice`."""

    def __init__(self, tiles: Mapping[str, str] | None = None, doubts: Mapping[str, str] | None = None) -> None:
        """`tiles`, `doubts`: what was enrolled before; the set goes on from there."""
        self.state = State.BARE
        self._tiles = dict(tiles or {})
        self._doubts = {uid: doubt for uid, doubt in (doubts or {}).items() if uid in self._tiles}
        self._set_aside: Counter[str] = Counter()
        self._chosen: str | None = None
        self._antenna = TagOnAntenna()
        self._seen = Seen(Lies.NOTHING)
        self.together = False
        """Whether all tiles of a face are laid at once; set it at will."""
        self._lying: frozenset[str] = frozenset()
        self._doubtful = ""
        self._share = 1.0
        self._doubt = ""
        self._since_s: float | None = None
        self._now_s = 0.0
        self._glimpsed: Counter[str] = Counter()
        self._changes: list[_Change] = []

    @property
    def face(self) -> str | None:
        """The face that is asked for; `None` where none is missing."""
        if self._chosen is not None and self._wanted(self._chosen) > 0:
            return self._chosen
        return next((face for face in AMERICAN_SET if self._wanted(face) > 0), None)

    @property
    def advice(self) -> Advice:
        """What to do now."""
        face, words, trouble = self.face, "", ""
        match self.state:
            case State.BARE:
                words = "Take everything off the antenna."
                if self._seen.uid:
                    trouble = f"{self._named(self._seen.uid)} is heard there."
            case State.WAITING:
                assert face is not None, "waiting is for a tile"
                number = AMERICAN_SET[face] - self._wanted(face) + 1
                words = f"Lay a {face} on the antenna ({number} of {AMERICAN_SET[face]})."
                if self.together and self._wanted(face) > 1:
                    words = f"Lay {self._wanted(face)} tiles {face} on the antenna, side by side."
                trouble = self._trouble()
            case State.DOUBTFUL:
                words = "Say yes to enrol it all the same, or take it off."
                trouble = self._doubt
            case State.LIFTING:
                words = "Take it off."
            case State.COMPLETE:
                words = self.status.words
        return Advice(self.state, words, trouble, face, len(self._tiles))

    @property
    def status(self) -> SetStatus:
        """What is missing, and what is too many."""
        return set_status(self._tiles, self._set_aside)

    @property
    def glimpsed(self) -> dict[str, int]:
        """Ids that were heard in passing and never enrolled, with the number of rounds: strays and phantoms."""
        return {uid: n for uid, n in self._glimpsed.items() if uid not in self._tiles}

    @property
    def result(self) -> EnrolledSet:
        """The set so far."""
        return EnrolledSet(dict(self._tiles), dict(self._doubts))

    # what the antenna says

    def feed(self, heard: Heard) -> list[Told]:
        """Take one round of the antenna that tiles are laid on, or (`here` false) of another one; in order of time."""
        self._now_s = heard.at_s
        if self._since_s is None:
            self._since_s = heard.at_s
        self._antenna.feed(heard)
        if not heard.here:
            return []
        self._seen = self._antenna.seen()
        match self.state:
            case State.BARE:
                self._bare()
            case State.WAITING:
                self._glimpse(heard)
                return self._wait()
            case State.DOUBTFUL | State.LIFTING:
                if all(self._antenna.gone(uid, self._share) for uid in self._lying):
                    self._next()
            case State.COMPLETE:
                pass
        return []

    def _bare(self) -> None:
        assert self._since_s is not None
        if self._seen.lies is not Lies.NOTHING and self._seen.lies is not Lies.UNSURE:
            self._since_s = self._now_s
        elif self._now_s - self._since_s > BARE_S:
            self._next()

    def _glimpse(self, heard: Heard) -> None:
        for uid in set(heard.uids) - self._antenna.ignored:
            if uid in self._glimpsed or len(self._glimpsed) < GLIMPSED:
                self._glimpsed[uid] += 1

    def _wait(self) -> list[Told]:
        seen = self._seen
        if self.together and self.face is not None and self._wanted(self.face) > 1:
            return self._judge_together(self.face)
        if seen.lies is Lies.ONE or seen.lies is Lies.WEAK:
            return self._judge(seen)
        if seen.uid and self._antenna.gone(seen.uid, seen.share):
            self._antenna.clear()
            self._seen = Seen(Lies.NOTHING)
            words = f"{self._named(seen.uid)} was heard in passing and is gone: it is not counted."
            return [Told(Outcome.FLEETING, words, seen.uid)]
        return []

    def _judge(self, seen: Seen) -> list[Told]:
        """One tag lies there: is it the tile that was asked for?"""
        face = self.face
        assert face is not None, "a tile is waited for"
        uid = self._highest_first(seen.uid)
        refused = self._refused(uid, face)
        if refused is not None:
            return self._lift(refused)
        near = next((other for other in self._tiles if differ_by_a_digit(uid, other)), None)
        weak = f"heard in {seen.share:.0%} of {seen.rounds} rounds only"
        lengths = Counter(len(other) for other in self._tiles)
        if sum(lengths.values()) >= ALIKE and len(uid) not in lengths:
            usual = lengths.most_common(1)[0][0]
            return self._hesitate(uid, f"its id {uid} has {len(uid)} digits, those of the others have {usual}")
        if seen.lies is Lies.WEAK:
            alike = "" if near is None else f", and differs by one digit from {self._named(near)}"
            return self._hesitate(uid, f"{uid} is {weak}{alike}")
        if near is not None and seen.rounds < NEAR_ROUNDS:
            return []
        doubt = weak if near is not None and seen.share < NEAR_SHARE else ""
        return self._lift(self._enrol(uid, face, doubt))

    def _judge_together(self, face: str) -> list[Told]:
        """Several tags lie there: are they all the tiles of the face that was asked for?"""
        there = {self._seen.uid, *self._seen.others} - {""}
        if not there or not there <= self._antenna.sure():
            return []
        uids = {self._highest_first(uid) for uid in there}
        refused = [self._refused(uid, face) for uid in sorted(uids)]
        wrong = [told for told in refused if told is not None and told.outcome is not Outcome.KNOWN]
        if wrong:
            return self._lift(*wrong)
        new = sorted(uid for uid in uids if uid not in self._tiles)
        lengths = {len(uid) for uid in (*self._tiles, *new)}
        if len(new) != self._wanted(face) or len(lengths) > 1 or self._seen.rounds < NEAR_ROUNDS:
            return []
        return self._lift(*(self._enrol(uid, face, "") for uid in new))

    def _refused(self, uid: str, face: str) -> Told | None:
        """Why a tag cannot be a new tile of the set."""
        if well_formed(uid) is None:
            if uid.upper().startswith("88") and len(uid) in {8, 14, 20}:
                words = f"{uid} is an id cut short by its reader (it begins with 88). The reader must read whole ids."
                return Told(Outcome.CUT_SHORT, words, uid)
            return Told(Outcome.ILL_FORMED, f"{uid or 'An empty id'} is no whole id of a tag.", uid)
        known = self._tiles.get(uid)
        if known == face:
            words = f"This {face} is enrolled already. If it is another tile, two tags bear the id {uid}: replace one."
            return Told(Outcome.KNOWN, words, uid, known)
        if known is not None:
            words = f"{uid} is enrolled as {known}, and a {face} was asked for. A wrong tile, or two tags with one id."
            return Told(Outcome.CLASH, words, uid, known)
        twin = self._tiles.get(reversed_bytes(uid))
        if twin is not None:
            words = f"{uid} is the id of an enrolled {twin} in the other byte order: two readers disagree, or it is it."
            return Told(Outcome.REVERSED, words, uid, twin)
        return None

    def _hesitate(self, uid: str, doubt: str) -> list[Told]:
        self.state, self._doubtful, self._doubt = State.DOUBTFUL, uid, doubt
        self._lying, self._share = frozenset({self._seen.uid}), self._seen.share
        return [Told(Outcome.DOUBTFUL, f"Doubtful: {doubt}.", uid)]

    def _lift(self, *told: Told) -> list[Told]:
        self.state, self._doubt = State.LIFTING, ""
        self._lying, self._share = frozenset({self._seen.uid, *self._seen.others}), self._seen.share
        return list(told)

    def _enrol(self, uid: str, face: str, doubt: str) -> Told:
        self._change(_Change(uid, None, face, doubt))
        words = f"{face}: {uid}{f' ({doubt})' if doubt else ''}"
        return Told(Outcome.ENROLLED, words, uid, face)

    def _next(self) -> None:
        """The antenna is free: what comes next?"""
        self._antenna.clear()
        self._seen, self._lying, self._doubt = Seen(Lies.NOTHING), frozenset(), ""
        self._since_s = self._now_s
        self.state = State.COMPLETE if self.face is None else State.WAITING

    # what the person says

    def choose(self, face: str) -> Told:
        """From now on tiles of this face are laid, until there are enough; then the first missing face again."""
        if face not in AMERICAN_SET:
            return Told(Outcome.REFUSED, f"There is no face {face}.")
        if self._wanted(face) <= 0:
            return Told(Outcome.REFUSED, f"All {AMERICAN_SET[face]} {face} are there.", face=face)
        self._chosen, self._since_s = face, self._now_s
        return Told(Outcome.CHANGED, f"Now {face}.", face=face)

    def confirm(self) -> Told:
        """Enrol the doubtful tag that lies there."""
        if self.state is not State.DOUBTFUL or self.face is None:
            return Told(Outcome.REFUSED, "Nothing doubtful lies there.")
        told = self._enrol(self._doubtful, self.face, self._doubt)
        self.state = State.LIFTING
        return told

    def ignore(self) -> Told:
        """What is heard now stays where it is and is no tile to enrol."""
        heard = {self._seen.uid, *self._seen.others} - {""}
        if not heard:
            return Told(Outcome.REFUSED, "Nothing is heard.")
        self._antenna.ignored |= heard
        self._seen = Seen(Lies.NOTHING)
        return Told(Outcome.CHANGED, f"Ignored from now on: {', '.join(sorted(heard))}.")

    def set_aside(self) -> Told:
        """The tile that was asked for has a tag that is never heard: go on without it."""
        face = self.face
        if face is None or self.state is State.LIFTING:
            return Told(Outcome.REFUSED, "No tile is waited for.")
        self._change(_Change("", face, None))
        self._next()
        return Told(Outcome.CHANGED, f"A {face} is set aside: its tag is not heard. Give it another one.", face=face)

    def correct(self, uid: str, face: str) -> Told:
        """An enrolled tag belongs to a tile of another face."""
        if face not in AMERICAN_SET:
            return Told(Outcome.REFUSED, f"There is no face {face}.")
        before = self._tiles.get(uid)
        if before is None:
            return Told(Outcome.REFUSED, f"{uid} is not enrolled.", uid)
        self._change(_Change(uid, before, face, self._doubts.get(uid, "")))
        return self._reopened(Told(Outcome.CHANGED, f"{uid} was {before} and is {face}.", uid, face))

    def forget(self, uid: str) -> Told:
        """An enrolled tag is no tile of the set."""
        before = self._tiles.get(uid)
        if before is None:
            return Told(Outcome.REFUSED, f"{uid} is not enrolled.", uid)
        self._change(_Change(uid, before, None, self._doubts.get(uid, "")))
        return self._reopened(Told(Outcome.CHANGED, f"{uid} ({before}) is forgotten.", uid, before))

    def undo(self) -> Told:
        """Take back the latest change of this session; may be said again."""
        if not self._changes:
            return Told(Outcome.REFUSED, "There is nothing to undo.")
        change = self._changes.pop()
        if not change.uid:
            assert change.before is not None, "a face was set aside"
            self._set_aside[change.before] -= 1
            return self._reopened(Told(Outcome.CHANGED, f"The {change.before} is asked for again.", face=change.before))
        self._put(change.uid, change.before, change.doubt)
        was = change.before or "not enrolled"
        return self._reopened(Told(Outcome.CHANGED, f"{change.uid} is {was} again.", change.uid, change.before or ""))

    def _reopened(self, told: Told) -> Told:
        if self.state is State.COMPLETE or (self.state is State.WAITING and self.face is None):
            self._next()
        return told

    def _change(self, change: _Change) -> None:
        self._changes.append(change)
        if change.uid:
            self._put(change.uid, change.after, change.doubt)
        elif change.before is not None:
            self._set_aside[change.before] += 1

    def _put(self, uid: str, face: str | None, doubt: str) -> None:
        self._doubts.pop(uid, None)
        if face is None:
            self._tiles.pop(uid, None)
            return
        self._tiles[uid] = face
        if doubt:
            self._doubts[uid] = doubt

    # words

    def _wanted(self, face: str) -> int:
        have = sum(one == face for one in self._tiles.values())
        return AMERICAN_SET[face] - have - self._set_aside[face]

    def _named(self, uid: str) -> str:
        face = self._tiles.get(uid)
        return uid if face is None else f"{face} ({uid})"

    def _trouble(self) -> str:
        seen = self._seen
        if self.together and self.face is not None and seen.uid and seen.rounds > NEAR_ROUNDS:
            sure = self._antenna.sure()
            new = [uid for uid in sure if self._highest_first(uid) not in self._tiles]
            return f"{len(new)} tiles are heard surely, {len({seen.uid, *seen.others} - sure)} others not so."
        match seen.lies:
            case Lies.SEVERAL:
                there = ", ".join(self._named(uid) for uid in (seen.uid, *seen.others))
                return f"Several tiles are heard: {there}. Leave one, and move the others away."
            case Lies.ELSEWHERE:
                return f"{self._named(seen.uid)} is heard by another antenna as well. Move it away from that."
            case Lies.GARBLED:
                return "No round of the reader is complete: too many tiles are near, or it is disturbed."
            case Lies.NOTHING:
                waited_s = self._now_s - (self._since_s if self._since_s is not None else self._now_s)
                if waited_s > PATIENCE_S:
                    return "Nothing is heard. Turn the tile over, or move it; if that does not help, set it aside."
                return ""
            case Lies.UNSURE:
                return f"{self._named(seen.uid)} is heard, not surely yet." if seen.rounds > NEAR_ROUNDS else ""
            case Lies.ONE | Lies.WEAK:
                return ""

    def _highest_first(self, uid: str) -> str:
        """An ISO 15693 id in the order in which set-ups have it, where the id itself tells its order."""
        turned = well_formed(uid) is not None and len(uid) == 16 and uid.endswith("E0") and not uid.startswith("E0")
        return reversed_bytes(uid) if turned and uid not in self._tiles else uid
