"""The schemas are what the code makes, whole, and say what every key means."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from monitor.alerts import Alert
from monitor.exports.json_lines import Line
from monitor.log.notes import Acted, Amended, Clocked, Doubted, Linked, Purged, Released, Said
from monitor.schemas import build
from monitor.schemas.__main__ import write
from monitor.schemas.build import EVENT_KINDS, MissingMeaningError, in_json_words, meaning, schemas, tag_of
from monitor.schemas.meanings import MEANINGS
from tests.monitor.schemas.validators import FOLDER, documents

ROOT = FOLDER.parents[1]
NOTES: list[type[msgspec.Struct]] = [Amended, Purged, Linked, Doubted, Released, Acted, Clocked, Said]
TYPES: dict[str, Any] = {tag_of(kind): kind for kind in [*EVENT_KINDS, *NOTES]} | {
    "alert": Alert,
    "export-line": Line,
}


def test_the_files_are_what_the_code_makes(tmp_path: Path) -> None:
    write(tmp_path)
    made = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    there = {path.name: path.read_text("utf-8") for path in FOLDER.iterdir()}
    assert there == made, "run: python -m monitor.schemas"


def test_a_schema_of_a_kind_that_is_no_more_is_removed(tmp_path: Path) -> None:
    (tmp_path / "sneezed.schema.json").write_text("{}")
    (tmp_path / "mine.json").write_text("{}")
    subprocess.run([sys.executable, "-m", "monitor.schemas", tmp_path], check=True, cwd=ROOT, timeout=60)
    assert not (tmp_path / "sneezed.schema.json").exists()
    assert (tmp_path / "mine.json").exists()
    assert (tmp_path / "event.schema.json").exists()


def test_there_is_one_for_every_kind_of_record() -> None:
    names = [each.name for each in schemas()]
    assert len(names) == len(set(names))
    assert set(names) == {*TYPES, "event"}
    united = [way["$ref"] for way in documents()["event.schema.json"]["oneOf"]]
    assert united == [f"{tag_of(kind)}.schema.json" for kind in EVENT_KINDS]


@pytest.mark.parametrize("name", TYPES)
def test_each_has_the_keys_of_its_type_and_no_others(name: str) -> None:
    document = documents()[f"{name}.schema.json"]
    fields = msgspec.structs.fields(TYPES[name])
    tag = {"kind"} if TYPES[name].__struct_config__.tag else set()
    assert set(document["properties"]) == {field.encode_name for field in fields} | tag
    assert set(document["required"]) == {field.encode_name for field in fields if field.required} | tag


@pytest.mark.parametrize("document", [*documents().values()], ids=lambda each: each["$id"])
def test_each_is_a_schema_of_the_draft_and_takes_keys_it_does_not_know(document: dict[str, Any]) -> None:
    Draft202012Validator.check_schema(document)
    assert document["$schema"] == build.DIALECT
    assert not {"additionalProperties", "unevaluatedProperties"} & keywords(document)


def keywords(value: object) -> set[str]:
    match value:
        case dict():
            return set(value).union(*map(keywords, value.values()))
        case list():
            return set().union(*map(keywords, value))
        case _:
            return set()


def refs(value: object) -> Iterator[str]:
    match value:
        case dict():
            for key, each in value.items():
                if key == "$ref":
                    yield each
                else:
                    yield from refs(each)
        case list():
            for each in value:
                yield from refs(each)
        case _:
            pass


@pytest.mark.parametrize("document", [*documents().values()], ids=lambda each: each["$id"])
def test_every_reference_finds_something(document: dict[str, Any]) -> None:
    for ref in refs(document):
        if ref.startswith("#"):
            assert ref.removeprefix("#/$defs/") in document["$defs"]
        else:
            assert (FOLDER / ref).is_file()


def structs() -> Iterator[tuple[str, dict[str, Any]]]:
    for name, document in documents().items():
        for part in (document, *document.get("$defs", {}).values()):
            if "properties" in part:
                yield f"{name}:{part['title']}", part


@pytest.mark.parametrize(("name", "part"), [*structs()], ids=lambda each: each if isinstance(each, str) else "")
def test_every_key_is_described_and_what_its_absence_says(name: str, part: dict[str, Any]) -> None:
    for key, value in part["properties"].items():
        said = value["description"]
        assert said.endswith("."), f"{name}: {key}"
        assert ("Absent" in said) == (key not in part["required"]), f"{name}: {key}"


@pytest.mark.parametrize(("name", "part"), [*structs()], ids=lambda each: each if isinstance(each, str) else "")
def test_every_moment_says_its_clock(name: str, part: dict[str, Any]) -> None:
    for key in {"at", "earliest", "latest", "seen_at", "raised_at"} & set(part["properties"]):
        assert re.search(r"monotonic clock|same clock", part["properties"][key]["description"]), f"{name}: {key}"
    for key in {"at_utc", "written_at"} & set(part["properties"]):
        assert "UTC" in part["properties"][key]["description"]


def test_no_meaning_is_left_over() -> None:
    said = {value["description"] for _, part in structs() for value in part["properties"].values()}
    assert set(MEANINGS.values()) <= said


def test_a_key_without_a_meaning_is_told() -> None:
    with pytest.raises(MissingMeaningError, match=r"racked\.temper has no meaning") as caught:
        meaning("racked", "temper")
    assert (caught.value.owner, caught.value.key) == ("racked", "temper")


def test_no_word_of_python_is_left() -> None:
    assert in_json_words("One, `None`\n    or two.\n\n    Three.\n") == "One, `null` or two.\n\nThree."
    for document in documents().values():
        for part in (document, *document.get("$defs", {}).values()):
            assert not re.search(r"None|True|False|monitor\.", part["description"])


def test_words_that_are_renamed_and_those_that_may_be_left_as_they_were() -> None:
    assert {"for", "discard_by"} <= set(documents()["called.schema.json"]["properties"])
    assert "claim" not in documents()["corrected.schema.json"]["properties"]
    assert "with" in documents()["seats_swapped.schema.json"]["properties"]
    corrected = documents()["corrected.schema.json"]["properties"]["count"]
    assert "default" not in corrected
    assert corrected["anyOf"] == [{"type": "integer", "minimum": 0, "maximum": 152}, {"type": "null"}]


def test_every_link_of_the_page_is_there() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", (FOLDER / "README.md").read_text("utf-8")):
        assert (FOLDER / target).is_file(), target
