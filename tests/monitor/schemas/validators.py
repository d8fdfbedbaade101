"""The schemas as they stand on disk, as another program would load them."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.protocols import Validator
from referencing import Registry, Resource

FOLDER = Path(__file__).parents[3] / "docs" / "schema"


@cache
def documents() -> dict[str, dict[str, Any]]:
    """Every schema by its `$id`."""
    read = [json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.schema.json"))]
    return {each["$id"]: each for each in read}


@cache
def validator(name: str) -> Validator:
    """For one kind of record."""
    resources = ((name, Resource.from_contents(each)) for name, each in documents().items())
    registry: Registry[Any] = Registry().with_resources(resources)
    return Draft202012Validator(
        {"$ref": f"{name}.schema.json"}, registry=registry, format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def complaints(name: str, record: Any) -> list[str]:
    """What the schema says against a record."""
    return [f"{error.json_path}: {error.message}" for error in validator(name).iter_errors(record)]


def kind_of_example(record: dict[str, Any]) -> str:
    """Which schema an example of the documents is for."""
    if "stream" in record:
        return "export-line"
    return str(record.get("kind", "alert"))
