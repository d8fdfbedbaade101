"""The table is the unit: arrivals and time in, events and alerts out. Pure: reads no clock and does no I/O."""

from firmware_bridge.arrival import Arrival
from hw.calibration import TableSetup
from monitor.alerts import Alert
from monitor.events import Event

Record = Event | Alert


class Table:
    """One table from arrivals to rulings. Live run, replay, tests and benchmark use this same object."""

    def __init__(self, setup: TableSetup) -> None:
        self._setup = setup

    def feed(self, arrival: Arrival) -> list[Record]:
        """Take one arrival (in order of `at_s`); return the records it brings, numbered, in order of knowledge."""
        del arrival
        return []

    def advance(self, now_s: float) -> list[Record]:
        """Let time pass to `now_s`; return what silence alone brings."""
        del now_s
        return []
