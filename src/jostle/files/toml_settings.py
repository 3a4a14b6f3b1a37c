"""Reads an operator's settings file in TOML, and checks it against a model."""

from __future__ import annotations

import difflib
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from jostle.errors import UsageError
from jostle.files.regular_files import read_regular

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

M = TypeVar("M")
#: Configuration of models that refuses unknown keys and text instead of numbers.
STRICT: Any = {"extra": "forbid", "strict": True, "frozen": True}
_UNKNOWN = ("extra_forbidden", "unexpected_keyword_argument")
#: What was expected, by the type of pydantic's error.
_NOT = {
    "list_type": "a list of strings",
    "tuple_type": "a list of strings",
    "dict_type": "a table",
    "model_type": "a table",
    "string_type": "a string",
    "bool_type": "true or false",
    "int_type": "a whole number",
    "float_type": "a number",
}


def read_toml(
    path: Path,
    model: type[M],
    reference: str,
    error: type[UsageError],
    prepare: Callable[[dict[str, Any]], dict[str, Any]] = lambda content: content,
) -> M:
    """Read a file of settings.

    Args:
        path: Path of the file.
        model: A pydantic model, or a dataclass with `__pydantic_config__`; see `STRICT`.
        reference: Sentence that names the page on which all keys are explained.
        error: Class of the error to raise.
        prepare: Function that expands permitted short forms into the form of the model.

    Raises:
        FileNotFoundError: There is no such file.
        UsageError: Of class `error`: the file cannot be read or is not valid; the message names
            file and key.
    """
    try:
        content = tomllib.loads(read_regular(path).decode())
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise error(
            f"{path} cannot be read: {problem.strerror}.",
            hint="Check the name and the owner of the file.",
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise error(f"{path} is not valid TOML: {problem}.", hint=reference) from None
    return checked(path, prepare(content), model, reference, error)


def checked(
    path: Path, content: dict[str, Any], model: type[M], reference: str, error: type[UsageError]
) -> M:
    """Return the content of a file as a model; arguments and errors are those of `read_toml`."""
    from pydantic import TypeAdapter, ValidationError

    try:
        # JSON has lists where the model has tuples, and texts where it has paths.
        text = json.dumps(_without_points(content), default=lambda date: [str(date)])
        return TypeAdapter(model).validate_json(text)
    except ValidationError as problems:
        # A misspelt key comes first: it is why another one is missing.
        first = min(problems.errors(), key=lambda problem: problem["type"] not in _UNKNOWN)
    *tables, key = [part for part in first["loc"] if isinstance(part, str)]
    table = f"[{'.'.join(tables)}]" if tables else ""
    of = f" of {table}" if table else ""
    if first["type"] in _UNKNOWN:
        close = difflib.get_close_matches(key, _keys(model, tables), n=1)
        hint = f"Did you mean `{close[0]}`?" if close else reference
        raise error(f"{path}: `{key}`{of} is unknown.", hint=hint)
    if first["type"] == "missing":
        raise error(f"{path} lacks {table}{' ' if table else ''}`{key}`.", hint=reference)
    why = f"{path}: `{key}`{of} cannot be {first['input']!r}: {_reason(first)}."
    raise error(why, hint=reference)


def _reason(first: ErrorDetails) -> str:
    if first["type"] == "string_too_short":
        return "it is empty"
    if first["type"] in _NOT:
        return f"it is not {_NOT[first['type']]}"
    return first["msg"].removeprefix("Value error, ").replace("Input should", "it must", 1)


def _without_points(value: Any) -> Any:
    """Return a value with whole numbers as integers: 16e9 is 16 000 000 000 bytes."""
    if isinstance(value, dict):
        return {key: _without_points(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_without_points(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _keys(model: Any, tables: list[str]) -> list[str]:
    """Return the keys that a table of a model may have."""
    from pydantic import TypeAdapter

    schema = TypeAdapter(model).json_schema()

    def resolved(here: Any) -> Any:
        """Follow references, and go into lists."""
        while True:
            options = [here, *here.get("anyOf", ()), *here.get("allOf", ())]
            named = next((each["$ref"] for each in options if "$ref" in each), None)
            if named is not None:
                here = schema["$defs"][named.rpartition("/")[2]]
            elif isinstance(here.get("items"), dict):
                here = here["items"]
            else:
                return here

    here = resolved(schema)
    for name in tables:
        inner = here.get("properties", {}).get(name, here.get("additionalProperties"))
        if not isinstance(inner, dict):
            return []
        here = resolved(inner)
    return list(here.get("properties", ()))
