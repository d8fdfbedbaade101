"""A sheet is set in a process of its own, and what goes wrong there is one sentence here."""

import signal
from pathlib import Path

import pytest
from msgspec import Struct

from monitor.errors import UnsettableError
from monitor.typesetting import typeset as module
from monitor.typesetting.typeset import PDF_UA, typeset


class Sheet(Struct):
    words: str


READ = '#set document(title: "x")\n#let sheet = json(bytes(sys.inputs.sheet))\n= #sheet.words'


def test_equal_sheets_give_equal_bytes() -> None:
    made = typeset(READ, Sheet('#panic("no") $x$'))
    assert made.startswith(b"%PDF-")
    assert made == typeset(READ, Sheet('#panic("no") $x$'))


def test_what_typst_cannot_set_is_told_in_its_words() -> None:
    with pytest.raises(UnsettableError, match=r"cannot be set as PDF .*the first heading must be of level 1"):
        typeset(READ.replace("\n=", "\n=="), Sheet("x"))
    assert typeset(READ.replace("\n=", "\n=="), Sheet("x"), standard=None)
    assert PDF_UA == "ua-1"


def test_a_process_that_is_killed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "typesetter.py"
    program.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n")
    monkeypatch.setattr(module, "_PROGRAM", program)
    with pytest.raises(UnsettableError, match=f"ended by signal {signal.SIGKILL.value}"):
        typeset(READ, Sheet("x"))
