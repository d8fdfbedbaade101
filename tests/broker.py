"""A real mosquitto for tests: own configuration, free loopback port, own folder, stopped and started at will.

    with Mosquitto(tmp_path) as broker:
        ... broker.host, broker.port ...
        broker.stop(); broker.start()     # keeps sessions and queues: persistence is on

Where Debian's mosquitto is not installed the test is skipped and says so, but for continuous integration (`CI=true`),
where that is a failure.
"""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

_START_TIMEOUT_S = 10.0
_STOP_TIMEOUT_S = 10.0


def mosquitto_path() -> str:
    """The broker's program; skips the test where there is none."""
    found = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if found is None:
        if os.environ.get("CI") == "true":
            pytest.fail("mosquitto is not installed (apt-get install mosquitto)")
        pytest.skip("mosquitto is not installed (apt-get install mosquitto)")
    return found


def free_port() -> int:
    """A TCP port on loopback that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Mosquitto:
    """One broker. `folder` holds its configuration, log and persistence; it survives `stop` and `start`."""

    host = "127.0.0.1"

    def __init__(
        self, folder: Path, *, users: dict[str, str] | None = None, extra: str = "", tls: bool = False
    ) -> None:
        """`users`: passwords by name; none: anyone may connect. `extra`: more lines of configuration. `tls`: encrypt,
        with a certificate made for this broker (`ca_file` is the authority to trust)."""
        self._program = mosquitto_path()
        self._folder = folder / "mosquitto"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._process: subprocess.Popen[bytes] | None = None
        self.port = free_port()
        lines = [
            f"listener {self.port} {self.host}",
            f"allow_anonymous {'false' if users else 'true'}",
            "persistence true",
            f"persistence_location {self._folder}/",
            "autosave_interval 1",
            "max_queued_messages 100000",
            "max_inflight_messages 100",
            f"log_dest file {self._folder / 'log'}",
            "log_type all",
            "user root",
        ]
        if tls:
            _make_certificates(self._folder)
            lines += [
                f"cafile {self.ca_file}",
                f"certfile {self._folder / 'server.crt'}",
                f"keyfile {self._folder / 'server.key'}",
            ]
        if users:
            passwords = self._folder / "passwords"
            passwords.write_text("".join(f"{name}:{password}\n" for name, password in users.items()))
            passwords.chmod(0o600)
            subprocess.run([shutil.which("mosquitto_passwd") or "mosquitto_passwd", "-U", str(passwords)], check=True)
            lines.append(f"password_file {passwords}")
        self._config = self._folder / "mosquitto.conf"
        self._config.write_text("\n".join([*lines, extra, ""]))

    @property
    def ca_file(self) -> str:
        """The authority that signed this broker's certificate."""
        return str(self._folder / "ca.crt")

    @property
    def log(self) -> str:
        """What the broker has logged so far."""
        path = self._folder / "log"
        return path.read_text() if path.exists() else ""

    def start(self) -> None:
        """Start, and return when it takes connections."""
        assert self._process is None, "the broker runs already"
        self._process = subprocess.Popen(
            [self._program, "-c", str(self._config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline_s = time.monotonic() + _START_TIMEOUT_S
        while True:
            try:
                socket.create_connection((self.host, self.port), timeout=1.0).close()
            except OSError:
                assert self._process.poll() is None, f"mosquitto ended: {self.log}"
                assert time.monotonic() < deadline_s, f"mosquitto does not listen: {self.log}"
                time.sleep(0.01)
            else:
                return

    def stop(self) -> None:
        """Ask it to end, which saves its sessions and queues; return when it has."""
        self._end(kill=False)

    def kill(self) -> None:
        """End it at once, saving nothing that is not saved already."""
        self._end(kill=True)

    def _end(self, *, kill: bool) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if kill:
            process.kill()
        else:
            process.terminate()
        process.wait(_STOP_TIMEOUT_S)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(kill=True)


def _make_certificates(folder: Path) -> None:
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed (apt-get install openssl)")

    def run(*arguments: str) -> None:
        subprocess.run([openssl, *arguments], check=True, capture_output=True, cwd=folder)

    (folder / "server.ext").write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    run("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-days", "2", "-subj", "/CN=test authority",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign")  # fmt: skip
    run("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=127.0.0.1")
    run("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial",
        "-out", "server.crt", "-days", "2", "-extfile", "server.ext")  # fmt: skip
