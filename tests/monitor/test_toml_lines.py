import tomllib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.toml_lines import KeyLines, KeyPath

TEXT = '''\
# comment with [brackets] and key = 1
title = "a # no comment"
[mqtt]
host = 'x'   # [not.a.header]
"quoted key" = """
fake = 1
[fake]
"""
list = [
  1, # ]
  2,
]
[[tables]]
name = "T1"
calibration."east.rack".tile_g = 12
inline = { deep = 1 }
  [[tables]]
name = "T2"
[tables.calibration."west.rack"]
tile_g = 3
[a.b]
c.d = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("mqtt",), 3),
        (("mqtt", "host"), 4),
        (("mqtt", "quoted key"), 5),
        (("mqtt", "list"), 9),
        (("tables", 0, "name"), 14),
        (("tables", 0, "calibration", "east.rack", "tile_g"), 15),
        (("tables", 0, "inline", "deep"), 16),
        (("tables", 1), 17),
        (("tables", 1, "name"), 18),
        (("tables", 1, "calibration", "west.rack", "tile_g"), 20),
        (("a", "b", "c", "d"), 22),
        (("tables", 1, "no such"), 17),
        (("fake",), None),
    ],
)
def test_line_of_a_key(path: KeyPath, line: int | None) -> None:
    tomllib.loads(TEXT)
    assert KeyLines(TEXT).line_of(path) == line


def _leaves(value: object, path: KeyPath = ()) -> Iterator[tuple[KeyPath, int]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    elif isinstance(value, int):
        yield path, value


_names = st.from_regex(r"k[A-Za-z0-9_-]{0,5}", fullmatch=True)
_noise = st.sampled_from(["", "# [x]\n", "\n\n", "# a = 1\n"])


@given(st.data())
def test_every_value_of_a_text_that_holds_line_numbers_is_found_at_that_line(data: st.DataObject) -> None:
    lines: list[str] = []

    def put(text: str) -> None:
        lines.extend(text.splitlines())

    def assign(names: list[str]) -> None:
        for name in names:
            put(data.draw(_noise))
            note = data.draw(st.sampled_from(["", ' # "', " # ]"]))
            lines.append(f"{name} = {len(lines) + 1}{note}")
            if data.draw(st.booleans()):
                put(f"t{name} = '''\n{name} = 0\n[{name}]\n'''")

    keys = st.lists(_names, max_size=4, unique=True)
    assign(data.draw(keys))
    for section in data.draw(st.lists(_names, max_size=4, unique=True)):
        array = data.draw(st.booleans())
        for _ in range(data.draw(st.integers(1, 3)) if array else 1):
            put(f"[[s{section}]]" if array else f"[s{section}]")
            assign(data.draw(keys))
    text = "\n".join(lines)
    where = KeyLines(text)
    for path, line in _leaves(tomllib.loads(text)):
        assert where.line_of(path) == line
