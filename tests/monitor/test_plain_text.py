"""Foreign text on a page is one line of what can be shown, and not endless."""

from hypothesis import given
from hypothesis import strategies as st

from monitor.plain_text import plain


def test_foreign_text_is_one_line_of_what_can_be_shown() -> None:
    assert plain("a\tb\n\x00c \u202ed") == "a b c d"
    assert plain("x" * 500, 10) == "x" * 9 + "…"
    assert plain("Ürümqi 東 ±") == "Ürümqi 東 ±"


@given(st.text(max_size=300), st.integers(2, 80))
def test_any_text_becomes_plain_and_stays_so(text: str, longest: int) -> None:
    line = plain(text, longest)
    assert len(line) <= longest
    assert line.isprintable()
    assert line == line.strip()
    assert plain(line, longest) == line
