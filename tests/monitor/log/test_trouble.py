"""A disk that is full, a folder that may not be written, a read-only medium: said plainly, and nothing that was told is
lost."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from monitor.errors import LogError, LogInUseError
from monitor.events import CountChanged, HandStarted
from monitor.log.reader import open_log, read_log
from monitor.log.scribe import Logged
from monitor.log.store import EventLog
from monitor.log.verifying import verify


@contextmanager
def mounted(folder: Path, *options: str) -> Iterator[Path]:
    """A file system in memory; only root can mount one."""
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", *options, "tmpfs", str(folder)]
    if subprocess.run(words, capture_output=True, check=False).returncode != 0:
        pytest.skip("no file system can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    with mounted(tmp_path / "disk", "-o", "size=1m") as folder:
        yield folder


def filled(disk: Path) -> Path:
    """A file of somebody else's that leaves no space on a disk."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(b"x" * 4096):
            pass
    return ballast


async def write(path: Path) -> None:
    log = await EventLog.open(path, "test")
    task = asyncio.create_task(log.run(lambda _group: None))
    await log.append("T1", [HandStarted(at=0.0, seq=1)])
    await log.drain()
    task.cancel()
    await log.close()


async def test_a_start_on_a_full_disk_is_refused_and_leaves_no_half_key(small_disk: Path) -> None:
    path = small_disk / "log.sqlite"
    ballast = filled(small_disk)
    with pytest.raises(LogError, match=r"key cannot be read or made \(No space left on device\)"):
        await EventLog.open(path, "test")
    ballast.unlink()
    await write(path)
    with open_log(path) as opened:
        assert verify(opened).flaw is None


async def test_neither_is_a_log_that_is_there_opened_on_a_full_disk(small_disk: Path) -> None:
    path = small_disk / "log.sqlite"
    await write(path)
    ballast = filled(small_disk)
    for opening in (EventLog.open(path, "test"), asyncio.to_thread(open_log, path)):
        with pytest.raises(LogError, match="Its disk is full: free some space"):
            await opening
    ballast.unlink()
    await write(path)
    assert len(list(read_log(path))) == 2


async def test_a_full_disk_holds_back_and_loses_nothing_that_was_told(small_disk: Path) -> None:
    path = small_disk / "log.sqlite"
    log = await EventLog.open(path, "test")
    told: list[Logged] = []
    warnings: list[str | None] = []
    warned = asyncio.Event()

    def warn(reason: str | None) -> None:
        warnings.append(reason)
        warned.set()

    task = asyncio.create_task(log.run(told.extend, warn))
    await log.append("T1", [HandStarted(at=0.0, seq=1)])
    await log.drain()
    ballast = filled(small_disk)
    batch = [CountChanged(at=float(n), count=None, reason="x" * 500, seq=n + 2) for n in range(200)]
    await log.append("T1", batch)
    await asyncio.wait_for(warned.wait(), 60)
    assert warnings[0] is not None
    assert "full" in warnings[0] or "disk I/O" in warnings[0]
    held_back = len(told)
    with open_log(path) as opened:
        assert opened.count() >= held_back
    ballast.unlink()
    await asyncio.wait_for(log.drain(), 60)
    assert warnings[-1] is None
    task.cancel()
    await log.close()
    assert [each.seq for each in read_log(path)] == [one.seq for one in told] == list(range(1, 202))
    with open_log(path) as opened:
        assert verify(opened).flaw is None


def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    with mounted(tmp_path / "sealed", "-o", "ro") as folder, pytest.raises(LogError, match="folder cannot be written"):
        asyncio.run(EventLog.open(folder / "log.sqlite", "test"))


async def test_a_second_writer_by_another_link_is_kept_out_and_finds_the_same_key(tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    link, path = tmp_path / "log.sqlite", tmp_path / "disk" / "log.sqlite"
    link.symlink_to(path)
    await write(path)
    log = await EventLog.open(path, "test")
    with pytest.raises(LogInUseError):
        await EventLog.open(link, "test")
    await log.close()
    await write(link)
    assert not link.with_name("log.sqlite.key").exists()
    with open_log(link) as opened:
        assert verify(opened).flaw is None


def test_what_cannot_be_a_log_is_told_and_nothing_else(tmp_path: Path) -> None:
    """No thread of the driver is left to complain on the terminal."""
    program = (
        "import asyncio, sys; from monitor.log.store import EventLog; asyncio.run(EventLog.open(sys.argv[1], 'test'))"
    )
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "absent" / "log.sqlite")
    for place in (tmp_path / "folder", tmp_path / "link"):
        done = subprocess.run([sys.executable, "-c", program, place], capture_output=True, text=True, check=False)
        assert "Exception in thread" not in done.stderr
        assert "LogError: event log" in done.stderr.splitlines()[-1]
        assert "cannot be" in done.stderr.splitlines()[-1]


async def test_a_key_that_a_link_leads_to_is_not_replaced_while_it_is_away(tmp_path: Path) -> None:
    (tmp_path / "log.sqlite.key").symlink_to(tmp_path / "stick" / "key")
    with pytest.raises(LogError, match="leads to nowhere"):
        await EventLog.open(tmp_path / "log.sqlite", "test")
    assert (tmp_path / "log.sqlite.key").is_symlink()


def test_a_log_on_a_medium_that_cannot_be_written_is_read(tmp_path: Path) -> None:
    """As on a stick that a director was handed: nothing is left beside it."""
    source = tmp_path / "a log? #1%.sqlite"
    asyncio.run(write(source))
    with mounted(tmp_path / "stick") as stick:
        copied = stick / source.name
        copied.write_bytes(source.read_bytes())
        subprocess.run(["mount", "-o", "remount,ro", str(stick)], check=True)
        with open_log(copied) as opened:
            assert opened.count() == 1
            assert verify(opened).flaw is None
        assert [each.name for each in stick.iterdir()] == [source.name]


async def test_a_log_that_is_moved_under_the_monitor_tells_nothing_until_it_is_back(tmp_path: Path) -> None:
    """SQLite goes on writing into a file that has no name any more."""
    path, told, warned = tmp_path / "log.sqlite", asyncio.Queue[Logged](), asyncio.Queue[str | None]()

    def tell(group: Sequence[Logged]) -> None:
        for logged in group:
            told.put_nowait(logged)

    log = await EventLog.open(path, "test")
    task = asyncio.create_task(log.run(tell, warned.put_nowait))
    await log.append("T1", [HandStarted(at=0.0, seq=1)])
    assert (await told.get()).seq == 1
    path.rename(tmp_path / "elsewhere.sqlite")
    await log.append("T1", [HandStarted(at=1.0, seq=2)])
    assert "moved or removed" in str(await warned.get())
    assert told.empty()
    (tmp_path / "elsewhere.sqlite").rename(path)
    assert (await told.get()).seq == 2
    assert await warned.get() is None
    await log.drain()
    task.cancel()
    await log.close()
    with open_log(path) as opened:
        assert opened.count() == 2
        assert verify(opened).flaw is None


async def test_a_log_that_stays_away_is_an_error_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    log = await EventLog.open(path, "test")
    path.unlink()
    task = asyncio.create_task(log.run(lambda _group: None))
    await log.append("T1", [HandStarted(at=0.0, seq=1)])
    drained = asyncio.create_task(log.drain(closing=True))
    with pytest.raises(LogError, match=r"1 record is lost.*moved or removed meanwhile"):
        await task
    drained.cancel()
    await log.close()
