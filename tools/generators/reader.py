"""Generates the Python classes of profile headers from schema/profile.toml.

The Python type of a field follows from its type in the file or its key `as`. Standard library only,
as generate.py.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from generators.common import SchemaError, made_by
from generators.profile import PROFILE_TOML, Field, Profile, load_profile

PATH = "src/jostle/reader/header_fields.py"


@dataclass(frozen=True)
class Form:
    """The conversion of a field in Python.

    Attributes:
        python: Python type of the field.
        value: Python expression of the value, in which {0} is the field of the named tuple; "" if
            the reader computes it, since the field is after the named tuple.
        note: Addition to the field's description.
    """

    python: str
    value: str
    note: str = ""


#: By the key `as`; number, text and texts follow from the type.
FORMS = {
    "number": Form("int", "{0}"),
    "text": Form("str", "clean_text({0})"),
    "texts": Form("", "{0}"),
    "flag": Form("bool", "bool({0})"),
    "fixed_point": Form("float", "{0} / 2**32", "here as a plain number"),
    "uuid": Form("str", "boot_text({0})", "as the kernel writes it, with dashes"),
    "name": Form("str", "name_of({1}, {0})"),
    "newest": Form("", ""),
    "shortened": Form("tuple[int, ...]", "", "up to the last that is not 0"),
}

HEAD = '''\
"""What the headers of profiles say, as Python values.

{made_by}
"""
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jostle.reader.texts import boot_text, clean_text, name_of
from jostle.schema.profile import {imports}, Head
'''


def module(profile: Profile) -> str:
    """Return the module of the fields of both headers.

    Raises:
        SchemaError: A field has a form that its type does not allow, or no meaning.
    """
    shown = [field for field in profile.struct("head").fields if field.reader != "none"]
    groups = {field.values for field in shown if _form(field) == "name"}
    imports = ", ".join(sorted(profile.group(name).python for name in groups))
    text = HEAD.format(made_by=made_by(PROFILE_TOML), imports=imports)
    return text + _class(profile, "process") + _class(profile, "machine")


def _form(field: Field) -> str:
    if field.form:
        return field.form
    if field.base == "char":
        return "text" if len(field.counts) == 1 else "texts"
    if field.counts or field.base not in ("u32", "u64"):
        raise SchemaError(f"profile.toml: head.{field.name}: say what Python makes of it (as)")
    return "number"


def _class(profile: Profile, whose: str) -> str:
    """Return the dataclass of a header's fields, and the function that makes them."""
    rows, docs, values = [], [], []
    unpacked = {field.name for field in profile.named_tuple}
    for field in profile.struct("head").fields:
        if field.reader not in (whose, "both"):
            continue
        name = _form(field)
        if name not in FORMS or bool(FORMS[name].value) != (field.name in unpacked):
            raise SchemaError(f"profile.toml: head.{field.name}: it cannot be as {name!r}")
        if name == "newest":
            texts = [text for text in profile.struct(field.base).fields if text.base == "char"]
            rows += [f"    {text.name}: str\n" for text in texts]
            docs += [_meaning(profile, text, FORMS["text"]) for text in texts]
            continue
        form = FORMS[name]
        python = form.python or f"tuple[{', '.join(['str'] * field.counts[0])}]"
        rows.append(f"    {field.name}: {python}\n")
        docs.append(_meaning(profile, field, form))
        if form.value:
            values.append(f"        {_value(profile, field, form)},\n")
    behind = "; without those behind the mount slots" if whose == "process" else ""
    return f'''

# Its subclass has the methods: making them twice would cost every start some milliseconds.
@dataclass(frozen=True, slots=True, init=False, repr=False, eq=False)
class {whose.capitalize()}Fields:
    """What the header of a {whose}'s profile says; times in ns.

    Attributes:
{"".join(docs)}    """

{"".join(rows)}

def {whose}_fields(h: Head) -> tuple[Any, ...]:
    """Return the values of {whose.capitalize()}Fields in its order{behind}."""
    return (
{"".join(values)}    )
'''


def _value(profile: Profile, field: Field, form: Form) -> str:
    if _form(field) == "texts":
        numbers = range(1, field.counts[0] + 1)
        return f"({', '.join(f'clean_text(h.{field.name}_{n})' for n in numbers)})"
    names = profile.group(field.values).python if field.values else ""
    return form.value.format(f"h.{field.name}", names)


def _meaning(profile: Profile, field: Field, form: Form) -> str:
    """Return the lines of a field in the docstring of its class."""
    doc = field.doc
    if form is FORMS["name"]:
        group = profile.group(field.values)
        names = ", ".join(name for name, _, _, _ in group.entries)
        doc = f"{group.doc.rstrip('.')}: {names}"
    if not doc:
        raise SchemaError(f"profile.toml: head.{field.name}: it needs a meaning")
    doc = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", doc)
    doc = re.sub(r"^[a-z](?=[a-z]* )", lambda first: first[0].upper(), doc)
    whole = f"{field.name}: {doc}{f'; {form.note}' if form.note else ''}."
    lines = textwrap.wrap(whole, 100, initial_indent=" " * 8, subsequent_indent=" " * 12)
    return "".join(f"{line}\n" for line in lines)


def outputs(mount_slots: int) -> dict[str, str]:
    """Return the file made here: path from the root -> content."""
    return {PATH: module(load_profile(PROFILE_TOML, mount_slots))}
