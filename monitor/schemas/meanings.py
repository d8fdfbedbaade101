"""What each key of a record means: its unit, its clock, and what its absence says. The one place that says it.

Owns sentences and nothing else; schemas and their page take them from here. A key of one kind alone, or with another
meaning there, stands as `kind.key`. A key whose type describes itself (`msgspec.Meta`) has no place here.
"""

from collections.abc import Mapping
from typing import Final

_HOST = "seconds on the monotonic clock of the monitor's host (of a recording: since it began), no time of day"

MEANINGS: Final[Mapping[str, str]] = {
    # every event
    "kind": "Which kind of record this is; fixes what the other keys mean.",
    "at": f"Best estimate of when it happened: {_HOST}.",
    "seq": (
        "Number of the record within its table and stream, from 1; `evidence` and `replaces` point to it. It goes "
        "on where the log ends after a restart. Absent or 0: not numbered yet."
    ),
    "table": "Name of the table. Absent or empty: the only one, or all of them.",
    "seat": (
        "The physical chair that acted or is meant; who is East in the game moves between hands. Absent: the whole "
        "table, or not known."
    ),
    "earliest": (
        "Lower bound of `at`, on the same clock: the truth lies within the bounds with 99 %. Absent: `at` is exact."
    ),
    "latest": (
        "Upper bound of `at`, on the same clock: the truth lies within the bounds with 99 %. Absent: `at` is exact."
    ),
    "seen_at": "When the monitor knew it, on the same clock as `at`. Absent: at once, at `at`.",
    "confidence": "How sure the readings are of it, from 0 to 1. Absent: certain.",
    # keys of some events
    "count_changed.count": "Tiles in the zone now; `null` while the number cannot be known.",
    "corrected.count": (
        "Tiles in the zone, as corrected; `null`: the number cannot be known. Absent: as it was, which is not the "
        "same as `null`."
    ),
    "zone": "Which part of the rack was counted. Absent: as it was.",
    "count_changed.zone": "Which part of the rack was counted. Absent: the whole rack.",
    "previous": "Tiles in the zone before; the same as `count` where a number is told again. Absent: it was not known.",
    "count_changed.reason": (
        "Why the number cannot be known, in a word. Absent: it is known, or there is nothing to say."
    ),
    "east": "The chair that is East in this hand. Absent: not known.",
    "corrected.east": "The chair that is East, as corrected. Absent: as it was.",
    "to": "The chair that the tiles go to. Absent: not known.",
    "corrected.to": "The chair that the tiles go to, as corrected. Absent: as it was.",
    "passed.n": "Tiles that left. Absent: not known.",
    "exposed.n": "Tiles of this exposure. Absent: not known yet.",
    "joker_exchanged.n": "Jokers exchanged. Absent: not known.",
    "corrected.n": "How many tiles or jokers, as corrected. Absent: as it was.",
    "uid": (
        "Id of the tile's tag. Which tile it was leaves the log only where it was asked for and the hand is over. "
        "Absent: not known or not told."
    ),
    "uids": (
        "Ids of the tiles' tags. Which tiles they were leaves the log only where it was asked for and the hand is "
        "over. Absent: not known or not told."
    ),
    "face": (
        "What is on the tile. Leaves the log only where it was asked for and the hand is over. Absent: not known or "
        "not told."
    ),
    "cause": "What closed the window. Absent: not known.",
    "corrected.cause": "What closed the window, as corrected. Absent: as it was.",
    "via": "How the claim became known. Absent: not known.",
    "corrected.via": "How the claim became known, as corrected. Absent: as it was.",
    "for": "What the discard is claimed for. Absent: not known.",
    "corrected.for": "What the discard is claimed for, as corrected. Absent: as it was.",
    "discard_by": "Whose discard is claimed. Absent: the last one, whoever made it.",
    "corrected.discard_by": "Whose discard is claimed, as corrected. Absent: as it was.",
    "owners": "The chairs on whose ledges the jokers lay, one a joker. Absent: not known.",
    "corrected.owners": "The chairs on whose ledges the jokers lay, as corrected. Absent: as it was.",
    "by": "Who declared it: a chair, or `director`. Absent: not known.",
    "corrected.by": "Who declared the hand dead, as corrected: a chair, or `director`. Absent: as it was.",
    "with": "The chair whose whole rack was taken for that of `seat`. Absent: not known.",
    "how": "How the hand ended. Absent: not known.",
    "corrected.how": "How the hand ended, as corrected. Absent: as it was.",
    # corrections
    "corrected.at": f"The moment as corrected: {_HOST}.",
    "corrected.seen_at": "When it was corrected, on the same clock as `at`. Absent: at once, at `at`.",
    "replaces": "The `seq` of the event that is corrected, or of its latest correction, in the same table.",
    "struck": "`true`: the event never happened. Absent: it did.",
    "new_kind": "The event was of this kind. Absent: of the kind that was told.",
    # alerts
    "alert.id": (
        "Stable name of the alert, of one fault of one seat; a later line with the same `id` updates it. Not to be "
        "taken apart."
    ),
    "alert.rule": "What the alert is about.",
    "alert.at": (
        f"The moment that the rule is about: {_HOST}. A late or simultaneous call: the claim. A wrong count: the "
        "discard that ends the seat's procedure, not the cause."
    ),
    "alert.seat": (
        "The physical chair that the finding is about: the wrong rack, the caller, who acted or declared. Absent: "
        "the whole table."
    ),
    "alert.seq": (
        "Number of the line within the alerts of its table, from 1. It goes on where the log ends after a restart. "
        "Absent or 0: not numbered yet."
    ),
    "raised_at": "When the alert was raised, on the same clock as `at`.",
    "article": "The article that it rests on, such as `205` or `107`; empty where none does.",
    "authority": "Whose rule it is: the League's, or this event's.",
    "level": "How much it wants of the director.",
    "message": "One plain sentence for people, in English. Its wording may change.",
    "state": "How the alert stands with this line.",
    "expected": "Tiles that there must be. Absent: not about a number of tiles.",
    "alert.count": "Tiles that there are. Absent: not about a number of tiles.",
    "verdict": "What was found where a claim and the closing came close. Absent: the rule knows no verdict.",
    "evidence": "The `seq` of the events that it rests on, of the same table. Absent: none.",
    "rests_on": "The key of the rule profile that decided. Absent: no key did.",
    "facts": "The events that it rests on, in short, in order of time. Absent: none.",
    # facts of an alert
    "fact.what": "What happened.",
    "fact.earliest": "Lower bound of `at`, on the same clock; `at` itself where it is exact.",
    "fact.latest": "Upper bound of `at`, on the same clock; `at` itself where it is exact.",
    "fact.seq": "The `seq` of the event. Absent or 0: of no event.",
    "fact.count": "A number of tiles. Absent: none matters here, or it is not known.",
    "fact.by": "Who entered or declared it. Absent: that does not matter here.",
    # notes
    "amended.seq": "Number within its table and stream. Absent or 0: a note is not numbered.",
    "purged.seq": "Number within its table and stream. Absent or 0: a note is not numbered.",
    "purged.table": "Name of the table. Absent or empty: the note tells of the whole log.",
    "event": (
        "What is to be read as if the monitor had told it, at its own time; a striking or a change is a `corrected`."
    ),
    "amended.hand": "Number of the hand that is meant, which may long be over.",
    "linked.seq": "Number within its table and stream. Absent or 0: a note is not numbered.",
    "linked.table": "Name of the table. Absent or empty: the note tells of the whole log.",
    "linked.through": "Number in the log (a line's `seq`) up to which records were linked as they were found.",
    "doubted.seq": "Number within its table and stream. Absent or 0: a note is not numbered.",
    "doubted.table": "Name of the table. Absent or empty: the note tells of the whole log.",
    "released.seq": "Number within its table and stream. Absent or 0: a note is not numbered.",
    "released.table": "Name of the table of the hand whose key was published. Absent or empty: a table without a name.",
    "released.hand": "Number of the hand whose key was published.",
    "released.run": "The start of the monitor that sealed what the key opens, from 1.",
    "before_utc_us": "Records written before this moment were purged: microseconds since 1970, UTC.",
    "through": "Number in the log (a line's `seq`) up to which records were purged.",
    "records": "How many records lost what they said; number, time, table and kind stay.",
    # what people did
    "acted.seq": "Number within its table and stream. Absent or 0: what people did is not numbered.",
    "clocked.seq": "Number within its table and stream. Absent or 0: what people did is not numbered.",
    "said.seq": "Number within its table and stream. Absent or 0: what people did is not numbered.",
    "acted.at": f"When it was done: {_HOST}.",
    "clocked.at": f"When it was done: {_HOST}.",
    "said.at": f"When it was entered: {_HOST}. The event that it became has a moment of its own, just after.",
    "clocked.table": "Name of the table that was given time. Absent or empty: it was done for all.",
    "acted.rule": "What the alert is about.",
    "acted.hand": "Number of the hand that the alert is about, which may be over when it is ruled.",
    "did": "What was done.",
    "what": "Which of the things that may be done this is.",
    "declareddead.seat": "The chair whose hand is dead.",
    "declareddead.by": "Who declared it: a chair, or `director`. Absent: the director.",
    "timeadded.seconds": "How much longer the table may play, in seconds.",
    "undone.record": "Number in the log (a line's `seq`) of the act that is not to count.",
    "roundstarted.round": "Number of the round.",
    "length_s": "How long the round is, in seconds, before any time is added.",
    "hands": "How many hands are planned.",
    "roundextended.seconds": "How much longer may be played, in seconds; below 0: how much was taken back.",
    "roundextended.alert": "Id of the alert about which it was ruled. Absent or empty: about none.",
    "said": "What was entered, as it went to the table.",
    "said.seat": "The chair that it is about. Absent: the whole table.",
    "input": "What it says.",
    "input.n": "How many tiles or jokers. Absent: not known.",
    # lines of an export
    "export-line.seq": (
        "Number in the log over all tables, runs and streams: 1, 2, 3 … without gaps, and never another for the "
        "same record."
    ),
    "run": "The start of the monitor that the record belongs to, from 1. Each start may have another monotonic clock.",
    "export-line.table": "Name of the table; empty where a note tells of the whole log.",
    "export-line.hand": "Number of the hand at its table, from 1; 0: it was under way when the log began.",
    "written_at": (
        "When the record was handed to the log: UTC, ISO 8601, to the microsecond. `null`: no calendar has it."
    ),
    "at_utc": (
        "The record's `at` in UTC, ISO 8601, by both clocks at the start of the run. `null`: it has none, or no "
        "calendar has it."
    ),
    "export-line.at": f"The record's own `at`: {_HOST}. `null`: it has none.",
    "stream": (
        "`event`, `alert`, or the kind of a record that is neither, such as `amended` or `purged`; it says what "
        "`record` is."
    ),
    "record": "The record. `null`: it was purged for its age, and `stream` is `purged`.",
}
