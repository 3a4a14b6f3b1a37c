"""Functions that run in Spark's workers: queries to files of some days, and work on the results.

A worker imports this module from its own installation of jostle. Errors are returned as values: if
a task raised an error, Spark would repeat the task, and then report a page of Java messages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from jostle import __version__
from jostle.errors import JostleError
from jostle.repository import Snapshot
from jostle.repository.query.divided import Question, answer
from jostle.repository.query.engine import Engine
from jostle.repository.query.export import ExportSelection, export

In = TypeVar("In")
Out = TypeVar("Out")


@dataclass(frozen=True)
class Failure:
    """An error for users, as a value that a worker returns."""

    message: str
    hint: str
    exit_code: int

    def error(self) -> JostleError:
        """Return the error that is to be raised."""
        return JostleError(self.message, hint=self.hint, exit_code=self.exit_code)


def caught(function: Callable[[In], Out], version: str, argument: In) -> Out | Failure:
    """Return what a function returns, or why it failed.

    Args:
        function: The function.
        version: jostle's version on the driver.
        argument: Argument of the function.
    """
    if version != __version__:
        return Failure(
            f"A worker has jostle {__version__}, and the query comes from {version}.",
            "Install the same version everywhere.",
            1,
        )
    try:
        return function(argument)
    except JostleError as error:
        return Failure(str(error), error.hint, error.exit_code)


def packed(table: pa.Table) -> bytes:
    """Return a table as bytes, to be sent between machines."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def unpacked(data: bytes) -> pa.Table:
    """Return the table from its bytes."""
    return pa.ipc.open_stream(data).read_all()


def answered(part: tuple[Snapshot, Question]) -> pa.Table:
    """Run a query on the files of a part."""
    snapshot, question = part
    engine = Engine.of_snapshot(snapshot, threads=1)
    try:
        return answer(engine, question)
    finally:
        engine.close()


def packed_answer(part: tuple[Snapshot, Question]) -> bytes:
    """Run a query on the files of a part; return the answer as bytes."""
    return packed(answered(part))


def written(what: str, form: str, chosen: ExportSelection, part: tuple[Snapshot, str]) -> int:
    """Write the rows of a table or job that are in the files of a part; return their number."""
    snapshot, target = part
    engine = Engine.of_snapshot(snapshot, threads=1)
    try:
        return export(engine, what, form, Path(target), chosen, lambda job: job).rows
    finally:
        engine.close()


def keyed(
    divide: Callable[[pa.Table], Iterable[tuple[int, pa.Table]]],
    version: str,
    part: tuple[int, int, Snapshot, Question],
) -> Iterator[tuple[int, tuple[int, bytes] | Failure]]:
    """Answer a query from the files of a part, and divide the answer among keys.

    Args:
        divide: Function that divides a table into keys (numbers below `KEYS`) and their rows.
        version: jostle's version on the driver.
        part: Number of the query, number of the part, files of the part, and the query.
    """
    place, number, snapshot, question = part
    rows = caught(answered, version, (snapshot, question))
    if isinstance(rows, Failure):
        yield 0, rows
        return
    for share, some in divide(rows):
        yield place * KEYS + share, (number, packed(some))


#: Number of keys of one query.
KEYS = 1 << 16


def gathered(
    work: Callable[[int, list[pa.Table]], Any],
    version: str,
    group: tuple[int, Iterable[tuple[int, bytes] | Failure]],
) -> tuple[int, Any]:
    """Work on all rows of one key.

    Args:
        work: Function of the number of the query and the rows of each part, in the parts' order.
        version: jostle's version on the driver.
        group: The key, and the rows that each part has for this key.
    """
    key, items = group
    pieces = []
    for item in items:
        if isinstance(item, Failure):
            return key, item
        pieces.append(item)
    tables = [unpacked(data) for _, data in sorted(pieces)]
    return key, caught(lambda rows: work(key // KEYS, rows), version, tables)
