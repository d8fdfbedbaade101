"""What commands about event logs share: how a log is named, and moments as people write them."""

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from monitor.log.place import LogPlace

_FIRST_YEAR = 2000

LogArgument = Annotated[
    str,
    typer.Argument(help="Event log: an SQLite file, a postgresql:// URL, or a monitor's settings file.", metavar="LOG"),
]


def place_of(text: str) -> "LogPlace":
    """The log that is meant. Raises `MonitorError`."""
    if text.endswith(".toml"):
        from monitor.settings_file import load_settings

        return load_settings(Path(text)).log_place()
    from monitor.log.place import log_place

    return log_place(text)


def parse_day(text: str) -> datetime:
    """The beginning of a day (`2026-11-29`) here, or a moment in ISO 8601. Raises `typer.BadParameter`."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as problem:
        raise typer.BadParameter(
            f"{text!r} is no date such as 2026-11-29 and no time such as 2026-11-29T19:30"
        ) from problem
    if moment.year < _FIRST_YEAR:
        raise typer.BadParameter(f"{text!r} is from before there were such logs")
    return moment.astimezone(UTC)


def checked(option: str, text: str, longest: int) -> str:
    """What a person says in a note, as it may stand there. Raises `typer.BadParameter`."""
    said = " ".join(text.split())
    try:
        said.encode()
    except UnicodeEncodeError as problem:
        raise typer.BadParameter(f"{option}: {text!r} is no text") from problem
    if not said or len(said) > longest or not said.isprintable():
        raise typer.BadParameter(f"{option}: say it in 1 to {longest} printable characters")
    return said
