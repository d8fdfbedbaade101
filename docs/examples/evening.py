"""An evening from an event log, hand by hand: when, how long, the pace, the alerts. `python evening.py LOG`."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise

import monitor.log
from monitor.alerts import Alert, AlertState
from monitor.events import Corrected, Discarded, Event
from monitor.log import Part, Stream


def discards(events: Iterable[Event]) -> Sequence[float]:
    """When tiles were discarded, after all corrections: seconds on the monotonic clock of the run."""
    found: dict[int, float] = {}
    for event in events:
        match event:
            case Discarded() | Corrected(new_kind="discarded"):
                found[event.seq] = event.at
            case Corrected() if found.pop(event.replaces, None) is not None:
                if not event.struck and event.new_kind is None:
                    found[event.seq] = event.at  # a further correction names this one
    return sorted(found.values())


def main(path: str) -> None:
    """Print a line a hand."""
    with monitor.log.open(path) as log:
        runs = log.runs()
        alerts: dict[str, Alert] = {}
        raised_in: dict[str, tuple[str, int]] = {}
        for row in log.told(Part(stream=Stream.ALERT)):
            if isinstance(row.record, Alert):
                alerts[row.record.id] = row.record  # the last line of an id counts
                raised_in.setdefault(row.record.id, (row.table, row.hand))
        for span in log.hands():
            rows = list(log.told(Part(table=span.table, hand=span.hand, stream=Stream.EVENT)))
            if not rows:
                continue
            moments = [runs[row.run].utc_s(row.record.at) for row in rows]
            at = discards(row.record for row in rows if not isinstance(row.record, Alert))
            gaps = [late - early for early, late in pairwise(at)]
            pace = f"{sum(gaps) / len(gaps):.1f} s a discard" if gaps else "no pace"
            here = [alerts[name] for name, hand in raised_in.items() if hand == (span.table, span.hand)]
            standing = Counter(alert.rule for alert in here if alert.state is not AlertState.WITHDRAWN)
            told = ", ".join(f"{count} {rule}" for rule, count in standing.items()) or "no alerts"
            began = f"{datetime.fromtimestamp(min(moments), UTC):%H:%M} UTC"
            minutes = f"{(max(moments) - min(moments)) / 60:.1f} min"
            print(f"{span.table} hand {span.hand}: {began}, {minutes}, {len(at)} discards, {pace}, {told}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "rackwatch.sqlite")
