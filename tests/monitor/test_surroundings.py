import os
import pty
from pathlib import Path

import pytest

from monitor.access.book import Book, Person
from monitor.access.file import AccessFile
from monitor.access.roles import Role
from monitor.errors import PortInUseError
from monitor.log.keys import LogKey
from monitor.log.lock import WriterLock
from monitor.log.store import EventLog
from monitor.settings_file import load_settings
from monitor.surroundings import Finding, look_around, look_at_files
from monitor.web.server import listen
from tests.broker import Mosquitto, free_port

TABLE = """\
[[tables]]
name = "T1"
[tables.calibration."east.rack"]
counts_per_g = 400
zero_counts = 1000
tile_g = 12
"""


DORA = Person(name="Dora", role=Role.DIRECTOR, password="$argon2id$x")


async def look(folder: Path, settings: str) -> dict[str, Finding]:
    path = folder / "club.toml"
    path.write_text(settings)
    file = load_settings(path)
    found = [*look_at_files(file), *[finding async for finding in look_around(file)]]
    assert all(finding.well or finding.mend for finding in found), "what is wrong comes with what to do"
    return {finding.what: finding for finding in found}


async def test_all_is_well(tmp_path: Path) -> None:
    near, far = pty.openpty()
    serial = f'[[serial]]\ntable = "T1"\nplace = "east"\nport = "{os.ttyname(far)}"\n'
    found = await look(tmp_path, TABLE + serial + "[web]\nport = 0\n[recording]\nfolder = 'r'\n")
    os.close(near)
    os.close(far)
    assert {name for name, finding in found.items() if finding.well} == {
        "table T1",
        "event log",
        "access",
        "recordings",
        "T1 east",
        "page",
    }
    assert "1 load cells" in found["table T1"].words


async def test_a_table_without_a_set_up_cannot_count(tmp_path: Path) -> None:
    found = await look(tmp_path, '[[tables]]\nname = "T1"\n[web]\nenabled = false\n')
    assert "nothing can be counted" in found["table T1"].words


async def test_a_profile_or_set_up_that_cannot_be_used(tmp_path: Path) -> None:
    found = await look(tmp_path, '[[tables]]\nname = "T1"\nprofile = "p.toml"\n[web]\nenabled = false\n')
    assert "p.toml: cannot be read" in found["table T1"].words


async def test_ports_that_are_not_there(tmp_path: Path) -> None:
    settings = (
        TABLE
        + '[[serial]]\ntable = "T1"\nplace = "east"\nport = "absent*"\n'
        + '[[serial]]\ntable = "T1"\nplace = "west"\nusb_serial = "NOBODY"\n[web]\nenabled = false\n'
    )
    found = await look(tmp_path, settings)
    assert "absent*" in found["T1 east"].words
    assert "serial number NOBODY" in found["T1 west"].words
    assert "Plugged in now" in found["T1 west"].mend


async def test_a_log_that_another_monitor_writes_or_that_is_none(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path / "rackwatch.sqlite")
    found = await look(tmp_path, TABLE + "[web]\nenabled = false\n")
    assert f"process {os.getpid()} writes to it" in found["event log"].words
    lock.release()
    (tmp_path / "rackwatch.sqlite").write_bytes(b"x" * 5000)
    found = await look(tmp_path, TABLE + "[web]\nenabled = false\n")
    assert "not a database" in found["event log"].words


def everything_in(folder: Path) -> dict[str, tuple[int, bytes]]:
    return {path.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir() if path.is_file()}


async def test_nothing_is_made_or_changed(tmp_path: Path) -> None:
    settings = TABLE + "[web]\nenabled = false\n"
    await look(tmp_path, settings)
    assert set(everything_in(tmp_path)) == {"club.toml"}
    log = await EventLog.open(tmp_path / "rackwatch.sqlite", "test")
    while_written = everything_in(tmp_path)
    (tmp_path / "club.toml").unlink()
    found = await look(tmp_path, settings)
    assert f"process {os.getpid()} writes to it" in found["event log"].words
    assert {name: held for name, held in everything_in(tmp_path).items() if name != "club.toml"} == {
        name: held for name, held in while_written.items() if name != "club.toml"
    }
    await log.close()
    (tmp_path / "rackwatch.sqlite.lock").unlink()
    before = everything_in(tmp_path)
    (tmp_path / "club.toml").unlink()
    assert (await look(tmp_path, settings))["event log"].well
    assert set(everything_in(tmp_path)) == set(before) == {"club.toml", "rackwatch.sqlite", "rackwatch.sqlite.key"}
    assert everything_in(tmp_path)["rackwatch.sqlite"] == before["rackwatch.sqlite"]


async def test_ports_that_are_no_boards(tmp_path: Path) -> None:
    """A simulated one, one that a killed simulator left behind, and a file."""
    near, far = pty.openpty()
    (tmp_path / "t1-east").symlink_to(os.ttyname(far))
    (tmp_path / "t1-south").symlink_to("/dev/pts/99999")
    (tmp_path / "t1-west").write_text("")
    lines = "".join(
        f'[[serial]]\ntable = "T1"\nplace = "{place}"\nport = "t1-{place}"\n'
        for place in ("east", "south", "west", "north")
    )
    found = await look(tmp_path, TABLE + lines + "[web]\nenabled = false\n")
    assert found["T1 east"].well
    assert f"a pseudo-terminal ({os.ttyname(far)})" in found["T1 east"].words
    assert found["T1 south"].words == f"{tmp_path}/t1-south leads to /dev/pts/99999, which is gone"
    assert found["T1 west"].words == f"{tmp_path}/t1-west is no serial port"
    assert found["T1 north"].words == f"nothing at {tmp_path}/t1-north"
    assert "rackwatch simulate runs" in found["T1 south"].mend
    assert "rackwatch simulate runs" in found["T1 north"].mend
    os.close(near)
    os.close(far)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("none.pem", "the certificate authority's file {path} cannot be read: no such file or directory"),
        (".", "the certificate authority's file {folder} cannot be read: is a directory"),
        ("club.toml", "{path} holds no certificate."),
    ],
)
async def test_an_authority_that_cannot_be_used(tmp_path: Path, name: str, says: str) -> None:
    broker = f'[mqtt]\nhost = "127.0.0.1"\ntls = true\nca_file = "{name}"\n'
    found = await look(tmp_path, TABLE + broker + "[web]\nenabled = false\n")
    assert says.format(path=tmp_path / name, folder=tmp_path) in found["broker"].words


async def test_a_key_that_others_may_read(tmp_path: Path) -> None:
    key = tmp_path / "rackwatch.sqlite.key"
    LogKey.fresh().keep(key)
    assert (await look(tmp_path, TABLE + "[web]\nenabled = false\n"))["event log"].well
    key.chmod(0o640)
    found = await look(tmp_path, TABLE + "[web]\nenabled = false\n")
    assert (found["event log"].well, found["event log"].mend) == (False, f"chmod 600 {key}")


@pytest.mark.parametrize(
    ("book", "host", "well", "says"),
    [
        (None, "127.0.0.1", True, "for this machine alone"),
        (None, "0.0.0.0", False, "make a director with rackwatch access add"),
        (Book(), "127.0.0.1", False, "make a director with rackwatch access add"),
        (Book(people=(DORA,)), "127.0.0.1", True, "for those who sign in, on this machine too"),
        (Book(people=(DORA,)), "0.0.0.0", True, "passwords cross the network as they are (no https)"),
        (b"{", "127.0.0.1", False, "nobody is let in"),
    ],
)
async def test_who_sees_the_directors_pages(
    tmp_path: Path, book: Book | bytes | None, host: str, *, well: bool, says: str
) -> None:
    path = tmp_path / "access.json"
    if isinstance(book, Book):
        AccessFile(path).write(book)
    elif book is not None:
        path.write_bytes(book)
        path.chmod(0o600)
    found = (await look(tmp_path, TABLE + f'[web]\nhost = "{host}"\nport = 0\n'))["access"]
    assert found.well is well
    assert says in found.words
    if book is not None:
        path.chmod(0o640)
        open_to_others = (await look(tmp_path, TABLE + "[web]\nport = 0\n"))["access"]
        assert not open_to_others.well
        assert "chmod 600" in open_to_others.mend


async def test_a_page_whose_port_is_taken(tmp_path: Path) -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortInUseError):
            listen("127.0.0.1", port)
        found = await look(tmp_path, TABLE + f"[web]\nport = {port}\n")
    assert "cannot listen" in found["page"].words


async def test_a_broker_that_does_not_answer(tmp_path: Path) -> None:
    found = await look(tmp_path, TABLE + f'[mqtt]\nhost = "127.0.0.1"\nport = {free_port()}\n[web]\nenabled = false\n')
    assert "does not answer" in found["broker"].words


@pytest.mark.broker
async def test_a_broker_that_answers_and_one_that_refuses(tmp_path: Path) -> None:
    with Mosquitto(tmp_path, users={"rackwatch": "right"}) as broker:
        where = f'[mqtt]\nhost = "{broker.host}"\nport = {broker.port}\nuser = "rackwatch"\npassword_file = "pw"\n'
        (tmp_path / "pw").write_text("right")
        found = await look(tmp_path, TABLE + where + "[web]\nenabled = false\n")
        assert found["broker"].well
        (tmp_path / "pw").write_text("wrong")
        found = await look(tmp_path, TABLE + where + "[web]\nenabled = false\n")
        assert "refuses us" in found["broker"].words
        assert "password" in found["broker"].mend


async def test_what_the_recordings_hold_and_may_hold(tmp_path: Path) -> None:
    quiet = TABLE + "[web]\nenabled = false\n[recording]\nfolder = 'r'\n"
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "2026-11-30T19-02-11Z-part-1-run-7.recording.jsonl.gz").write_bytes(bytes(3 << 20))
    (tmp_path / "r" / "evening.jsonl.gz").write_bytes(bytes(1 << 20))
    found = await look(tmp_path, quiet + "total_mb = 600\n")
    assert found["recordings"].well
    assert "1 recordings, 3 MB of at most 600 MB" in found["recordings"].words
    found = await look(tmp_path, quiet + "total_mb = 100000000\n")
    assert "recording pauses then" in found["recordings"].words
    assert "no limit" in (await look(tmp_path, quiet + "total_mb = 0\n"))["recordings"].words


async def test_a_file_where_the_recordings_should_be(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(b"")
    found = await look(tmp_path, TABLE + "[web]\nenabled = false\n[recording]\nfolder = 'r'\n")
    assert "is no folder" in found["recordings"].words
