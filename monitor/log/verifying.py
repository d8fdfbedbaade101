"""Is this the log that was written? Works every link and signature out again, and names the first record that differs.

Owns what is checked and the sentences that say what is wrong. Rows -> **verdict**. Refuses to know how rows are stored.
A log is right when its records follow each other without a gap, each is the one its digest and link were made of, every
hand that is over was signed for, the signed end is the last record, and the released keys are those that the records
tell of. Records of schema 1 were linked, and keys of schema 2 noted, when the log was brought up to date: of these it
is proven that they have not changed since, and no more.
"""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from sqlalchemy import Row

from monitor.errors import LogError
from monitor.log.chain import ABSENT, FIRST_LINK, Header, digest, link
from monitor.log.keys import is_signed, unseal
from monitor.log.notes import Doubted, Linked, Purged, Released
from monitor.log.payloads import Record
from monitor.log.reader import LogReader
from monitor.log.schema import RELEASES_NOTED
from monitor.log.scribe import end_statement, head_statement, run_statement

Passed = Callable[[Iterable[Row[Any]]], Iterable[Row[Any]]]
_ENDS_HAND = frozenset({"hand_ended", "thrown_in"})


class Verdict(Struct, frozen=True):
    """What was found. `flaw`: the first thing that is wrong, as a sentence, `None` where nothing is; `seq`: at which
    record, 0 where it is none. `signers`: the public keys that signed, in hexadecimal; `purged`: records whose payload
    was taken away; `linked`: up to here records were linked as they were found."""

    records: int
    heads: int
    purged: int
    signers: tuple[str, ...]
    flaw: str | None = None
    seq: int = 0
    linked: int = 0


class _Flaw(Exception):  # noqa: N818  # a finding, not a failure
    """Something is wrong at record `seq`."""

    def __init__(self, seq: int, said: str) -> None:
        super().__init__(said)
        self.seq = seq


def verify(log: LogReader, passed: Passed = lambda rows: rows) -> Verdict:
    """Check a whole log. `passed` passes its rows through, and may show how far they are."""
    if log.schema == 1:
        return Verdict(0, 0, 0, (), "it is from before records were linked: a monitor that writes to it links them")
    broken = log.broken()
    if broken:
        return Verdict(0, 0, 0, (), f"its database is not sound ({broken})")
    check = _Check(log)
    try:
        check.runs()
        for row in passed(log.rows()):
            check.row(row)
        check.end()
    except _Flaw as flaw:
        return check.verdict(str(flaw), flaw.seq)
    except LogError as problem:
        return check.verdict(f"after record {check.seq}: {problem}", check.seq + 1)
    return check.verdict(None, 0)


class _Check:
    """A walk over a log."""

    def __init__(self, log: LogReader) -> None:
        self._log = log
        self.seq = 0
        self._link = FIRST_LINK
        self._purged: list[tuple[int, int]] = []
        """Number and time of records that say nothing any more."""
        self._purges: list[Purged] = []
        self._linked = 0
        """Up to here records are of a version that did not link them."""
        self._unsigned: list[Row[Any]] = []
        """Last records of hands that were not signed for."""
        self._signers: set[bytes] = set()
        self._runs = log.run_rows()
        self._heads = {row.seq: row for row in log.heads()}
        self._checked_heads = 0
        self._keys = log.keys()
        self._releases: list[tuple[int, Released]] = []
        """Number and note of each key that was published."""
        self._sealed: set[tuple[int, str, int]] = set()
        """Run, table and hand of what is still sealed."""
        self._unended: dict[str, Row[Any]] = {}

    def verdict(self, flaw: str | None, seq: int) -> Verdict:
        signers = tuple(sorted(each.hex() for each in self._signers))
        return Verdict(self.seq, self._checked_heads, len(self._purged), signers, flaw, seq, self._linked)

    def runs(self) -> None:
        """Starts of the monitor."""
        for row in self._runs.values():
            told = run_statement(row.run, row.utc_us, row.mono_s, row.version, _as_bytes(row.salt))
            if not self._is_signed(row, told):
                raise _Flaw(0, f"start {row.run} of the monitor is not as it was signed")

    def row(self, row: Row[Any]) -> None:
        """The next record."""
        if row.seq != self.seq + 1:
            gap = (
                f"record {self.seq + 1} is"
                if row.seq == self.seq + 2
                else f"records {self.seq + 1} to {row.seq - 1} are"
            )
            raise _Flaw(self.seq + 1, f"{gap} missing")
        if row.run not in self._runs:
            raise _Flaw(row.seq, f"record {row.seq} is of start {row.run} of the monitor, which is missing")
        self._contents(row)
        header = Header(**{name: getattr(row, name) for name in Header.__struct_fields__})
        linked = link(self._link, header, _as_bytes(row.payload_digest), _as_bytes(row.sealed_digest))
        if linked != row.link:
            raise _Flaw(row.seq, f"record {row.seq} is not the one that was written there, or not in its place")
        self._hand(row)
        self.seq, self._link = row.seq, linked

    def end(self) -> None:
        """Nothing is missing at the end; what was taken away was taken away by a purge."""
        end = self._log.end()
        if end is None:
            raise _Flaw(0, "what was signed of the log's end is missing")
        if not self._is_signed(end, end_statement(end.seq, _as_bytes(end.link))):
            raise _Flaw(0, "the log's end is not as it was signed")
        if end.seq > self.seq:
            raise _Flaw(self.seq + 1, f"records {self.seq + 1} to {end.seq} are missing at the end")
        if end.seq < self.seq or _as_bytes(end.link) != self._link:
            raise _Flaw(
                end.seq + 1, f"the log was signed up to record {end.seq}; what comes after was put there by another"
            )
        left = set(self._heads)
        if left:
            raise _Flaw(min(left), f"a hand was signed for at record {min(left)}, where none ended")
        for row in self._unsigned:
            if row.seq > self._linked:
                raise _Flaw(row.seq, f"{row.table}, hand {row.hand}, ended at record {row.seq} and was not signed for")
        for seq, utc_us in self._purged:
            if not any(seq <= purge.through and utc_us < purge.before_utc_us for purge in self._purges):
                raise _Flaw(seq, f"what record {seq} said is missing, and no purge took it away")
        self._released()

    def _released(self) -> None:
        """The published keys are those that the records tell of; one that opens nothing any more may be gone."""
        noted = set()
        for seq, note in self._releases:
            where = (note.run, note.table, note.hand)
            noted.add(where)
            whose = f"{note.table}, hand {note.hand} (start {note.run} of the monitor)"
            if where not in self._keys:
                if where in self._sealed:
                    raise _Flaw(
                        seq, f"the key of {whose}, released at record {seq}, is missing: its tiles cannot be named"
                    )
            elif digest(_as_bytes(self._keys[where])).hex() != note.key_sha256:
                raise _Flaw(seq, f"the key of {whose} is not the one that was released at record {seq}")
        strange = set() if self._log.schema < RELEASES_NOTED else self._keys.keys() - noted
        for run, table, hand in sorted(strange, key=repr)[:1]:
            raise _Flaw(
                0, f"a key of {table}, hand {hand} (start {run} of the monitor) is there that was never released"
            )

    def _contents(self, row: Row[Any]) -> None:
        """The payload and the sealed part are those that their digests were made of."""
        if row.payload is None:
            self._purged.append((row.seq, row.utc_us))
        elif not _is_made_of(row.payload_digest, row.payload):
            raise _Flaw(row.seq, f"what record {row.seq} says was changed")
        elif row.stream == "note":
            self._note(row.seq, self._log.record(row))
        if row.sealed is None:
            if row.payload is not None and _as_bytes(row.sealed_digest) != ABSENT:
                raise _Flaw(row.seq, f"what record {row.seq} sealed is missing")
            return
        if not _is_made_of(row.sealed_digest, row.sealed):
            raise _Flaw(row.seq, f"what record {row.seq} sealed was changed")
        where = (row.run, row.table, row.hand)
        self._sealed.add(where)
        if where not in self._keys:
            return
        key = _as_bytes(self._keys[where])
        if unseal(key, row.seq, _as_bytes(row.payload_digest), _as_bytes(row.sealed)) is None:
            raise _Flaw(row.seq, f"the released key of {row.table}, hand {row.hand}, does not open record {row.seq}")

    def _note(self, seq: int, note: Record | None) -> None:
        match note:
            case Purged():
                self._purges.append(note)
            case Released():
                self._releases.append((seq, note))
            case Linked():
                if note.through != seq - 1:
                    raise _Flaw(seq, f"record {seq} says that records were linked up to {note.through}, not {seq - 1}")
                self._linked = note.through
            case Doubted():
                raise _Flaw(seq, f"when the monitor started that wrote record {seq}, the log was not: {note.reason}")
            case _:
                pass

    def _hand(self, row: Row[Any]) -> None:
        """Every hand that is over was signed for."""
        before = self._unended.pop(row.table, None)
        if before is not None and before.hand != row.hand:
            self._head(before)
        if row.stream == "event" and row.kind in _ENDS_HAND:
            self._head(row)
        else:
            self._unended[row.table] = row

    def _head(self, last: Row[Any]) -> None:
        head = self._heads.pop(last.seq, None)
        if head is None:
            self._unsigned.append(last)  # none was signed for before records were linked
            return
        self._checked_heads += 1
        told = head_statement(head.seq, head.table, head.hand, _as_bytes(head.link), head.utc_us)
        same = (head.table, head.hand, _as_bytes(head.link)) == (last.table, last.hand, _as_bytes(last.link))
        if not same or not self._is_signed(head, told):
            raise _Flaw(last.seq, f"{last.table}, hand {last.hand}, is not as it was signed (record {last.seq})")

    def _is_signed(self, row: Row[Any], told: bytes) -> bool:
        signer = _as_bytes(row.signer)
        self._signers.add(signer)
        return is_signed(signer, told, _as_bytes(row.signature))


def _is_made_of(stored: object, content: object) -> bool:
    """Whether a digest is that of what is stored beside it; neither need be bytes any more where somebody edited."""
    return isinstance(content, bytes) and digest(content) == stored


def _as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else repr(value).encode()
