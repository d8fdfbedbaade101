"""The formats of an export and the sizes of paper, by the names that a command line has for them."""

from enum import StrEnum


class Format(StrEnum):
    """What an export is written as."""

    JSON_LINES = "jsonl"
    CSV = "csv"
    XLSX = "xlsx"
    PDF = "pdf"


class Paper(StrEnum):
    """Size of a document's pages."""

    A4 = "a4"
    LETTER = "letter"
