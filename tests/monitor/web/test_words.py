"""All words of the pages stand in one catalogue: templates and scripts hold none of their own."""

import re
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from monitor.web import words
from monitor.web.words import WORDS, say, script_words

HOME = Path(words.__file__).parent
TEMPLATES = sorted((HOME / "templates").glob("*.html"))
SPOKEN = re.compile(r"(?:aria-label|alt|title|placeholder|content)=\"([^\"]*)\"")


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_a_template_holds_no_words(template: Path) -> None:
    text = re.sub(r"{#.*?#}|{%.*?%}|{{.*?}}", "", template.read_text(), flags=re.DOTALL)
    between = re.sub(r"<[^>]*>", " ", text)
    assert not re.findall(r"[^\W\d_]+", re.sub(r"&\w+;", " ", between))
    spoken = [one for one in SPOKEN.findall(text) if one not in {"width=device-width, initial-scale=1", "light dark"}]
    assert not re.findall(r"[^\W\d_]+", " ".join(spoken))


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.name)
def test_a_template_puts_no_words_together_in_its_tags(template: Path) -> None:
    strings = [one.value for one in Environment().parse(template.read_text()).find_all(nodes.Const)]
    assert [one for one in strings if re.search(r"[A-Z]|\w \w", str(one))] == []


def test_scripts_hold_no_sentences() -> None:
    for script in (HOME / "static").glob("*.js"):
        code = re.sub(r"^\s*//.*$|\s//.*$", "", script.read_text(), flags=re.MULTILINE)
        strings = re.findall(r"\"([^\"\n]*)\"", code)
        assert [one for one in strings if re.search(r"[A-Za-z]{2,} [A-Za-z]{2,}", one) and one != "use strict"] == []


def test_every_word_is_used() -> None:
    code = "".join(path.read_text() for path in [*TEMPLATES, *HOME.glob("*.py")] if path.name != "words.py")
    script = "".join(path.read_text() for path in (HOME / "static").glob("*.js"))
    for key in WORDS:
        if key.startswith("script."):
            name = key.removeprefix("script.")
            assert f'"{name}"' in script or f"words.{name}" in script + code, key
        elif not key.startswith(("title.", "foot.", "alert.short.")):
            assert f'say("{key}"' in code, key


def test_what_is_missing_is_no_blank() -> None:
    with pytest.raises(KeyError):
        say("absent")
    with pytest.raises(KeyError):
        say("hand")
    assert say("hand", number=3) == "hand 3"
    assert script_words()["live"] == WORDS["script.live"]
