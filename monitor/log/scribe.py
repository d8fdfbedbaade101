"""What is written for each record: its number and hand, its open and its sealed part, its link, and what is signed.

Owns the order of records (`seq`, one more each, without gaps) and the making of rows. Pure but for the key it is given:
entries in, rows out; nothing is remembered of a group that has not been written down. Records -> **scribe** -> rows ->
store.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from monitor.alerts import Alert
from monitor.events import HandEnded, ThrownIn, without_identities
from monitor.log.chain import Header, digest, link, statement
from monitor.log.hands import HandCounter
from monitor.log.keys import LogKey, seal
from monitor.log.notes import AUTHOR, Amended, Note, Released
from monitor.log.payloads import Record, encode, stream_of


class Entry(Struct, frozen=True):
    """A record as it was handed to the log, by both clocks."""

    table: str
    record: Record
    mono_s: float
    utc_us: int


class Logged(Struct, frozen=True):
    """A record that is durable: its number in the log and the hand it belongs to."""

    seq: int
    table: str
    hand: int
    record: Record


class Unended(Struct, frozen=True):
    """The last record of a table, and the runs in which something of its hand was sealed whose keys are still kept.

    `link`: empty where the hand was signed for already. `over`: nothing but what people did came after its end.
    """

    seq: int
    table: str
    hand: int
    link: bytes
    sealed_in: frozenset[int] = frozenset()
    over: bool = False


class Group(Struct, frozen=True):
    """What is written in one transaction, as rows of `monitor.log.schema`."""

    logged: list[Logged]
    records: list[dict[str, Any]]
    heads: list[dict[str, Any]]
    released: list[dict[str, Any]]
    end: dict[str, Any]


class Scribe:
    """The running state of a log that is written: where it ends, and each table's hand."""

    def __init__(
        self,
        *,
        run: int,
        salts: Mapping[int, bytes],
        seq: int,
        link: bytes,
        unended: Sequence[Unended],
        key: LogKey,
        releases: bool,
    ) -> None:
        """`seq`, `link`: of the last record there is. `salts`: of all runs. `releases`: keys are published at last."""
        self.run = run
        self._salts = salts
        self._seq = seq
        self._link = link
        self._hands = {each.table: HandCounter(each.hand) for each in unended}
        self._key = key
        self._releases = releases
        self._last = {each.table: each for each in unended}

    def write(self, entries: Sequence[Entry]) -> Group:
        """The rows of a group of records. Each call goes on where the one before ended."""
        group = Group([], [], [], [], {})
        for entry in entries:
            hand = self._hand(entry)
            last = self._last.get(entry.table)
            if last is not None and last.hand != hand:
                self._sign_for(last, entry.utc_us, group)
                self._release(last, "the next hand began", entry.mono_s, entry.utc_us, group)
                last = None
            row = self._take(entry, hand, group)
            sealed_in = frozenset() if last is None else last.sealed_in
            if row["sealed"] is not None:
                sealed_in |= {self.run}
            ends = isinstance(entry.record, HandEnded | ThrownIn)
            over = ends or (last is not None and last.over and isinstance(entry.record, Note))
            last = self._last[entry.table] = Unended(self._seq, entry.table, hand, self._link, sealed_in, over)
            if ends:
                self._sign_for(last, entry.utc_us, group)
        group.end.update(self.end())
        return group

    def stop(self, mono_s: float, utc_us: int) -> Group:
        """The rows of the monitor's stop: keys of hands that have ended. Should they go on, it is under others."""
        group = Group([], [], [], [], {})
        for last in list(self._last.values()):
            if last.over:
                self._release(last, "the monitor stopped after the hand", mono_s, utc_us, group)
        group.end.update(self.end())
        return group

    def _hand(self, entry: Entry) -> int:
        hands = self._hands.setdefault(entry.table, HandCounter())
        return hands.number if isinstance(entry.record, Alert | Note) else hands.take(entry.record)

    def _take(self, entry: Entry, hand: int, group: Group) -> dict[str, Any]:
        row = self._row(entry, hand)
        group.records.append(row)
        group.logged.append(Logged(self._seq, entry.table, hand, entry.record))
        return row

    def _row(self, entry: Entry, hand: int) -> dict[str, Any]:
        self._seq += 1
        record = entry.record
        stream, told = stream_of(record).value, _open_part(record)
        kind = str(record.rule if isinstance(record, Alert) else record.__struct_config__.tag)
        header = Header(self._seq, self.run, entry.table, hand, stream, kind, record.seq, entry.mono_s, entry.utc_us)
        payload = encode(told)
        open_digest = digest(payload)
        sealed = None
        if told is not record:
            hand_key = self._key.hand_key(self._salts[self.run], entry.table, hand)
            sealed = seal(hand_key, self._seq, open_digest, encode(record))
        self._link = link(self._link, header, open_digest, digest(sealed))
        return {
            **msgspec.structs.asdict(header),
            "payload": payload,
            "payload_digest": open_digest,
            "sealed": sealed,
            "sealed_digest": digest(sealed),
            "link": self._link,
        }

    def _sign_for(self, last: Unended, utc_us: int, group: Group) -> None:
        """The table's hand is over with this record."""
        if not last.link:
            return
        signature = self._key.sign(head_statement(last.seq, last.table, last.hand, last.link, utc_us))
        group.heads.append(
            {
                "seq": last.seq,
                "table": last.table,
                "hand": last.hand,
                "link": last.link,
                "utc_us": utc_us,
                "signer": self._key.public,
                "signature": signature,
            }
        )
        self._last[last.table] = msgspec.structs.replace(last, link=b"")

    def _release(self, last: Unended, reason: str, mono_s: float, utc_us: int, group: Group) -> None:
        """Publish the keys of a hand after which another has begun: an end may be told that is none."""
        for run in sorted(last.sealed_in) if self._releases else ():
            key = self._key.hand_key(self._salts[run], last.table, last.hand)
            group.released.append({"run": run, "table": last.table, "hand": last.hand, "key": key})
            self._take(Entry("", released_note(run, last.table, last.hand, key, reason), mono_s, utc_us), 0, group)
        self._last[last.table] = msgspec.structs.replace(last, sealed_in=frozenset())

    def end(self) -> dict[str, Any]:
        """Where the log ends, signed."""
        signature = self._key.sign(end_statement(self._seq, self._link))
        return {"seq": self._seq, "link": self._link, "signer": self._key.public, "signature": signature}


def released_note(run: int, table: str, hand: int, key: bytes, reason: str) -> Released:
    """What the chain holds of a published key."""
    return Released(author=AUTHOR, reason=reason, table=table, hand=hand, run=run, key_sha256=digest(key).hex())


def _open_part(record: Record) -> Record:
    """The record without what tells which tile it was; itself where nothing does."""
    match record:
        case Amended():
            event = without_identities(record.event)
            return record if event is record.event else msgspec.structs.replace(record, event=event)
        case Alert() | Note():
            return record
        case _:
            return without_identities(record)


def head_statement(seq: int, table: str, hand: int, link: bytes, utc_us: int) -> bytes:
    """What is signed when a hand is over."""
    return statement("head", [seq, table, hand, link, utc_us])


def run_statement(run: int, utc_us: int, mono_s: float, version: str, salt: bytes) -> bytes:
    """What is signed of a start of the monitor."""
    return statement("run", [run, utc_us, repr(mono_s), version, salt])


def end_statement(seq: int, link: bytes) -> bytes:
    """What is signed of where the log ends."""
    return statement("end", [seq, link])
