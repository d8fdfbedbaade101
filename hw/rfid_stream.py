"""From the single reads of a streaming reader to rounds, as if it took inventories.

Owns how long one must listen before silence means something, and when it never does. Refuses to know where tiles are;
it is told which of them rest at its antenna. Its place in the flow: reads -> **rounds of an antenna** -> beliefs.

A window of reads is a round. Its length follows the pace of the reader: so long that nine of ten tiles that are read
again are read again within it. Some readers report a tag once and then only changes; from such a one silence proves
nothing, which shows in the share of resting tiles that a window hears.
"""

from bisect import insort
from collections import deque
from collections.abc import Set

from firmware_bridge.messages import WEAKEST_RSSI_DBM
from hw.rfid_antenna import Round

FIRST_WINDOW_S = 0.5
SHORTEST_WINDOW_S = 0.1
LONGEST_WINDOW_S = 5.0
"""Length of a window before the reader's pace is known, and its bounds. Our choice."""
GAPS = 127
FRESH_GAPS = 16
GAP_SHARE = 0.9
LONGEST_GAP_S = 10.0
"""The window is as long as this share of the last gaps between two reads of a tag; longer gaps are absences. Our
choice."""
TRUST_FROM = 0.3
TRUST_WINDOWS = 10.0
"""Silence counts once windows hear this share of the resting tiles, on average over so many. Our choice."""
TELLS_ONCE_WINDOWS = 40
"""A reader that has not earned that trust after so many windows reports changes only. Our choice."""
WEAK_BY_DB = 10.0
RSSI_READS = 50.0
"""A read so much weaker than those of resting tiles is a stray, once that many reads have shown how strong these are;
but not if it is no weaker than the tile was read where it rested: tags of one place differ by 20 dB and more. Our
choice."""
OWN_READS = 20.0
"""How many of a tile's last reads say how strongly it is read at rest. Our choice."""
STRONGEST_RSSI_DBM = 0.0
"""No tag answers so strongly (readers send with 30 dBm, and the echo loses 40 dB and more): a reader that says so
gives no strength, or one in a unit of its own. Our choice."""


class ReaderPace:
    """How quickly one reader comes back to a tag, and how strongly it reads one at rest, over all its antennas."""

    def __init__(self) -> None:
        self.window_s = FIRST_WINDOW_S
        self.windows = 0
        """Windows closed so far, of all antennas."""
        self._gaps: deque[float] = deque(maxlen=GAPS)
        self._fresh = 0
        self._trust = 0.0
        self._rssi_reads = 0.0
        self._rssi_dbm = 0.0
        self.weak_below_dbm = float("-inf")
        """A tile that rests elsewhere and is read no stronger than this is a stray."""

    @property
    def trusted(self) -> bool:
        """Whether this reader's silence means something."""
        return self._trust >= TRUST_FROM

    @property
    def tells_once(self) -> bool:
        """Whether this reader has shown that it does not tell of a tag again and again."""
        return self.windows >= TELLS_ONCE_WINDOWS and not self.trusted

    def gap(self, gap_s: float) -> None:
        """A tag was read again by the same antenna after `gap_s`."""
        if not 0.0 < gap_s < LONGEST_GAP_S:
            return
        self._gaps.append(gap_s)
        self._fresh += 1
        if self._fresh >= FRESH_GAPS:
            self._fresh = 0
            wanted_s = sorted(self._gaps)[int(GAP_SHARE * len(self._gaps))]
            self.window_s = min(LONGEST_WINDOW_S, max(SHORTEST_WINDOW_S, wanted_s))

    def strength(self, rssi_dbm: float) -> None:
        """A tile was read where it rests."""
        self._rssi_reads = min(4.0 * RSSI_READS, self._rssi_reads + 1.0)
        self._rssi_dbm += (rssi_dbm - self._rssi_dbm) / self._rssi_reads
        if self._rssi_reads >= RSSI_READS:
            self.weak_below_dbm = self._rssi_dbm - WEAK_BY_DB

    def heard(self, share: float) -> None:
        """A window heard this share of the tiles that rest at its antenna."""
        self._trust += (share - self._trust) / TRUST_WINDOWS


class ReadStream:
    """The reads of one antenna. Times are host seconds."""

    def __init__(self, pace: ReaderPace) -> None:
        self.pace = pace
        self.late_reads = 0
        """Reads dropped because their window was closed: some readers hand reads over seconds late."""
        self.weak_reads = 0
        """Reads dropped as strays by their strength."""
        self._from_s = float("-inf")
        self._pending: list[tuple[float, str]] = []
        self._last_s: dict[str, float] = {}
        self._own_dbm: dict[str, float] = {}
        """How strongly each tile was read here while it rested here."""

    def add(self, at_s: float, uid: str, rssi_dbm: float, resting: Set[str]) -> None:
        """One read of an enrolled tile; `resting`: the tiles that rest here."""
        if self._from_s == float("-inf"):
            self._from_s = at_s
        if at_s < self._from_s:
            self.late_reads += 1
            return
        if WEAKEST_RSSI_DBM < rssi_dbm < STRONGEST_RSSI_DBM and self._is_stray(uid, rssi_dbm, resting):
            self.weak_reads += 1
            return
        before_s = self._last_s.get(uid)
        if before_s is None:
            self._last_s[uid] = at_s
        elif at_s > before_s:
            self.pace.gap(at_s - before_s)
            self._last_s[uid] = at_s
        insort(self._pending, (at_s, uid))

    def _is_stray(self, uid: str, rssi_dbm: float, resting: Set[str]) -> bool:
        """Whether a read is too weak for a tile that lies here; reads of those that do teach how strong they are."""
        own_dbm = self._own_dbm.get(uid, float("inf"))
        if uid not in resting:
            return rssi_dbm < min(self.pace.weak_below_dbm, own_dbm - WEAK_BY_DB)
        self.pace.strength(rssi_dbm)
        known = own_dbm < float("inf")
        self._own_dbm[uid] = own_dbm + (rssi_dbm - own_dbm) / OWN_READS if known else rssi_dbm
        return False

    def close(self, until_s: float, resting: Set[str], whole: bool) -> list[Round]:
        """The windows that are over by `until_s`; `whole`: nothing is missing of what the reader said since."""
        rounds: list[Round] = []
        if self._from_s == float("-inf"):
            return rounds
        if until_s - self._from_s > LONGEST_GAP_S:
            self._from_s = until_s - LONGEST_GAP_S
        while self._from_s + self.pace.window_s <= until_s:
            end_s = self._from_s + self.pace.window_s
            k = 0
            while k < len(self._pending) and self._pending[k][0] < end_s:
                k += 1
            heard = frozenset(uid for _, uid in self._pending[:k])
            del self._pending[:k]
            if resting and whole:
                self.pace.heard(len(heard & resting) / len(resting))
            self.pace.windows += 1
            trusted = self.pace.trusted
            rounds.append(Round(self._from_s, end_s, heard, whole and trusted, usual=whole and not trusted))
            self._from_s = end_s
        return rounds
