"""Generates C, Python and tables of the profile layout from schema/profile.toml.

The C header has the structs of the file's header and the enums of letters and numbers in the file;
the runtime and the decoder include it. The Python module has the header's struct format and the
same enums. Each struct is checked here (no overlap, natural alignment) and again by the C compiler
(_Static_assert of every offset). Standard library only, as generate.py.
"""

from __future__ import annotations

import re
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generators.common import ROOT, SchemaError, made_by

PROFILE_TOML = ROOT / "schema" / "profile.toml"
PAGE = ROOT / "docs" / "reference" / "profile-format.md"

#: Bytes, C type and format letter of each plain type.
TYPES = {
    "u8": (1, "uint8_t", "s"),
    "u16": (2, "uint16_t", "H"),
    "char": (1, "char", "s"),
    "u32": (4, "uint32_t", "I"),
    "u64": (8, "uint64_t", "Q"),
}
FIELD_KEYS = {"at", "type", "name", "doc", "atomic", "values", "reader", "as"}
#: Which header in Python has a field of the file's: that of a process, a machine, both or none.
READERS = ("process", "machine", "both", "none")


@dataclass(frozen=True)
class Field:
    """One field of a struct.

    Attributes:
        at: Offset, bytes.
        base: Plain type, or the name of a struct.
        counts: Dimensions of the array, outermost first; empty for a single value.
        name: Name of the field in C, in Python and on the page.
        doc: Meaning of the field; may be empty if the name is clear.
        atomic: Whether several threads of the process access it.
        bytes: Size of the field.
        reader: Python header class that has the field, from READERS.
        form: Conversion of the field in Python (FORMS of reader.py); "": by the type.
        values: Name of the group that explains the field's numbers; "" for plain numbers.
    """

    at: int
    base: str
    counts: tuple[int, ...]
    name: str
    doc: str
    atomic: bool
    bytes: int
    reader: str = "process"
    form: str = ""
    values: str = ""


@dataclass(frozen=True)
class Struct:
    """One struct of the file.

    Attributes:
        name: Name of the struct, in C: struct jst_NAME.
        doc: Description of the struct; may be empty.
        bytes: Size of the struct; 0 if it ends with an array of variable length.
        align: Alignment in memory; 0: the natural alignment.
        parts: Fields of the struct, by the name of their table on the page.
        docs: Description of each part, by the same names.
        rest: C type, count, name and offset of the array at the struct's end; None if there is
            none.
    """

    name: str
    doc: str
    bytes: int
    align: int
    parts: dict[str, tuple[Field, ...]]
    docs: dict[str, str]
    rest: tuple[str, str, str, int] | None

    @property
    def fields(self) -> tuple[Field, ...]:
        """All fields, in order."""
        return tuple(field for part in self.parts.values() for field in part)


@dataclass(frozen=True)
class Values:
    """A group of letters or numbers with a meaning.

    Attributes:
        name: Name of the group, in C: enum jst_NAME.
        doc: One-sentence description.
        prefix: Prefix of the C enumerators; "" if C does not need them.
        python: Name of the Python enum or tuple; "" if Python does not need it.
        is_tuple: Whether Python has a tuple of names instead of an enum.
        entries: Entries of the group: (name, number or letter, where, doc).
    """

    name: str
    doc: str
    prefix: str
    python: str
    is_tuple: bool
    entries: tuple[tuple[str, int | str, str, str], ...]


@dataclass(frozen=True)
class Constant:
    """A number that C needs by name, and perhaps Python."""

    name: str
    value: int
    doc: str
    python: bool = False


@dataclass(frozen=True)
class Profile:
    """profile.toml, checked."""

    version: int
    magic: str
    constants: tuple[Constant, ...]
    structs: tuple[Struct, ...]
    values: tuple[Values, ...]
    segment_values: tuple[str, ...]

    def struct(self, name: str) -> Struct:
        """Return a struct by its name."""
        return next(struct for struct in self.structs if struct.name == name)

    def group(self, name: str) -> Values:
        """Return a group of letters or numbers by its name."""
        return next(group for group in self.values if group.name == name)

    @property
    def named_tuple(self) -> list[Field]:
        """The fields of the header that Python unpacks at once: those before the mount slots."""
        fields = self.struct("head").fields
        mounts = next(field for field in fields if field.name == "mounts")
        return [field for field in fields if field.at < mounts.at]


# ---- reading ------------------------------------------------------------------------------


def load_profile(path: Path, mount_slots: int) -> Profile:
    """Read and check the layout.

    Args:
        path: Path of profile.toml.
        mount_slots: Number of mount slots in the layout of metrics, which the header must have,
            too.

    Raises:
        SchemaError: The file breaks a rule.
    """
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    values = tuple(
        _values(entry, is_letters=kind == "letters")
        for kind in ("letters", "numbers")
        for entry in data[kind]
    )
    named = {group.name: group for group in values}
    structs: dict[str, Struct] = {}
    for entry in data["struct"]:
        struct = _struct(entry, structs, named)
        structs[struct.name] = struct
    profile = Profile(
        data["version"],
        data["magic"],
        tuple(Constant(**entry) for entry in data["constant"]),
        tuple(structs.values()),
        values,
        tuple(data["segment"]["values"]),
    )
    mounts = next(field for field in structs["head"].fields if field.name == "mounts")
    if mounts.counts != (mount_slots,):
        raise SchemaError(f"{path.name}: head.mounts must have {mount_slots} slots")
    letters = [entry[1] for group in values for entry in group.entries if isinstance(entry[1], str)]
    if len(set(letters)) != len(letters):
        raise SchemaError(f"{path.name}: a letter stands for two things")
    return profile


def _values(entry: dict[str, Any], is_letters: bool) -> Values:
    entries = []
    for number, value in enumerate(entry["values"]):
        if is_letters and not re.fullmatch("[A-Za-z]", value["letter"]):
            raise SchemaError(f"profile.toml: {entry['name']}: {value['letter']!r} is not a letter")
        what = value["letter"] if is_letters else number
        entries.append((value["name"], what, value.get("where", ""), value["doc"]))
    is_tuple = not is_letters and "python" in entry
    python = entry.get("python") or entry.get("python_enum", "")
    prefix = entry.get("c", "")
    return Values(entry["name"], entry["doc"], prefix, python, is_tuple, tuple(entries))


def _struct(entry: dict[str, Any], structs: dict[str, Struct], named: dict[str, Values]) -> Struct:
    name = entry["name"]
    parts = entry.get("part") or [{"name": "", "fields": entry["fields"]}]
    fields = {
        part["name"]: tuple(_field(name, item, structs, named) for item in part["fields"])
        for part in parts
    }
    end = 0
    for field in (field for part in fields.values() for field in part):
        size = 8 if field.base in structs else TYPES[field.base][0]
        if field.at < end or field.at % size:
            raise SchemaError(f"profile.toml: {name}.{field.name}: offset {field.at} is not valid")
        end = field.at + field.bytes
    if end > entry.get("bytes", end):
        raise SchemaError(f"profile.toml: {name}: its fields need {end} bytes")
    rest = None
    if "rest" in entry:
        base, count = _split(name, entry["rest"]["type"])
        rest = (TYPES[base][1], count[1:-1], entry["rest"]["name"], entry["rest"].get("at", end))
    docs = {part["name"]: part.get("doc", "") for part in parts}
    size, align = entry.get("bytes", 0), entry.get("align", 0)
    return Struct(name, entry.get("doc", ""), size, align, fields, docs, rest)


def _split(name: str, text: str) -> tuple[str, str]:
    match = re.fullmatch(r"(\w+)((?:\[[^\]]+\])*)", text)
    if match is None:
        raise SchemaError(f"profile.toml: {name}: {text!r} is not a type")
    return match[1], match[2]


def _field(
    struct: str, item: dict[str, Any], structs: dict[str, Struct], named: dict[str, Values]
) -> Field:
    unknown = set(item) - FIELD_KEYS
    if unknown:
        raise SchemaError(f"profile.toml: {struct}: unknown keys {', '.join(sorted(unknown))}")
    base, dimensions = _split(struct, item["type"])
    if base not in TYPES and base not in structs:
        raise SchemaError(f"profile.toml: {struct}.{item['name']}: there is no type {base}")
    counts = tuple(int(count) for count in re.findall(r"\d+", dimensions))
    size = structs[base].bytes if base in structs else TYPES[base][0]
    for count in counts:
        size *= count
    reader = item.get("reader", "process")
    if reader not in READERS:
        raise SchemaError(f"profile.toml: {struct}.{item['name']}: reader is one of {READERS}")
    doc, group = item["doc"], item.get("values", "")
    if group:
        doc = ", ".join(f"{number} {text}" for _, number, _, text in named[group].entries)
    return Field(
        item["at"],
        base,
        counts,
        item["name"],
        doc,
        item.get("atomic", False),
        size,
        reader,
        item.get("as", ""),
        group,
    )


# ---- C ------------------------------------------------------------------------------------

C_HEAD = """\
/* jst_profile.h: what a profile looks like, for the runtime and the decoder.
 * {made_by} */
/* clang-format off */
#ifndef JST_PROFILE_H
#define JST_PROFILE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "jst_metrics.h"

"""


def c_header(profile: Profile) -> str:
    """Return runtime/include/jst_profile.h."""
    lines = [
        f"#define JST_FORMAT_VERSION {profile.version}u",
        f'#define JST_MAGIC "{profile.magic}" /* the first 8 bytes, without a NUL */',
    ]
    for constant in profile.constants:
        lines += ["", f"/* {_sentence(constant.doc)} */"]
        lines.append(f"#define JST_{constant.name} {constant.value}u")
    for group in profile.values:
        if group.prefix:
            lines += ["", *_c_enum(group)]
    lines += ["", *_c_segment_bits(profile)]
    for struct in profile.structs:
        lines += ["", *_c_struct(struct)]
    text = C_HEAD.format(made_by=made_by(PROFILE_TOML)) + "\n".join(lines)
    return text + "\n\n#endif\n"


def _sentence(doc: str) -> str:
    return doc[:1].upper() + doc[1:].rstrip(".") + "."


def _c_comment(doc: str, indent: str = "") -> list[str]:
    """Return a comment of lines of at most 100 columns."""
    width = 96 - len(indent)
    lines = textwrap.wrap(doc, width, break_long_words=False)
    text = [f"{indent}{' *' if n else '/*'} {line}" for n, line in enumerate(lines)]
    return [*text[:-1], text[-1] + " */"] if text else []


def _c_enum(group: Values) -> list[str]:
    lines = [*_c_comment(group.doc), f"enum jst_{group.name} {{"]
    for name, what, _, doc in group.entries:
        value = f"'{what}'" if isinstance(what, str) else what
        lines.append(f"    {group.prefix}{name.upper()} = {value}, /* {doc} */")
    return [*lines, "};"]


def _c_segment_bits(profile: Profile) -> list[str]:
    lines = [
        "/* Bits of `present` in a segment: what it counts, in the order of its payload. */",
        "enum jst_segment_bit {",
        "    JST_SEGMENT_BIT_SET = 0,",
    ]
    names = [*profile.segment_values, "wait_bins", "offcpu_bins", "occurrence"]
    lines += [f"    JST_SEGMENT_BIT_{name.upper()} = {bit}," for bit, name in enumerate(names, 1)]
    return [*lines, f"    JST_SEGMENT_BITS = {len(names) + 1}", "};"]


def _c_struct(struct: Struct) -> list[str]:
    name = f"jst_{struct.name}"
    lines = [*_c_comment(struct.doc), f"typedef struct {name} {{"]
    end = gaps = 0
    for part, fields in struct.parts.items():
        for number, field in enumerate(fields):
            gaps += field.at > end
            lines += _c_gap(end, field.at, gaps)
            if part and number == 0:
                lines.append(f"    /* ---- {part}: {struct.docs[part]} ---- */")
            lines += _c_field(field)
            end = field.at + field.bytes
    last = struct.rest[3] if struct.rest else struct.bytes
    lines += _c_gap(end, last, gaps + 1)
    if struct.rest:
        c_type, count, rest, _ = struct.rest
        lines.append(f"    {c_type} {rest}[{count}];")
    aligned = f" __attribute__((aligned({struct.align})))" if struct.align else ""
    lines += [f"}}{aligned} {name};", ""]
    places = [(field.name, field.at) for field in struct.fields]
    places += [(struct.rest[2], struct.rest[3])] if struct.rest else []
    asserted = '_Static_assert(offsetof({0}, {1}) == {2}, "{0}.{1}");'
    lines += [asserted.format(name, field, at) for field, at in places]
    if struct.bytes:
        lines.append(f'_Static_assert(sizeof({name}) == {struct.bytes}, "{name}");')
    return lines


def _c_gap(begin: int, end: int, number: int) -> list[str]:
    return [f"    uint8_t gap{number}[{end} - {begin}];"] if end > begin else []


def _c_field(field: Field) -> list[str]:
    c_type = TYPES[field.base][1] if field.base in TYPES else f"jst_{field.base}"
    atomic = "_Atomic " if field.atomic else ""
    counts = "".join(f"[{count}]" for count in field.counts)
    line = f"    {atomic}{c_type} {field.name}{counts};"
    if field.doc and len(line) + len(field.doc) + 7 <= 100:
        return [f"{line} /* {field.doc} */"]
    return [*_c_comment(field.doc, "    "), line]


# ---- Python -------------------------------------------------------------------------------

PYTHON_HEAD = '''\
"""What a profile looks like: the structs of its header, the letters and numbers in it.

{made_by}
"""
# ruff: noqa: E501
# fmt: off

from __future__ import annotations

import enum
import struct
from typing import Final, NamedTuple

'''


def python_module(profile: Profile) -> str:
    """Return src/jostle/schema/profile.py."""
    head, slot, file, binding = (
        profile.struct(name) for name in ("head", "mount_slot", "file", "binding")
    )
    mounts, bindings, samples = (
        next(field for field in head.fields if field.name == name)
        for name in ("mounts", "bindings", "node_samples")
    )
    before = profile.named_tuple
    parts = [
        PYTHON_HEAD.format(made_by=made_by(PROFILE_TOML)),
        f'MAGIC: Final = b"{profile.magic}"\n',
        f"FORMAT_VERSION: Final = {profile.version}\n",
        f"HEAD_BYTES: Final = {head.bytes}\n",
    ]
    for constant in profile.constants:
        if constant.python:
            parts.append(
                f"\n#: {_sentence(constant.doc)}\n{constant.name}: Final = {constant.value:_}\n"
            )
    parts += [_python_values(group) for group in profile.values if group.python]
    names = ", ".join(f'"{name}"' for name in profile.segment_values)
    parts.append(
        "\n#: What a segment counts, in the order of the format's bits 1 to "
        f"{len(profile.segment_values)}.\n"
        f"SEGMENT_VALUES: Final = ({names})\n"
    )
    parts.append(_python_struct("Head", "The header of a profile, up to its mount slots.", before))
    parts.append(f"MOUNTS_AT: Final = {mounts.at}\n")
    parts.append(_python_struct("MountSlot", "A mount slot of the header.", list(slot.fields)))
    parts.append(f"BINDINGS_AT: Final = {bindings.at}\n")
    parts.append(f"NODE_SAMPLES_AT: Final = {samples.at}\n")
    parts.append(
        _python_struct("Binding", "On which cores a process may run.", list(binding.fields))
    )
    parts.append(_python_struct("FilePlace", "A place in the table of files.", list(file.fields)))
    return re.sub(r"\n{4,}", "\n\n\n", "".join(parts))


def _python_values(group: Values) -> str:
    if group.is_tuple:
        names = ", ".join(f'"{name}"' for name, _, _, _ in group.entries)
        return f"\n#: {group.doc}\n{group.python}: Final = ({names})\n"
    lines = [f'\n\nclass {group.python}(enum.IntEnum):\n    """{group.doc}"""\n\n']
    for name, what, _, doc in group.entries:
        value = f'ord("{what}")' if isinstance(what, str) else what
        lines.append(f"    {name.upper()} = {value}  # {doc}\n")
    return "".join(lines) + "\n"


def _python_struct(name: str, doc: str, fields: list[Field]) -> str:
    """Return a named tuple and the struct format that fills it."""
    layout, rows, end = "<", [], 0
    for field in fields:
        layout += f" {field.at - end}x" if field.at > end else ""
        letter = TYPES[field.base][2]
        if letter == "s":
            *outer, inner = field.counts
            number = outer[0] if outer else 1
            layout += f" {inner}s" * number
            names = [f"{field.name}_{n}" for n in range(1, number + 1)] if outer else [field.name]
            rows += [f"    {row}: bytes\n" for row in names]
        else:
            layout += f" {letter}"
            rows.append(f"    {field.name}: int\n")
        end = field.at + field.bytes
    upper = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).upper()
    joined = re.sub(
        r"(?: ([IQ]))+", lambda m: " " + re.sub(r"([IQ])\1*", _times, m[0].replace(" ", "")), layout
    ).replace(" ", "")
    return (
        f'\n\nclass {name}(NamedTuple):\n    """{doc}"""\n\n{"".join(rows)}\n\n'
        f'{upper}: Final = struct.Struct("{joined}")\n'
    )


def _times(match: re.Match[str]) -> str:
    count = len(match[0])
    return f"{count}{match[1]}" if count > 1 else match[1]


# ---- page ---------------------------------------------------------------------------------


def page(profile: Profile, text: str) -> str:
    """Return docs/reference/profile-format.md with fresh tables between its markers.

    Raises:
        SchemaError: A marker lacks its end, or names a table that does not exist.
    """
    tables = {
        f"{struct.name} {part}".strip(): _field_table(fields)
        for struct in profile.structs
        for part, fields in struct.parts.items()
    }
    tables |= {group.name: _letter_table(group) for group in profile.values}
    begin = re.compile(r"(<!-- Table `([a-z_ ]+)`: .*? -->\n)(.*?)(<!-- End of table -->\n)", re.S)
    if len(begin.findall(text)) != text.count("<!-- Table "):
        raise SchemaError(f"{PAGE.name}: a table has no end")

    def fresh(match: re.Match[str]) -> str:
        if match[2] not in tables:
            raise SchemaError(f"{PAGE.name}: there is no table `{match[2]}`")
        return (
            f"<!-- Table `{match[2]}`: Made by tools/generate.py -->\n{tables[match[2]]}{match[4]}"
        )

    return begin.sub(fresh, text)


def _field_table(fields: tuple[Field, ...]) -> str:
    rows = ["| offset | type | name | meaning |\n|---|---|---|---|\n"]
    for field in fields:
        counts = "".join(f"[{count}]" for count in field.counts)
        meaning = f" {field.doc} " if field.doc else " "
        rows.append(f"| {field.at} | {field.base}{counts} | {field.name} |{meaning}|\n")
    return "".join(rows)


def _letter_table(group: Values) -> str:
    if not any(where for _, _, where, _ in group.entries):
        numbered = "".join(f"| {what} | {name} | {doc} |\n" for name, what, _, doc in group.entries)
        return f"| number | name | meaning |\n|---|---|---|\n{numbered}"
    rows = ["| type | name | in | meaning |\n|---|---|---|---|\n"]
    for name, what, where, doc in group.entries:
        rows.append(f"| `{what}` | {name} | {where} | {doc} |\n")
    return "".join(rows)


def outputs(mount_slots: int) -> dict[str, str]:
    """Return every file generated from profile.toml: path from the root -> content."""
    profile = load_profile(PROFILE_TOML, mount_slots)
    return {
        "runtime/include/jst_profile.h": c_header(profile),
        "src/jostle/schema/profile.py": python_module(profile),
        str(PAGE.relative_to(ROOT)): page(profile, PAGE.read_text(encoding="utf-8")),
    }
