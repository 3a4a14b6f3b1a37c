"""Moves descriptions of fields from docstrings of dataclasses into the OpenAPI schemas."""

from __future__ import annotations

import re
from typing import Any

_SECTION = "\n\nAttributes:\n"
_NOTHING = re.compile(r"\b(None|NaN)\b")
_FIELD = re.compile(r"^    (\w+(?:, \w+)*): (.+(?:\n {8}.+)*)", re.MULTILINE)


def describe_fields(schemas: dict[str, dict[str, Any]]) -> None:
    """Move descriptions of fields from the docstrings in schemas to the fields.

    None and NaN become JSON's null.

    Args:
        schemas: The schemas of an OpenAPI description, by name.
    """
    for schema in schemas.values():
        whole, _, fields = schema.get("description", "").partition(_SECTION)
        if not fields:
            continue
        schema["description"] = whole
        for names, text in _FIELD.findall(fields):
            for name in names.split(", "):
                if name in schema["properties"]:
                    words = _NOTHING.sub("null", " ".join(text.split()))
                    schema["properties"][name]["description"] = words
