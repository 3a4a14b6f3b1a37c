"""Translates the terms of schema/mpi_calls.toml into C expressions, for mpi_text.py."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generate_mpi import Call, Param

WIDTH = 100
GLOBAL = ("ALL_TO_ALL", "BARRIER")
TRACKED = ("IALL_TO_ALL", "IBARRIER")
VARYING = re.compile(r"(?i)(gatherv|scatterv|alltoallv|alltoallw)(_init)?(_c)?$")


class Language:
    """Translates the words of the table for C or for Fortran wrappers."""

    def __init__(self, call: Call, fortran: bool) -> None:
        self.call = call
        self.fortran = fortran
        self.params = {p.name: p for p in call.params}

    def element(self, param: Param) -> str:
        """The type of a number, or of one entry of an array of numbers."""
        if self.fortran:
            return param.fortran
        return param.c_type.replace("const ", "").replace("*", "").strip()

    def value(self, name: str) -> str:
        """A scalar argument, unchanged."""
        param = self.params[name]
        return f"*(const {self.element(param)} *){name}" if self.fortran else name

    def comm(self, name: str = "comm") -> str:
        """A communicator as a C handle."""
        return f"jst_c_comm({self.value(name)})" if self.fortran else name

    def window(self) -> str:
        """The window as a C handle."""
        return f"jst_c_win({self.value('win')})" if self.fortran else "win"

    def message(self) -> str:
        """The C handle in the message argument."""
        return "jst_c_message(*(const MPI_Fint *)message)" if self.fortran else "*message"

    @property
    def record(self) -> str:
        """The pointer to the call record."""
        return "call" if self.fortran else "&call"

    def fast(self, function: str) -> str:
        """The form of a function for this language's handles."""
        return function + "_f" if self.fortran else function

    def argument(self, name: str) -> str:
        """A parameter of the table as a C expression."""
        param = self.params[name]
        if param.kind == "COMMUNICATOR":
            return self.comm(name)
        if param.array or param.kind in ("BUFFER", "DATATYPE", "RANK"):
            return name if param.array or param.kind == "BUFFER" else self.value(name)
        return f"(uint64_t){self.value(name)}"

    def expression(self, text: str) -> str:
        """An expression of the table as C."""

        def word(match: re.Match[str]) -> str:
            name, call = match.group(1), match.group(2)
            if call:
                return self.function(name) + "("
            return self.argument(name) if name in self.params else name

        # Arrays are followed by the width of their entries.
        text = re.sub(r"\b(sum|at|dot)\((\w+),", self._sized, text)
        text = re.sub(r"\b(\w+types)\[i\]", self._entry, text)
        return re.sub(r"\b([A-Za-z_]\w*)\b(\()?", word, text)

    def _sized(self, match: re.Match[str]) -> str:
        width = 4 if self.element(self.params[match.group(2)]) in ("int", "MPI_Fint") else 8
        return f"{match.group(1)}({match.group(2)}, {width},"

    def _entry(self, match: re.Match[str]) -> str:
        name = match.group(1)
        return f"((const MPI_Fint *){name})[i]" if self.fortran else f"{name}[i]"

    def function(self, name: str) -> str:
        """The C name of a word of the table that is a function."""
        if name in ("size", "dot", "in_place"):
            return self.fast("jst_" + name)
        return "jst_" + name


def described(call: Call) -> bool:
    """Whether the Fortran body checks if a buffer is a descriptor."""
    return "in_place" in call.bytes


def amount(call: Call, language: Language, text: str | None = None) -> str:
    """The bytes of a call as C."""
    result = language.expression(call.bytes if text is None else text)
    if language.fortran:
        result = re.sub(r"jst_in_place_f\((\w+)\)", r"jst_in_place_f(\1, described)", result)
    return result or "0"


def peer(call: Call, language: Language, name: str | None = None) -> str:
    """The partner's world rank as C."""
    name = call.peer if name is None else name
    if not name:
        return "JST_MPI_NO_PEER"
    return f"{language.fast('jst_peer')}({language.value(name)}, {language.value('comm')})"


def set_bytes(target: str, text: str) -> list[str]:
    """An assignment, broken at the colons of a conditional expression."""
    parts = text.replace("? ", "?\t").split(" : ")
    lines = [f"{target} = {parts[0]}"] + [f"    : {part}" for part in parts[1:]]
    joined = " ".join(line.strip() for line in lines).replace("\t", " ")
    if len(joined) + 13 <= WIDTH:
        return [joined + ";"]
    flat = [piece for line in lines for piece in break_line(line.replace("\t", " "))]
    flat[-1] += ";"
    return flat


def break_line(line: str) -> list[str]:
    """One long expression, broken at its spaces."""
    indent = " " * (len(line) - len(line.lstrip()))
    return (
        textwrap.wrap(
            line,
            WIDTH - 14,
            initial_indent="",
            subsequent_indent=indent + "    ",
            break_long_words=False,
            break_on_hyphens=False,
            drop_whitespace=True,
        )
        if len(line) > WIDTH - 14
        else [line]
    )


def flags(call: Call, language: Language, klass: str) -> str:
    """JST_MPI_GLOBAL and JST_MPI_VARYING of a collective, "" where neither can be."""
    found = []
    if klass in GLOBAL or klass in TRACKED:
        found.append(f"{language.fast('jst_global')}({language.value('comm')})")
    if VARYING.search(call.base):
        found.append("JST_MPI_VARYING")
    return " | ".join(found)


def request_of(language: Language, name: str = "request") -> str:
    """The C handle in a request argument."""
    return f"jst_c_request(*(const MPI_Fint *){name})" if language.fortran else f"*{name}"


def source_ranks(call: Call, language: Language, name: str) -> str:
    """The ranks that a receive's status names, as C; NULL where its source is known otherwise."""
    rank, comm = language.value(name), language.value("comm")
    ranks = f"{language.fast('jst_roster_of')}({comm})"
    return f"{rank} < 0 && jst_host.peers ? {ranks} : NULL"


def root(call: Call, language: Language) -> str:
    """The root of a collective as C, -1 where it has none."""
    return language.value("root") if "root" in language.params else "-1"


def wrap(head: str, items: Iterable[str], tail: str) -> list[str]:
    """A comma-separated list in parentheses, broken into lines under its parenthesis."""
    text = ", ".join(items)
    lines = textwrap.wrap(
        text + tail, WIDTH - len(head), break_long_words=False, break_on_hyphens=False
    )
    return [(head if i == 0 else " " * len(head)) + line for i, line in enumerate(lines)]


def block(lines: list[str], indent: int) -> list[str]:
    """Lines, indented."""
    return [" " * indent + line for line in lines]
