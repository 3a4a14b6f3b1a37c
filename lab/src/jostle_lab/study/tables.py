"""Models of the tables in a study's file, for pydantic (lab/docs/reference/study.md)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BaseModel, Field

from jostle_lab.study.kinds import (
    TABLE,
    Flag,
    Items,
    Kind,
    Share,
    Size,
    Span,
    Text,
    Words,
    WrongValueError,
    between,
    name_or_none,
    named,
    one_of,
    texts,
    whole,
)
from jostle_lab.study.model import (
    FLUSHES,
    MODES,
    MPIS,
    PATTERNS,
    PROGRESS,
    ROLES,
    LabTable,
    SlurmTable,
    Where,
)
from jostle_lab.study.units import size, span

_RESERVED = re.compile(r"JOSTLE.*|LD_PRELOAD")
_FILE_NAME = re.compile(r"(?!/)(?!.*(?:^|/)\.\.?(?:/|$))[\w./+-]{1,200}")
_NODES = re.compile(r"\d{1,6}(-\d{1,6})?(,\d{1,6}(-\d{1,6})?)*")
_LAST_NODE = 100_000


def _slice(value: object) -> float | None:
    found = span(value)
    if found is not None and not 0.1 <= found <= 60:
        raise WrongValueError("a slice lasts 100 ms to 60 s.", 'For example: slice = "250ms"')
    return found


def _volume(value: object) -> int | tuple[tuple[int, int], ...] | None:
    """Read a volume: a size, or a table chunk -> size."""
    if not isinstance(value, dict):
        return size(value)
    pairs = [(size(chunk), size(volume)) for chunk, volume in value.items()]
    right = tuple((c, v) for c, v in pairs if c is not None and v is not None)
    return right if right and len(right) == len(pairs) else None


def _at(value: object) -> tuple[int, ...] | None:
    """Read the numbers of nodes, such as `1,5-8`; each once."""
    if not isinstance(value, str) or not _NODES.fullmatch(value):
        return None
    spans = [[int(end) for end in part.split("-")] for part in value.split(",")]
    if any(not 0 < span[0] <= span[-1] <= _LAST_NODE for span in spans):
        return None
    numbers = [n for span in spans for n in range(span[0], span[-1] + 1)]
    return tuple(numbers) if len(set(numbers)) == len(numbers) else None


def _environment(value: object) -> tuple[tuple[str, str], ...] | None:
    found = texts(value)
    for name in found or ():
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise WrongValueError(f"`{name}` cannot name a variable.", 'env = { NAME = "1" }')
        if _RESERVED.fullmatch(name):
            raise WrongValueError(f"{name} is set by the study itself.", "Leave it out.")
    return None if found is None else tuple(sorted(found.items()))


def _files(value: object) -> tuple[tuple[str, str], ...] | None:
    found = texts(value)
    for name in found or ():
        if not _FILE_NAME.fullmatch(name):
            raise WrongValueError(
                f"`{name}` would be outside the program's folder, or is not a file name.",
                'files = { "in.melt" = "..." }, or "system/controlDict" for one in a folder.',
            )
    return None if found is None else tuple(found.items())


def _axis(read: Callable[[Any], Any]) -> Kind:
    """Return the type of an axis's values: one for both programs of a pair, or one for each."""

    def values_of(value: object) -> tuple[Any, ...] | None:
        if not isinstance(value, list) or not value:
            return None
        values = []
        for item in value:
            parts = item if isinstance(item, list) else [item]
            found = [read(part) for part in parts]
            if None in found or len(found) not in (1, 2):
                raise WrongValueError(
                    f"{item!r} is not a value for it.",
                    "Write one value for both programs of a pair, or a list of two.",
                )
            one = not isinstance(item, list) or len(found) == 1
            values.append(found[0] if one else tuple(found))
        if len(set(values)) < len(values):
            raise WrongValueError("a value occurs twice.", "Leave one out.")
        return tuple(values)

    return Kind(values_of, "a list with something in it", "[...]")


class _Table(BaseModel):
    model_config = TABLE

    def given(self) -> dict[str, Any]:
        """Return the fields that are set in the file, without empty ones."""
        found = self.model_dump(exclude_unset=True)
        return {name: value for name, value in found.items() if value not in (None, ())}


class Keys(_Table):
    """Table [defaults]: every key of a program except those that identify it."""

    processes: Annotated[int | None, between(1, 1_000_000)] = None
    nodes: Annotated[int | None, between(1, 100_000)] = None
    per_node: Annotated[int | None, between(1, 100_000)] = None
    mpi: Annotated[str | None, one_of(MPIS)] = None
    chunk: Size | None = None
    piece: Size | None = None
    shared: Flag | None = None
    api: Annotated[str | None, one_of(("posix", "mpiio"))] = None
    store: Annotated[str | None, Kind(name_or_none, "the name of a folder", '"disk"')] = None
    flush: Annotated[str | None, one_of(FLUSHES)] = None
    reuse: Flag | None = None
    direct: Flag | None = None
    split: Flag | None = None
    volume: Annotated[
        int | tuple[tuple[int, int], ...] | None,
        Kind(
            _volume,
            "a size, nor a table of chunk sizes and sizes",
            '"64MiB", or { "64KiB" = "8MiB", "1MiB" = "64MiB" }',
        ),
    ] = None
    iterations: Annotated[int | None, between(1, 1 << 62)] = None
    time_s: Span | None = None
    period_s: Span | None = None
    duty: Share | None = None
    phase_s: Span | None = None
    options: Words = ()
    progress: Annotated[str | None, one_of(PROGRESS)] = None
    limit_s: Span | None = None
    expect_s: Span | None = None
    alone: Flag | None = None
    env: Annotated[
        tuple[tuple[str, str], ...], Kind(_environment, "a table of texts", '{ NAME = "value" }')
    ] = ()
    prepare: Words = ()
    needs: Words = ()

    def given(self) -> dict[str, Any]:
        """Return the fields of a Program that are set in the file."""
        found = super().given()
        if isinstance(found.get("volume"), tuple):
            found["volumes"] = found.pop("volume")
        return found


class ProgramTable(Keys):
    """Table [[program]]: a program of the study."""

    name: Annotated[str | None, named("writer")] = None
    pattern: Annotated[str | None, one_of(PATTERNS)] = None
    command: Words = ()
    role: Annotated[str | None, one_of(ROLES)] = None
    at: Annotated[
        tuple[int, ...], Kind(_at, "numbers of nodes, each once", '"1,5" or "1-32,65-96"')
    ] = ()
    sources: Words = ()
    files: Annotated[
        tuple[tuple[str, str], ...], Kind(_files, "a table of texts", '{ NAME = "value" }')
    ] = ()


class Head(_Table):
    """Table [study]: name, description and repetitions of the study."""

    name: Annotated[str, named("my-study")]
    description: Text = ""
    repetitions: Annotated[int, between(1, 1000)] = 5
    slice_s: Annotated[float, Kind(_slice, "a span", '"10s"')] = 0.25
    seed: Annotated[int, between(0, 1 << 62)] = 1
    progress: Annotated[str | None, one_of(PROGRESS)] = None
    limit_s: Span | None = None


_Values = tuple[Any, ...]


class Axes(_Table):
    """Table [axes]: the values of each axis."""

    chunk: Annotated[_Values, _axis(size)] = ()
    processes: Annotated[_Values, _axis(lambda v: whole(v, 1, 1_000_000))] = ()
    nodes: Annotated[_Values, _axis(lambda v: whole(v, 1, 100_000))] = ()
    shared: Annotated[_Values, _axis(lambda v: v if isinstance(v, bool) else None)] = ()
    api: Annotated[_Values, _axis(lambda v: v if v in ("posix", "mpiio") else None)] = ()
    store: Annotated[_Values, _axis(name_or_none)] = ()


class Quick(_Table):
    """Table [quick]: the settings that --quick changes."""

    repetitions: Annotated[int, between(1, 1000)] = 1
    defaults: Keys = Keys()
    axes: Axes = Axes()
    pairs: Items | None = None


class Pairs(_Table):
    """Table [pairs]: the programs that run in pairs, and how they run."""

    mode: Annotated[str, one_of(MODES)] = "race"
    every: Flag = Field(default=True, alias="all")
    listed: Items | None = Field(default=None, alias="list")


class File(_Table):
    """A study's file with all its tables."""

    study: Head
    where: Where = Where()
    lab: LabTable = LabTable()
    slurm: SlurmTable = SlurmTable()
    defaults: Keys = Keys()
    axes: Axes = Axes()
    quick: Quick = Quick()
    program: list[ProgramTable] = Field(min_length=1)
    pairs: Pairs = Pairs.model_validate({})
