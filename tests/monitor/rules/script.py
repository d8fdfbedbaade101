"""A small language in which a hand can be written down and read by a director, and what the rules must say about it.

    case: racking closes the window                     [107.3a]
      play
      102    south picks
      103    south racks
      103.4  south rests 14
      104    west calls
      106    tick
      => late_call west

A line is `TIME [bounds] [known T] [sure C] [#label] SEAT VERB ...`, or a whole-table verb without a seat. Bounds are
`+-B` or `[EARLIEST,LATEST]`. `deal`, `charleston` and `play` stand for the usual beginning of a hand, each with what
comes before it; `deal north=12` deals North short. `with KEY = VALUE` lays a key over the League's profile. `=>` lists
every finding that stands in the end, with those of its keys that matter; nothing else may stand. `=> nothing` says so.
Notices of closed windows are left out unless the case speaks of one.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from monitor.alerts import Alert, AlertState, Rule
from monitor.events import SEATS, Event, Seat
from monitor.rules.court import Court
from monitor.rules.profile import LEAGUE, Profile, parse_profile

CASES = Path(__file__).parent / "cases"
_SEAT = re.compile(r"^(east|south|west|north)$")
_PASSES = (("south", "west", "north", "east"), ("west", "north", "east", "south"), ("north", "east", "south", "west"))


@dataclass
class Case:
    """One case: its records in order of knowledge, its profile, and what must stand in the end."""

    name: str
    cites: tuple[str, ...]
    file: str
    line: int
    events: list[Event] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    wants: list["Want"] = field(default_factory=list)

    @property
    def profile(self) -> Profile:
        """The League's profile with the case's settings laid over it."""
        sections: dict[str, list[str]] = {}
        for setting in self.settings:
            dotted, _, value = setting.partition("=")
            section, _, key = dotted.strip().rpartition(".")
            sections.setdefault(section, []).append(f"{key} = {value.strip()}")
        text = "\n".join(f"[{name}]\n" + "\n".join(lines) for name, lines in sections.items())
        return parse_profile(text, self.file) if text else LEAGUE


@dataclass(frozen=True)
class Want:
    """A finding that must be there in the end: its rule, its seat, and whatever else the case names of it."""

    rule: Rule
    seat: Seat | None
    keys: tuple[tuple[str, str], ...]

    def fits(self, alert: Alert) -> bool:
        """Whether this alert line is the finding wanted."""
        told = msgspec.to_builtins(alert)
        return (
            alert.rule is self.rule
            and alert.seat is self.seat
            and all(_same(told.get(key), value) for key, value in self.keys)
        )


def _same(told: object, want: str) -> bool:
    if isinstance(told, float | int) and not isinstance(told, bool):
        return abs(float(told) - float(want)) < 1e-6
    return str(told).replace(" ", "-") == want


def cases(pattern: str = "*.txt") -> Iterator[Case]:
    """Every case in the files that fit `pattern`."""
    for path in sorted(CASES.glob(pattern)):
        yield from _parse(path)


def _parse(path: Path) -> Iterator[Case]:
    case: Case | None = None
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.split("//")[0].strip()
        if not text:
            continue
        if text.startswith("case:"):
            if case is not None:
                yield case
            name, _, cite = text.removeprefix("case:").partition("[")
            case = Case(name.strip(), tuple(c.strip(" ]") for c in cite.split(",")), path.name, number)
        elif case is None:
            raise ValueError(f"{path.name}:{number}: no case yet: {text}")
        else:
            try:
                Writer(case).line(text)
            except (ValueError, msgspec.ValidationError) as error:
                raise ValueError(f"{path.name}:{number}: {text}: {error}") from error
    if case is not None:
        yield case


@dataclass
class Writer:
    """Writes one line of a case into it."""

    case: Case

    def line(self, text: str) -> None:
        """A line: an event, a beginning, a setting or what is wanted."""
        words = text.split()
        if text.startswith("=>"):
            self._wants(text.removeprefix("=>").strip())
        elif words[0] == "with":
            self.case.settings.append(text.removeprefix("with").strip())
        elif words[0] in ("deal", "charleston", "play"):
            self._beginning(words[0], dict(word.split("=") for word in words[1:]))
        else:
            self._event(words)

    def _wants(self, text: str) -> None:
        for part in text.split(";"):
            words = part.split()
            if words == ["nothing"]:
                continue
            rule, *rest = words
            seat = Seat(rest.pop(0)) if rest and _SEAT.match(rest[0]) else None
            keys = tuple((key, value) for key, value in (word.split("=") for word in rest))
            self.case.wants.append(Want(Rule(rule), seat, keys))

    def _beginning(self, how: str, counts: dict[str, str]) -> None:
        """East sits on the east chair unless `east=CHAIR` says otherwise."""
        dealer = counts.pop("east_is", "east")
        add = self._add
        add("hand_started", 0.0, east=dealer)
        for seat in SEATS:
            count = counts.get(seat.value, "14" if seat.value == dealer else "13")
            if count != "?":
                add("count_changed", 20.0, seat=seat.value, count=int(count))
        add("dealt", 21.0, east=dealer)
        if how == "deal":
            return
        for round_, to in enumerate(_PASSES):
            for i, seat in enumerate(SEATS):
                add("passed", 30.0 + 15 * round_ + i / 2, seat=seat.value, to=to[i], n=3)
        if how == "charleston":
            return
        add("play_started", 100.0, seat=dealer)
        add("discarded", 100.0, seat=dealer)
        add("count_changed", 100.0, seat=dealer, count=13)

    def _add(self, kind: str, at: float, **keys: object) -> None:
        event = {"kind": kind, "at": at, "table": "T1", "seq": len(self.case.events) + 1, **keys}
        if "new_kind" in keys or kind == "corrected":
            event = {"kind": kind, "at": at, "table": "T1", "seq": len(self.case.events) + 1, **keys}
        self.case.events.append(msgspec.convert(event, Event))

    def _event(self, words: list[str]) -> None:
        at = float(words.pop(0))
        keys: dict[str, object] = {}
        while words:
            word = words[0]
            if word.startswith("+-"):
                keys["earliest"], keys["latest"] = at - float(word[2:]), at + float(word[2:])
            elif word.startswith("["):
                keys["earliest"], keys["latest"] = (float(x) for x in word.strip("[]").split(","))
            elif word == "known":
                words.pop(0)
                keys["seen_at"] = float(words[0])
            elif word == "sure":
                words.pop(0)
                keys["confidence"] = float(words[0])
            elif word.startswith("#"):
                self._labels()[word] = len(self.case.events) + 1
            else:
                break
            words.pop(0)
        if words[0] == "correct":
            self._correction(at, words[1:], keys)
            return
        if _SEAT.match(words[0]):
            keys["seat"] = words.pop(0)
        self._verb(at, words[0], words[1:], keys)

    def _labels(self) -> dict[str, int]:
        labels: dict[str, int] = self.case.__dict__.setdefault("labels", {})
        return labels

    def _correction(self, at: float, words: list[str], keys: dict[str, object]) -> None:
        keys |= {"replaces": self._labels()[words.pop(0)], "seen_at": at}
        moment = at
        while words:
            word = words.pop(0)
            if word == "strike":
                keys["struck"] = True
            elif word == "at":
                moment = float(words.pop(0))
            elif word == "as":
                keys["new_kind"] = words.pop(0)
            elif word == "rests":
                keys["count"] = _count(words.pop(0))
            elif word == "exposes":
                keys["n"] = int(words.pop(0))
            elif word == "for":
                keys["for"] = words.pop(0)
            elif word == "of":
                keys["discard_by"] = words.pop(0)
            elif _SEAT.match(word):
                keys["seat"] = word
            else:
                raise ValueError(f"no correction: {word}")
        self._add("corrected", moment, **keys)

    def _verb(self, at: float, verb: str, rest: list[str], keys: dict[str, object]) -> None:
        kinds = {
            "picks": "picked",
            "names": "named",
            "racks": "racked",
            "discards": "discarded",
            "withdraws": "call_withdrawn",
            "returns": "returned",
            "declares": "declared",
            "undeclares": "declaration_withdrawn",
            "tick": "tick",
            "new_hand": "new_hand",
            "is_east": "east_is",
            "starts_play": "play_started",
            "begins": "hand_started",
            "dealt": "dealt",
        }
        match verb, rest:
            case "rests", [count, *zone]:
                self._add("count_changed", at, count=_count(count), **({"zone": zone[0]} if zone else {}), **keys)
            case "discards", [face]:
                self._add("discarded", at, face=face, **keys)
            case "passes", [to]:
                self._add("passed", at, to=to, n=3, **keys)
            case "calls", _:
                self._add("called", at, **_call(rest), **keys)
            case "exposes", [n]:
                self._add("exposed", at, **({} if n == "?" else {"n": int(n)}), **keys)
            case "exchanges", [n, *owners]:
                told = {} if n == "?" else {"n": int(n)}
                self._add("joker_exchanged", at, **told, **({"owners": owners} if owners else {}), **keys)
            case "dies", _:
                self._add("dead", at, **({"by": rest[1]} if rest else {}), **keys)
            case "swaps", [other]:
                self._add("seats_swapped", at, **{"with": other}, **keys)
            case "ends", [how]:
                self._add("hand_ended", at, how=how, **keys)
            case "thrown_in", []:
                self._add("thrown_in", at, **keys)
            case _ if verb in kinds and not rest:
                self._add(kinds[verb], at, **keys)
            case _ if verb in ("begins", "dealt") and rest[0] == "east":
                self._add(kinds[verb], at, east=rest[1], **keys)
            case _:
                raise ValueError(f"no verb: {verb}")


def _count(text: str) -> int | None:
    return None if text == "?" else int(text)


def _call(words: list[str]) -> dict[str, object]:
    names = {"for": "for", "of": "discard_by", "by": "via"}
    told: dict[str, object] = {names[key]: value for key, value in zip(words[::2], words[1::2], strict=True)}
    return {"via": "button", **told}


# ---- judging a case


def heard(events: list[Event], profile: Profile = LEAGUE) -> list[Event | Alert]:
    """Everything that a court says to these records."""
    court = Court(profile, "T1")
    return [record for event in events for record in court.hear(event)]


def standing(records: list[Event | Alert]) -> list[Alert]:
    """The last line of every alert that was not withdrawn."""
    last = {record.id: record for record in records if isinstance(record, Alert)}
    return [alert for alert in last.values() if alert.state is not AlertState.WITHDRAWN]


def judged(case: Case) -> list[Alert]:
    """What stands in the end of a case, notices of closed windows left out where the case does not speak of them."""
    found = standing(heard(case.events, case.profile))
    speaks = any(want.rule is Rule.WINDOW_CLOSED for want in case.wants)
    return [alert for alert in found if speaks or alert.rule is not Rule.WINDOW_CLOSED]


def disagreements(case: Case, found: list[Alert]) -> list[str]:
    """What is missing from `found`, and what is in it that the case does not want."""
    left = list(found)
    why = []
    for want in case.wants:
        fit = next((alert for alert in left if want.fits(alert)), None)
        if fit is None:
            why.append(f"missing: {want.rule} {want.seat or ''} {dict(want.keys)}")
        else:
            left.remove(fit)
    return why + [f"not wanted: {a.rule} {a.seat or ''} at {a.at} ({a.state}): {a.message}" for a in left]
