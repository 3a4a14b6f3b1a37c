#!/usr/bin/env python3
"""Generates MPI names and wrappers from schema/mpi_calls.toml and the MPI standard's data.

Usage:
    tools/generate_mpi.py            write every file that is stale
    tools/generate_mpi.py --check    write nothing; exit status 1 and a list when one is stale

Needs pympistandard (the standard's description as a Python package, pinned in requirements.lock).
The outputs are committed, so that a build needs neither it nor this script:

    runtime/include/jst_mpi_names.def   every exported name, in the order of its index
    runtime/mpi/generated/              the wrappers (text: generators/mpi_text.py)
"""

from __future__ import annotations

import sys
import tomllib
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pympistandard as standard

from generators import mpi_text

ROOT = Path(__file__).resolve().parent.parent
CALLS_TOML = ROOT / "schema" / "mpi_calls.toml"
NAMES_DEF = ROOT / "runtime" / "include" / "jst_mpi_names.def"
GENERATED = ROOT / "runtime" / "mpi" / "generated"

STRINGS = ("STRING", "STRING_ARRAY", "STRING_2DARRAY")  # a Fortran compiler adds their lengths
CPTR = ("Win_allocate", "Win_allocate_shared")  # mpif.h's second specific name, ..._cptr
# Types that the wrappers read through a pointer; of others only the pointer is passed on.
KNOWN = "int char MPI_Count MPI_Aint MPI_Comm MPI_Datatype MPI_Request MPI_Win MPI_Message".split()
NONBLOCKING = {
    "ONE_TO_ALL": "IONE_TO_ALL",
    "ALL_TO_ONE": "IALL_TO_ONE",
    "ALL_TO_ALL": "IALL_TO_ALL",
    "BARRIER": "IBARRIER",
    "SCAN": "ISCAN",
    "NEIGHBOR": "INEIGHBOR",
}
MADE_BY = "Made by tools/generate_mpi.py from schema/mpi_calls.toml and pympistandard; do not edit."


class TableError(Exception):
    """The table or the standard's description contains something unknown to this script."""


@dataclass(frozen=True)
class Param:
    """One parameter of an MPI function."""

    name: str
    kind: str  # the standard's kind, REQUEST, DATATYPE, ...
    c_type: str  # as in the prototype, pointers spelled out: "int", "const void *"
    fortran: str  # C type of what a Fortran argument points to: MPI_Fint, MPI_Count, MPI_Aint
    array: bool


@dataclass(frozen=True)
class Call:
    """One function of the table, in its plain or its large-count form."""

    base: str  # "Send", "Send_c"
    klass: str
    bytes: str = ""
    peer: str = ""
    room: str = ""
    source: str = ""
    also: str = ""
    target: str = ""
    fetched: str = ""
    to: str = ""
    from_: str = ""
    collective: str = ""  # of a recorded collective: its plain blocking form
    starts: str = ""
    does: str = ""
    large: bool = False
    params: tuple[Param, ...] = ()
    fortran_params: tuple[Param, ...] = ()  # without ierror
    strings: int = 0
    in_f90: bool = False
    choice: bool = False  # has a choice buffer: its f08 specific name ends in f08ts

    @property
    def plain(self) -> str:
        """The name of the form without large counts."""
        return self.base.removesuffix("_c") if self.large else self.base


@dataclass(frozen=True)
class Wrapper:
    """A function of the adapter, and its exported names."""

    call: Call
    form: str  # C PC F PF F08 PF08 F08TS PF08TS
    symbols: tuple[str, ...]
    tag: str = field(default="")  # distinguishes wrappers of one call and form

    @property
    def fortran(self) -> bool:
        """Whether this is a Fortran subroutine."""
        return self.form not in ("C", "PC")


# ---- reading -------------------------------------------------------------------------------


def load_rows(path: Path) -> list[Call]:
    """Read the table: one Call per name, still without parameters."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    rows = []
    for entry in table["calls"]:
        rest: dict[str, Any] = {
            key: " ".join(text.split())
            for key, text in entry.items()
            if key not in ("class", "names")
        }
        row = replace(Call("", entry["class"]), **rest)
        rows += [replace(row, base=name) for name in entry["names"].split()]
    for entry in table["collectives"]:
        amount = " ".join(entry.get("bytes", "").split())
        later = NONBLOCKING[entry["class"]]
        for name in entry["names"].split():
            first = Call(
                name,
                entry["class"],
                bytes=amount,
                to=entry.get("to", ""),
                from_=entry.get("from", ""),
                collective="" if "to" in entry else name,
            )
            rows.append(first)
            other = "I" + name[0].lower() + name[1:]
            rows.append(replace(first, base=other, klass=later, does="tracks"))
            rows.append(replace(first, base=name + "_init", klass="REQUEST", starts=later))
    return rows


def fortran_type(kind: Any, large: bool) -> str:
    """The C type of what a Fortran argument of this kind points to."""
    wide = large and kind.has_embiggenment()
    text = str((kind.express.embiggen.f08 if wide else kind.express.f08) or "")
    if "COUNT_KIND" in text:
        return "MPI_Count"
    if "ADDRESS_KIND" in text:
        return "MPI_Aint"
    if "OFFSET_KIND" in text:
        return "MPI_Offset"
    return "MPI_Fint"


def pointer_type(text: str) -> str:
    """A C type as used in the wrappers: what is only passed on is a pointer to void."""
    stars = text.count("*")
    bare = text.replace("*", "").strip()
    known = bare.replace("const ", "") in KNOWN
    if stars == 0:
        return bare
    if not known:
        return ("const void " if bare.startswith("const ") else "void ") + "*" * min(stars, 1)
    return f"{bare} {'*' * stars}"


def c_params(expression: Any, large: bool) -> tuple[Param, ...]:
    """The parameters of a C binding."""
    params = []
    for parameter in expression.parameters:
        constant = "const " if parameter.constant else ""
        array = bool(parameter.array)
        text = constant + parameter.type + ("*" if array else "")
        params.append(
            Param(
                parameter.name,
                parameter.kind.name,
                pointer_type(text),
                fortran_type(parameter.kind, large),
                array,
            )
        )
    return tuple(params)


def describe(row: Call, large: bool) -> Call | None:
    """The row with its description in the standard, None where there is no such form."""
    procedure = standard.storage.PROCEDURES.get("mpi_" + row.base.lower())
    if procedure is None:
        raise TableError(f"{row.base}: no such function in the standard")
    express = procedure.express
    if large and not procedure.has_embiggenment():
        return None
    raw = [p for p in procedure._parseset["parameters"] if large or not p["large_only"]]
    fortran = [p for p in raw if "f08_parameter" not in p["suppress"]]
    names = {p["name"]: p for p in raw}
    params = c_params(express.embiggen.iso_c if large else express.iso_c, large)
    by_name = {p.name: p for p in params}
    in_fortran = [by_name[p["name"]] for p in fortran if p["name"] in by_name]
    if [p["name"] for p in fortran][-1] != "ierror" or len(in_fortran) + 1 != len(fortran):
        raise TableError(f"{row.base}: unexpected Fortran parameters")
    return replace(
        row,
        base=row.base + ("_c" if large else ""),
        large=large,
        params=params,
        fortran_params=tuple(in_fortran),
        strings=sum(p["kind"] in STRINGS for p in fortran),
        in_f90=express.f90 is not None and not large,
        choice=any(names[p.name]["kind"] == "BUFFER" for p in params),
    )


def load_calls() -> list[Call]:
    """All functions with their forms, in the order of the table."""
    standard.use_api_version(1)
    rows = load_rows(CALLS_TOML)
    calls = [c for row in rows for c in (describe(row, False), describe(row, True)) if c]
    names = [c.base for c in calls]
    if len(set(names)) != len(names):
        raise TableError(f"listed twice: {sorted(n for n in names if names.count(n) > 1)}")
    return calls


# ---- names ---------------------------------------------------------------------------------


def manglings(name: str) -> tuple[str, ...]:
    """The symbols of Fortran compilers for a name; the first is the usual one."""
    lower = name.lower()
    return (lower + "_", lower + "__", lower, name.upper())


def fortran_wrappers(call: Call) -> list[Wrapper]:
    """The Fortran names of a function: mpif.h and `use mpi`, then `use mpi_f08`."""
    found = []
    lower = call.plain.lower()
    if call.in_f90:
        found.append(Wrapper(call, "F", manglings("MPI_" + call.base)))
        found.append(Wrapper(call, "PF", manglings("PMPI_" + call.base)))
    if call.in_f90 and call.base in CPTR:
        found.append(Wrapper(call, "F", manglings(f"MPI_{call.base}_cptr"), "_cptr"))
        found.append(Wrapper(call, "PF", manglings(f"PMPI_{call.base}_cptr"), "_cptr"))
    # MPICH uses pmpir_ for PMPI_ and _large for _c; Open MPI has no descriptors (ts), whatever the
    # buffers are.
    large = "_large" if call.large else ""
    kinds = ["f08"] if not call.choice else ["f08ts"] if call.large else ["f08", "f08ts"]
    for kind in kinds:
        form = kind.upper()
        found.append(Wrapper(call, form, (f"mpi_{lower}_{kind}{large}_",)))
        if not (call.large or kind == "f08ts"):
            found.append(Wrapper(call, "P" + form, (f"pmpi_{lower}_{kind}_",)))
        if not (call.choice and kind == "f08"):
            found.append(Wrapper(call, "P" + form, (f"pmpir_{lower}_{kind}{large}_",), "_r"))
    return found


def all_wrappers(calls: list[Call]) -> list[Wrapper]:
    """All wrappers, C first."""
    found = [
        Wrapper(call, form, (f"{prefix}MPI_{call.base}",))
        for form, prefix in (("C", ""), ("PC", "P"))
        for call in calls
    ]
    for call in calls:
        found += fortran_wrappers(call)
    return found


def names_text(wrappers: list[Wrapper]) -> str:
    """runtime/include/jst_mpi_names.def."""
    lines = [
        f"/* {MADE_BY}",
        " *",
        " * Every MPI name that libjostle.so exports; a name's index is its place from 0.",
        " * JST_MPI_NAME(symbol)        a C function",
        " * JST_MPI_FORTRAN(symbol, n)  a Fortran subroutine whose n-th argument from 1 is ierror",
        " */",
    ]
    for wrapper in wrappers:
        place = len(wrapper.call.fortran_params) + 1
        for symbol in wrapper.symbols:
            if wrapper.fortran:
                lines.append(f"JST_MPI_FORTRAN({symbol}, {place})")
            else:
                lines.append(f"JST_MPI_NAME({symbol})")
    return "\n".join(lines) + "\n"


# ---- writing -------------------------------------------------------------------------------


def outputs() -> dict[Path, str]:
    """All files that this script makes, with their text."""
    calls = load_calls()
    wrappers = all_wrappers(calls)
    texts = {NAMES_DEF: names_text(wrappers)}
    for name, text in mpi_text.files(calls, wrappers, MADE_BY).items():
        texts[GENERATED / name] = text
    return texts


def stale(texts: dict[Path, str]) -> list[Path]:
    """The files that are missing, differ, or should not be there."""
    wrong = [
        path
        for path, text in texts.items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    return wrong + [path for path in GENERATED.glob("*") if path not in texts]


def main() -> int:
    """Command line."""
    texts = outputs()
    wrong = stale(texts)
    if "--check" in sys.argv[1:]:
        for path in wrong:
            print(f"{path.relative_to(ROOT)} is stale: run tools/generate_mpi.py")
        return 1 if wrong else 0
    GENERATED.mkdir(parents=True, exist_ok=True)
    for path in wrong:
        if path in texts:
            path.write_text(texts[path], encoding="utf-8")
        else:
            path.unlink()
        print(f"wrote {path.relative_to(ROOT)}" if path in texts else f"removed {path.name}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except TableError as problem:
        sys.exit(f"tools/generate_mpi.py: {problem}")
