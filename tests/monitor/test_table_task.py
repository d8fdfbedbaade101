import asyncio
from collections.abc import Callable, Sequence

import pytest

from firmware_bridge.arrival import Arrival
from firmware_bridge.messages import Input, InputName
from hw.calibration import TableSetup
from monitor.events import NewHand, Tick
from monitor.table import NONE_YET, Numbers, Record, Table
from monitor.table_task import ON_THE_WAY_S, QUEUE_ARRIVALS, TableTask


def arrival(at_s: float, by: str = "") -> Arrival:
    return Arrival(at_s, "T1", None, Input(input=InputName.NEW_HAND, by=by))


class Echo(Table):
    """Answers every arrival with an event, every passing of time with a tick; fails when told to."""

    def __init__(self, last: Numbers) -> None:
        super().__init__(TableSetup("T1"), last=last)

    def feed(self, arrival: Arrival) -> list[Record]:
        assert isinstance(arrival.message, Input)
        if arrival.message.by == "fail":
            raise ZeroDivisionError
        return [NewHand(at=arrival.at_s)]

    def advance(self, now_s: float) -> list[Record]:
        return [Tick(at=now_s)]


class Setting:
    def __init__(self, make: Callable[[Numbers], Table] = Echo, last: Numbers = NONE_YET) -> None:
        self.records: list[Record] = []
        self.notices: list[tuple[str, str | None]] = []
        self.now_s = 0.0
        self.reached = asyncio.Event()
        self.wanted = 0
        self.task = TableTask(
            "T1", make, self.append, lambda: self.now_s, lambda about, text: self.notices.append((about, text)), last
        )

    async def append(self, table: str, batch: Sequence[Record]) -> None:
        assert table == "T1"
        self.records += batch
        if len(self.records) >= self.wanted:
            self.reached.set()


async def test_time_passes_with_arrivals_once_a_moment_and_never_back() -> None:
    setting = Setting()
    for at_s in (5.0, 4.0, 6.0):
        setting.task.offer(arrival(at_s))
    setting.now_s = 7.0
    setting.task.stop()
    await setting.task.run()
    assert [record.at for record in setting.records] == [5.0, 5.0, 4.0, 6.0, 6.0, 7.0]


async def test_time_passes_when_nothing_arrives() -> None:
    setting = Setting()
    setting.wanted, setting.now_s = 2, 3.0
    async with asyncio.TaskGroup() as group:
        running = group.create_task(setting.task.run())
        await setting.reached.wait()
        running.cancel()
    assert all(isinstance(record, Tick) and record.at == 3.0 - ON_THE_WAY_S for record in setting.records)


async def test_a_table_that_fails_starts_anew_and_says_so() -> None:
    setting = Setting()
    setting.task.offer(arrival(1.0))
    setting.task.offer(arrival(2.0, by="fail"))
    setting.task.offer(arrival(3.0))
    setting.task.stop()
    await setting.task.run()
    assert [record.at for record in setting.records if isinstance(record, NewHand)] == [1.0, 3.0]
    assert setting.task.failures == 1


async def test_a_table_that_starts_anew_goes_on_with_its_numbers() -> None:
    made: list[Numbers] = []

    class Numbered(Echo):
        def __init__(self, last: Numbers) -> None:
            super().__init__(last)
            made.append(last)

        @property
        def last(self) -> Numbers:
            return Numbers(17, 3)

    setting = Setting(Numbered, Numbers(5, 1))
    setting.task.offer(arrival(1.0, by="fail"))
    setting.task.stop()
    await setting.task.run()
    assert made == [Numbers(5, 1), Numbers(17, 3)]
    assert setting.notices[0][0] == "T1"
    assert "starts anew" in str(setting.notices[0][1])


@pytest.mark.parametrize("extra", [1, 5])
async def test_a_full_queue_drops_counts_and_tells(extra: int) -> None:
    setting = Setting()
    for number in range(QUEUE_ARRIVALS + extra):
        setting.task.offer(arrival(float(number)))
    assert setting.task.dropped == extra
    assert f"{extra} messages dropped" in str(setting.notices[-1][1])
