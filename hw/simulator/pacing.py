"""An evening in real time: when each message is due, and what a node's clock shows at a moment of it.

Owns the two times of a live run (`table_s`, seconds of the evening, and the event loop's) and the way between them. No
I/O; time is passed in. evening -> **pacing** -> live_serial, live_mqtt.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.messages import TICKS_MODULUS, Readings
from hw.simulator.evening import Life
from hw.simulator.node import Boot, Outgoing

_RESTART_TICKS = 250_000
"""What a clock shows when the firmware first reads it after a restart (our choice)."""
_RESTART_NONCE = 10_000
"""Boots that a live run adds are numbered from here, apart from those of the evening."""


class Pacing(Struct, frozen=True, kw_only=True):
    """How fast an evening passes and where it is joined.

    With `own_clocks` the nodes' clocks keep the wall's time whatever `speed` is: a monitor on a true clock sees a
    faster hand of true nodes. Without, they keep the evening's: for a monitor whose own clock is sped up alike.
    """

    speed: float = 1.0
    start_s: float = 0.0
    own_clocks: bool = True

    def due_s(self, table_s: float, began_s: float) -> float:
        """When, on the loop's clock, a moment of the evening comes, the run having begun at `began_s`."""
        return began_s + (table_s - self.start_s) / self.speed

    def table_s(self, now_s: float, began_s: float) -> float:
        """Which moment of the evening it is."""
        return self.start_s + (now_s - began_s) * self.speed


class LiveNode:
    """One node of a live run: its messages with the clock, boot and count that it has in this run."""

    def __init__(self, life: Life, pacing: Pacing) -> None:
        self.life = life
        self._slow = 1.0 / pacing.speed if pacing.own_clocks else 1.0
        self._restarts = 0
        self._restarted_s = 0.0
        self._seq = 0

    @property
    def _as_recorded(self) -> bool:
        return self._slow == 1.0 and not self._restarts

    def restart(self, table_s: float) -> None:
        """The node loses its power and begins anew: another boot, its clock and its count from the start."""
        self._restarts += 1
        self._restarted_s = table_s
        self._seq = 0

    def ticks(self, table_s: float) -> int:
        """What the node's clock shows now."""
        boot = self._boot_at(table_s)
        return self._shown(boot, boot.run(table_s))

    def relived(self, message: Outgoing) -> Outgoing | None:
        """The message as this run has it; `None` where it was made before the node's restart."""
        readings = message.readings
        boot = self.life.boot(readings.boot) if readings is not None else None
        if readings is None or boot is None or self._as_recorded:
            return message
        if self._restarts and message.sent_s < self._restarted_s:
            return None
        self._seq += 1
        now = boot.run(message.sent_s)

        def shown(ticks: int) -> int:
            return self._shown(boot, now - (readings.ticks - ticks) % TICKS_MODULUS)

        return replace(message, readings=self._redated(readings, shown(readings.ticks), shown))

    def _redated(self, readings: Readings, ticks: int, shown: Callable[[int], int]) -> Readings:
        return replace(
            readings,
            boot=_RESTART_NONCE + self._restarts if self._restarts else readings.boot,
            seq=self._seq if self._restarts else readings.seq,
            ticks=ticks,
            weight=tuple(replace(row, ticks=shown(row.ticks)) for row in readings.weight),
            inventory=tuple(replace(row, ticks=shown(row.ticks)) for row in readings.inventory),
            reads=tuple(replace(row, ticks=shown(row.ticks)) for row in readings.reads),
            button=tuple(replace(row, ticks=shown(row.ticks)) for row in readings.button),
        )

    def _boot_at(self, table_s: float) -> Boot:
        boots = self.life.boots
        return next((boot for boot in reversed(boots) if boot.from_s <= table_s), boots[0])

    def _shown(self, boot: Boot, run: int) -> int:
        if self._restarts:
            since = run - boot.run(self._restarted_s)
            return (_RESTART_TICKS + round(since * self._slow)) % TICKS_MODULUS
        return (boot.ticks_at_from + round(run * self._slow)) % TICKS_MODULUS
