"""Has a sheet set as PDF by `typesetter`, in a process that ends with it.

Owns the process and what is said when it fails. What stands in a log reaches the template as JSON and is set as text,
never as markup.
"""

import subprocess
import sys
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from monitor.errors import UnsettableError

PDF_UA: Final = "ua-1"
"""PDF/UA-1: what a screen reader can follow. It begins with a heading of the first level, so a later part is none."""
_PROGRAM: Final = Path(__file__).with_name("typesetter.py")


class Fonts(Enum):
    """`OWN`: Typst's own, so that every machine sets the same; `ALL`: for letters they lack, those of this machine."""

    OWN = "own"
    ALL = "all"


class _Job(Struct, frozen=True):
    template: str
    inputs: dict[str, str]
    standards: list[str]
    own_fonts_only: bool
    made_s: int


def typeset(
    template: str, sheet: Struct, *, standard: str | None = PDF_UA, fonts: Fonts = Fonts.OWN, made_s: int = 0
) -> bytes:
    """The sheet as PDF; the template finds it as JSON in `sys.inputs.sheet`. Equal sheets give equal bytes.

    `made_s`: the date that stands in the file, in seconds since 1970. Raises `UnsettableError`.
    """
    inputs = {"sheet": msgspec.json.encode(sheet).decode()}
    job = _Job(template, inputs, [] if standard is None else [standard], fonts is Fonts.OWN, made_s)
    program = [sys.executable, "-P", str(_PROGRAM)]
    done = subprocess.run(program, input=msgspec.json.encode(job), capture_output=True, check=False)  # noqa: S603
    match done.returncode:
        case 0:
            return done.stdout
        case 1:
            raise UnsettableError(done.stderr.decode(errors="replace").splitlines()[-1] if done.stderr else "no reason")
        case code:
            raise UnsettableError(f"the typesetter was ended by signal {-code}" if code < 0 else f"exit code {code}")
