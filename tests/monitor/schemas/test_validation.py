"""What the monitor writes, the schemas take; what they refuse, the decoder refuses."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import ValidationError
from msgspec import inspect

import monitor.log
from bench.accuracy.watching import watch
from firmware_bridge.messages import Input, InputName
from hw.simulator.options import Options, RuleFault, Tier
from monitor.acts import DeclaredDead, Declarer, RoundStarted
from monitor.alerts import Alert, Rule
from monitor.audience import Audience, PublicRecords
from monitor.events import Corrected, Discarded, Event, Recorded, Seat, parse_event
from monitor.exports.formats import Format
from monitor.log.notes import Acted, Amended, AnyAct, AnyNote, Clocked, Note, Purged, Said
from monitor.schemas.build import EVENT_KINDS, tag_of
from tests.monitor.exports.logs import Batch, evening, exported, write_log
from tests.monitor.schemas.validators import FOLDER, complaints, kind_of_example

DOCS = FOLDER.parent
OPTIONS = Options(seed=11, tier=Tier.HYBRID, rule_fault=RuleFault.LATE_CALL, discards=12)
AMENDED = Amended(
    author="Ada", reason="not heard", event=Discarded(at=1080.0, seat=Seat.EAST, uid="E004"), hand=1, table="T1"
)
PURGED = Purged(author="Ada", reason="age", through=3, records=2, before_utc_us=4)
ACTED = Acted(
    author="Ada", reason="seen", at=1090.0, alert="T1-1", rule=Rule.LATE_CALL, hand=1, table="T1",
    did=DeclaredDead(Seat.WEST, Declarer.EAST),
)  # fmt: skip
CLOCKED = Clocked(author="Ada", reason="late", at=1091.0, did=RoundStarted(2, 3000.0, 4))
SAID = Said(author="Ada", reason="said", at=1092.0, table="T1", said=Input(input=InputName.NAMED), seat=Seat.EAST)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A hand that the monitor watched, and what people put right."""
    path = tmp_path_factory.mktemp("evening") / "log.sqlite"
    told = watch(OPTIONS).records
    assert {record.rule for record in told if isinstance(record, Alert)} >= {Rule.LATE_CALL}
    assert any(isinstance(record, Corrected) for record in told)
    return write_log(
        path, [Batch(300, "T1", told), Batch(400, "T1", [AMENDED, ACTED, CLOCKED, SAID]), Batch(500, "", [PURGED])]
    )


@pytest.mark.parametrize("identities", [False, True])
def test_every_line_of_a_simulated_evening_is_valid(simulated: Path, tmp_path: Path, identities: bool) -> None:
    done = exported(simulated, Format.JSON_LINES, tmp_path / "out.jsonl", identities=identities)
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert len(lines) == done.records > 300
    assert {line["stream"] for line in lines} == {"event", "alert", "amended", "purged", "acted", "clocked", "said"}
    for line in lines:
        assert complaints("export-line", line) == [], line
        if line["stream"] == "event":
            assert complaints(line["record"]["kind"], line["record"]) == []


@pytest.mark.parametrize("practice", [False, True])
def test_what_the_public_gets_is_valid(simulated: Path, practice: bool) -> None:
    public = PublicRecords(Audience(practice=practice))
    names: set[str] = set()
    for row in told_of(simulated):
        shown = public.alert(row) if isinstance(row, Alert) else public.event(row)
        if shown is not None:
            name = "alert" if isinstance(shown, Alert) else "event"
            names.add(name)
            assert complaints(name, json.loads(msgspec.json.encode(shown))) == []
    assert names == {"alert", "event"}


def told_of(path: Path) -> list[Event | Alert]:
    with monitor.log.open(path) as log:
        return [row.record for row in log.told()]


def a_line(tmp_path: Path) -> dict[str, Any]:
    exported(evening(tmp_path / "log.sqlite"), Format.JSON_LINES, tmp_path / "out.jsonl")
    line: dict[str, Any] = json.loads((tmp_path / "out.jsonl").read_text("utf-8").splitlines()[1])
    assert complaints("export-line", line) == []
    return line


@pytest.mark.parametrize(
    ("keys", "at"),
    [
        ({"seq": "2"}, "$.seq"),
        ({"written_at": "2026-11-30T18:00:20Z"}, "$.written_at"),
        ({"at_utc": "2026-11-30T18:00:20.000000+01:00"}, "$.at_utc"),
        ({"at": "1020"}, "$.at"),
        ({"record": None}, "$.record"),
        ({"record": {"kind": "dealt"}}, "$.record"),
        ({"stream": "alert"}, "$.record"),
        ({"stream": "amended"}, "$.record"),
        ({"stream": "purged"}, "$.record"),
    ],
)
def test_a_line_that_none_wrote_is_refused(tmp_path: Path, keys: dict[str, object], at: str) -> None:
    said = complaints("export-line", a_line(tmp_path) | keys)
    assert said
    assert all(each.startswith(at) for each in said)


def test_lines_of_streams_and_keys_that_come_later_are_taken(tmp_path: Path) -> None:
    line = a_line(tmp_path)
    assert complaints("export-line", line | {"stream": "weather", "record": {"rain": True}, "moon": "full"}) == []
    assert complaints("export-line", line | {"record": line["record"] | {"mood": ["good"]}}) == []
    assert complaints("export-line", line | {"stream": "purged", "record": None}) == []


@pytest.mark.parametrize("missing", ["seq", "run", "table", "hand", "written_at", "at_utc", "at", "stream", "record"])
def test_no_key_of_a_line_may_be_missing(tmp_path: Path, missing: str) -> None:
    line = a_line(tmp_path)
    del line[missing]
    assert any(f"'{missing}' is a required property" in each for each in complaints("export-line", line))


@pytest.mark.parametrize("note", [AMENDED, PURGED, ACTED, CLOCKED, SAID])
def test_what_a_schema_of_a_note_refuses_the_decoder_refuses(note: Note) -> None:
    name = tag_of(type(note))
    told: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(note))
    assert complaints(name, told) == []
    wrong: list[Any] = [None, "", 3, [], {"kind": "tick"}, "x" * 500]
    damaged = [{k: v for k, v in told.items() if k != key} for key in told]
    damaged += [told | {key: value} for key in told for value in wrong]
    refused = 0
    for each in damaged:
        taken = True
        try:
            msgspec.convert(each, AnyNote | AnyAct)
        except msgspec.ValidationError:
            taken = False
        # a note is told from another by its kind: that of no known note is nobody's
        assert (complaints(name, each) == []) is taken, each
        refused += not taken
    assert refused > len(told)


# ---- events, any at all

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(1 << 60), 1 << 60),
    st.floats(-1e12, 1e12).filter(lambda value: not value.is_integer()),
    TEXTS,
    st.sampled_from(["east", "north", "button", "kong", "wall", "slope", "racked", "tick"]),
    st.lists(st.sampled_from(["east", "up", None, 3]), max_size=2),
    st.just({}),
)


def values_of(kind: inspect.Type) -> st.SearchStrategy[object]:
    """What a key of this type may hold, as the decoder has it."""
    match kind:
        case inspect.UnionType():
            return st.one_of([values_of(each) for each in kind.types])
        case inspect.IntType():
            return st.integers(kind.ge, kind.le)
        case inspect.FloatType():
            return st.floats(kind.ge, kind.le, allow_nan=False) | st.integers(int(kind.ge or 0), int(kind.le or 0))
        case inspect.EnumType():
            return st.sampled_from([member.value for member in kind.cls])
        case inspect.VarTupleType():
            return st.lists(values_of(kind.item_type), max_size=3)
        case inspect.BoolType():
            return st.booleans()
        case inspect.StrType():
            return TEXTS
        case _:
            assert isinstance(kind, inspect.NoneType), kind
            return st.none()


@st.composite
def lawful(draw: st.DrawFn) -> dict[str, object]:
    """A line of any kind, with any of its keys, that the decoder takes; and perhaps a key of a later version."""
    kind: type[Recorded] = draw(st.sampled_from(EVENT_KINDS))
    told = inspect.type_info(kind)
    assert isinstance(told, inspect.StructType)
    line: dict[str, object] = {"kind": tag_of(kind)}
    for field in told.fields:
        if field.required or draw(st.booleans()):
            line[field.encode_name] = draw(values_of(field.type))
    if draw(st.booleans()):
        line["later"] = draw(ANYTHING)
    return line


def taken(line: dict[str, Any]) -> Event | None:
    try:
        return parse_event(json.dumps(line))
    except msgspec.ValidationError:
        return None


@given(lawful())
@settings(max_examples=300, deadline=None)
def test_every_event_that_is_decoded_and_written_again_is_valid(line: dict[str, Any]) -> None:
    event = taken(line)
    assert event is not None
    written = json.loads(msgspec.json.encode(event))
    for each in (line, written):
        assert complaints(str(line["kind"]), each) == []
    assert complaints("event", written) == []


@given(lawful(), st.data())
@settings(max_examples=400, deadline=None)
def test_a_damaged_event_is_refused_by_both_or_by_neither(line: dict[str, Any], data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(sorted(line)))
    if data.draw(st.booleans()):
        del line[key]
    else:
        line[key] = data.draw(ANYTHING)
    assert (complaints("event", line) == []) is (taken(line) is not None)


@given(lawful())
@settings(max_examples=100, deadline=None)
def test_a_kinds_own_schema_takes_no_other_kind(line: dict[str, Any]) -> None:
    others = [tag_of(kind) for kind in EVENT_KINDS if tag_of(kind) != line["kind"]]
    assert all(complaints(name, line) for name in others[:: len(others) // 4])


# ---- the documents


def examples() -> list[tuple[str, str]]:
    pages = [DOCS / name for name in ("records.md", "log.md", "exports.md", "schema.md")]
    return [
        (page.name, line)
        for page in pages
        for block in re.findall(r"^```json\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
        for line in block.splitlines()
    ]


@pytest.mark.parametrize(("page", "line"), examples())
def test_the_examples_of_the_documents_are_valid(page: str, line: str) -> None:
    record = json.loads(line)
    assert complaints(kind_of_example(record), record) == [], page


def test_there_are_examples_of_an_event_an_alert_and_a_line() -> None:
    kinds = {kind_of_example(json.loads(line)) for _, line in examples()}
    assert kinds >= {"racked", "corrected", "alert", "export-line"}


def test_what_the_page_says_of_python_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (said,) = re.findall(r"^```python\n(.*?)^```", (DOCS / "schema.md").read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (tmp_path / "docs").symlink_to(DOCS, target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    exported(evening(tmp_path / "log.sqlite"), Format.JSON_LINES, tmp_path / "evening.jsonl")
    exec(said, {})
    with (tmp_path / "evening.jsonl").open("ab") as file:
        file.write(b'{"seq":1}\n')
    with pytest.raises(ValidationError, match="'run' is a required property"):
        exec(said, {})
