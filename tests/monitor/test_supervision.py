import asyncio

import pytest

from monitor import supervision
from monitor.supervision import supervised


async def test_a_part_that_fails_is_told_of_and_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "FIRST_PAUSE_S", 0.001)
    runs = 0
    notices: list[str | None] = []
    third = asyncio.Event()

    async def work() -> None:
        nonlocal runs
        runs += 1
        match runs:
            case 1:
                raise ValueError("bad day")
            case 2:
                return
            case _:
                third.set()
                await asyncio.Event().wait()

    task = asyncio.create_task(supervised("part", work, lambda about, text: notices.append(text)))
    await third.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert notices == [
        "part failed (ValueError: bad day), 1 times by now; trying again.",
        None,
        "part failed (it ended), 2 times by now; trying again.",
        None,
    ]
