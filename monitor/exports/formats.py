"""The formats of an export, by the names that a command line has for them."""

from enum import StrEnum


class Format(StrEnum):
    """What an export is written as."""

    JSON_LINES = "jsonl"
    CSV = "csv"
    XLSX = "xlsx"
    PDF = "pdf"
