"""The `rackwatch` command: one file a subcommand, each importing what it needs only when it runs.

Owns arguments, exit codes and what is printed; everything else is done by the packages below. Exit codes: 0 done,
1 something that was checked is wrong, 2 unusable arguments, settings or files.
"""

import signal
import sys
import threading
from typing import Annotated

import typer

from firmware_bridge.errors import FirmwareBridgeError
from monitor.cli import (
    access,
    amend,
    calibrate,
    check,
    demo,
    enrol,
    explain,
    export,
    judge,
    purge,
    record,
    rejudge,
    replay,
    report,
    run,
    simulate,
    verify,
)
from monitor.errors import MonitorError

app = typer.Typer(
    name="rackwatch",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _say_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(f"rackwatch {version('rackwatch')}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Watch American Mah Jongg tables through their racks and advise the director under Articles 205 and 107."""


app.command("demo")(demo.command)
app.command("check")(check.command)
app.command("calibrate")(calibrate.command)
app.command("enrol")(enrol.command)
app.command("run")(run.command)
app.command("record")(record.command)
app.command("replay")(replay.command)
app.command("judge")(judge.command)
app.command("explain")(explain.command)
app.command("export")(export.command)
app.command("verify")(verify.command)
app.command("rejudge")(rejudge.command)
app.command("amend")(amend.command)
app.command("purge")(purge.command)
app.add_typer(report.app, name="report")
app.add_typer(access.app, name="access")
app.command("simulate")(simulate.command)


def main() -> None:
    """Entry point: a `MonitorError` is one line on stderr and exit code 2, Ctrl-C is 130 without a traceback.

    SIGTERM ends a command like any failure, so that what it has half written is cleared away.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, _end)
    try:
        app()
    except (MonitorError, FirmwareBridgeError) as problem:
        _say(str(problem))
        sys.exit(2)
    except UnicodeEncodeError as problem:
        _say(f"{problem.object[problem.start : problem.end]!r} is no text: say it in letters of UTF-8")
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)


def _end(_signal: int, _frame: object) -> None:
    sys.exit(128 + signal.SIGTERM)


def _say(problem: str) -> None:
    """What a log or a recording says may be in it, and is none of this terminal's commands."""
    from monitor.cli._words import printable

    shown = "\n".join(map(printable, problem.split("\n")))
    print(f"rackwatch: {shown}", file=sys.stderr)  # noqa: T201
