"""The whole daemon as a process of its own, on a clock that runs faster than life: something to be killed.

`python -m tests.e2e.fast_daemon SETTINGS SPEED BEGAN_S`: at BEGAN_S, on the machine's monotonic clock, both agree. So
each start goes on in the time of the one before. Prints `ready` once everything is open; ends with who started it.
"""

import asyncio
import os
import sys
import time
from pathlib import Path

from monitor.cli._console import set_up_log
from monitor.cli._running import run_until_stopped
from monitor.daemon import Daemon
from monitor.settings_file import load_settings


def main(settings: str, speed: float, began_s: float) -> None:
    """Watch until SIGTERM."""

    def clock() -> float:
        return began_s + (time.monotonic() - began_s) * speed

    async def end_with(parent: int) -> None:
        while os.getppid() == parent:  # noqa: ASYNC110  # the system has no event for it
            await asyncio.sleep(1.0)
        os._exit(1)

    async def work(stop: asyncio.Event) -> None:
        watching = asyncio.create_task(end_with(os.getppid()))
        daemon = Daemon(load_settings(Path(settings)), clock=clock)
        await daemon.run(stop, lambda: print("ready", flush=True))
        watching.cancel()

    set_up_log()
    run_until_stopped(work)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]), float(sys.argv[3]))
