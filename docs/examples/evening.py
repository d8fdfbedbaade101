"""An evening from an event log, hand by hand: when, how long, the pace, the alerts. `python evening.py LOG`."""

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import pairwise

import monitor.log
from monitor.alerts import Alert, AlertState, Rule
from monitor.events import Corrected, Discarded, Event


def discards(events: Iterable[Event]) -> Sequence[float]:
    """When tiles were discarded, after all corrections: seconds on the monotonic clock of the run."""
    found: dict[int, float] = {}
    for event in events:
        match event:
            case Discarded():
                found[event.seq] = event.at
            case Corrected(new_kind="discarded"):
                found[event.seq] = event.at
            case Corrected() if found.pop(event.replaces, None) is not None:
                if not event.struck and event.new_kind is None:
                    found[event.seq] = event.at
    return sorted(found.values())


def standing(alerts: Iterable[Alert]) -> Counter[Rule]:
    """How many alerts of each rule were not withdrawn; the last line of an `id` counts."""
    latest = {alert.id: alert for alert in alerts}
    return Counter(alert.rule for alert in latest.values() if alert.state is not AlertState.WITHDRAWN)


def main(path: str) -> None:
    """Print a line a hand."""
    with monitor.log.open(path) as log:
        for span in log.hands():
            told = [row.record for row in log.told(table=span.table, hand=span.hand)]
            at = discards(record for record in told if not isinstance(record, Alert))
            alerts = standing(record for record in told if isinstance(record, Alert))
            began = datetime.fromtimestamp(span.first_utc_us / 1e6, UTC)
            minutes = (span.last_utc_us - span.first_utc_us) / 60e6
            gaps = [late - early for early, late in pairwise(at)]
            pace = f"{sum(gaps) / len(gaps):.1f} s a discard" if gaps else "no pace"
            found = ", ".join(f"{count} {rule}" for rule, count in alerts.items()) or "no alerts"
            print(f"{span.table} hand {span.hand}: {began:%H:%M} UTC, {minutes:.1f} min, {len(at)} discards, ", end="")
            print(f"{pace}, {found}")


if __name__ == "__main__":
    main(sys.argv[1])
