"""A stored hand under another profile: what would have been ruled, beside what was.

Owns the comparison. Stored events -> rules core -> **differences**. Refuses to know how a log is stored and how a
difference is shown. Window notices are left out: they are derived, and no ruling.
"""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from monitor.alerts import Alert, AlertState, Rule
from monitor.events import Event, Seat
from monitor.rules.court import Court
from monitor.rules.profile import Profile

SAME_MOMENT_S = 2.0
"""Two rulings of one rule and seat so near to each other are one (our choice: a correction moves a moment as much)."""


class Compared(Struct, frozen=True):
    """One ruling: as the log has it, and as this profile and these events make it; `None` where there is none."""

    rule: Rule
    seat: Seat | None
    then: Alert | None
    now: Alert | None

    @property
    def same(self) -> bool:
        """Whether nothing changes for anybody at the table."""
        if self.then is None or self.now is None:
            return False
        return (self.then.verdict, self.then.level, self.then.state) == (
            self.now.verdict,
            self.now.level,
            self.now.state,
        )


def rejudge(events: Iterable[Event], told: Iterable[Alert], profile: Profile) -> list[Compared]:
    """`events`: of one hand, in order of knowledge; `told`: its alert lines as they were stored. In order of time."""
    court = Court(profile)
    heard = [record for event in events for record in court.hear(event)] + court.conclude()
    now = list(_standing(record for record in heard if isinstance(record, Alert)))
    compared: list[Compared] = []
    for alert in _standing(told):
        twin = next((other for other in now if _is_twin(alert, other)), None)
        if twin is not None:
            now.remove(twin)
        compared.append(Compared(alert.rule, alert.seat, alert, twin))
    compared += [Compared(alert.rule, alert.seat, None, alert) for alert in now]
    return sorted(compared, key=_at)


def _standing(lines: Iterable[Alert]) -> Iterator[Alert]:
    """Each alert as its last line has it; what was taken back is none."""
    last: dict[str, Alert] = {}
    for line in lines:
        if line.rule not in (Rule.WINDOW_CLOSED, Rule.SENSOR_FAULT):
            last[line.id] = line
    return (alert for alert in last.values() if alert.state is not AlertState.WITHDRAWN)


def _is_twin(one: Alert, other: Alert) -> bool:
    return (one.rule, one.seat) == (other.rule, other.seat) and abs(one.at - other.at) <= SAME_MOMENT_S


def _at(compared: Compared) -> float:
    alert = compared.then or compared.now
    return 0.0 if alert is None else alert.at
