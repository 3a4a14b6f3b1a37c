"""Writes Parquet files under a hidden name, syncs them, then renames them into place."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import uuid
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from jostle.errors import no_room
from jostle.files.repository_address import is_address, shown
from jostle.repository.errors import RepositoryError
from jostle.repository.store.file_days import File
from jostle.repository.store.layout import TABLES, partition_folder
from jostle.repository.store.log import Log, reached
from jostle.repository.store.sealed import file_sum
from jostle.repository.store.state import Change
from jostle.repository.store.storage import open_storage
from jostle.repository.store.tables import PartitionChunk, PartitionStream

ROW_GROUP = 128 * 1024
LOOK_AT_OBJECTS = "Check the network and the settings of the object store; then try again."
_BUCKET = re.compile(r"_b\d\d$")
# A dictionary is used if its size is below this share: then reading is faster as well.
_SMALLER = 0.97
_DELTA, _SPLIT = "DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"
#: Key in a file's own metadata: files that were published together have the same value.
CHANGE = "jostle.change"
#: Key of the names of the files that it replaces, separated by spaces.
REPLACED = "jostle.replaced"


def write_chunks(
    root: Path,
    parts: Iterable[PartitionChunk | PartitionStream],
    level: int = 1,
    replaced: Sequence[File] = (),
) -> list[File]:
    """Write chunks as files of a repository; they become valid with the commit that lists them.

    Args:
        root: The repository.
        parts: Chunks of rows.
        level: Compression level of zstd.
        replaced: Files that the same commit removes, since their rows are in the chunks.

    Raises:
        RepositoryError: The files cannot be written; files already written are removed again.
    """
    files: list[File] = []
    change = uuid.uuid4().hex
    try:
        for chunk in parts:
            own = [Path(file.path).name for file in replaced if file.table == chunk.table]
            marks = {CHANGE: change} | ({REPLACED: " ".join(own)} if own else {})
            files.append(_write(root, chunk, marks, level))
        open_storage(root).publish([file.path for file in files])
    except BaseException as error:
        remove_files(root, files)
        if isinstance(error, OSError):
            raise cannot_write(root, error) from error
        raise
    return files


def _write(
    root: Path, chunk: PartitionChunk | PartitionStream, marks: dict[str, str], level: int
) -> File:
    folder = root / partition_folder(TABLES[chunk.table], chunk.lo, chunk.hi)
    folder.mkdir(parents=True, exist_ok=True)
    name = f"{uuid.uuid4().hex}.parquet"
    temporary, final = folder / f".{name}", folder / name
    try:
        keys = TABLES[chunk.table].keys
        parts = iter([chunk.rows]) if isinstance(chunk, PartitionChunk) else chunk.parts
        rows = write_parquet(parts, temporary, keys, marks, level)
        reached("file-written")
        size, checksum = temporary.stat().st_size, file_sum(temporary)
        os.rename(temporary, final)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    reached("file-renamed")
    path = final.relative_to(root).as_posix()
    return File(chunk.table, path, rows, size, chunk.lo, chunk.hi, checksum)


def write_parquet(
    parts: Iterator[pa.Table],
    path: Path,
    keys: Container[str],
    metadata: dict[str, str],
    level: int,
) -> int:
    """Write a table with zstd, as in decision 0051: values split into bytes, names by dictionary.

    Args:
        parts: The table's parts, each with the same columns; at least one.
        path: Path of the file.
        keys: Columns with statistics, for queries that skip row groups.
        metadata: Metadata of the file.
        level: Compression level of zstd.

    Returns:
        The number of rows.
    """
    groups = _row_groups(parts)
    first = next(groups)
    schema, count = first.schema, 0
    coded = _encodings(first, keys, level)
    with path.open("wb") as stream:
        with pq.ParquetWriter(
            stream,
            schema,
            compression="zstd",
            compression_level=level,
            use_dictionary=[name for name in schema.names if name not in coded],
            column_encoding=coded,
            store_schema=False,
            write_page_checksum=True,  # `jostle repository check` finds flipped bits
            # Rows are not searched by values of metrics, and statistics take a sixth of the time.
            write_statistics=[name for name in schema.names if name in keys],
        ) as writer:
            for group in itertools.chain([first], groups):
                writer.write_table(group, row_group_size=ROW_GROUP)
                count += group.num_rows
            writer.add_key_value_metadata(metadata)
        stream.flush()
        os.fsync(stream.fileno())
    return count


def _encodings(first: pa.Table, keys: Container[str], level: int) -> dict[str, str]:
    """Return the encoding of each column of numbers; columns without one use a dictionary.

    Args:
        first: The first rows of the file.
        keys: Key columns; all other columns have values.
        level: Compression level of zstd.
    """
    # RATIONALE: a time has 12 significant bits and many trailing zero bits; an amount has many
    # leading ones. If values are split into bytes, zstd removes both kinds of zeros. Differences
    # between rows, which suit the number of a slice, would need a third more space.
    coded = {
        field.name: _DELTA if field.name in keys else _SPLIT
        for field in first.schema
        if pa.types.is_integer(field.type)
        and field.name != "process"
        and not _BUCKET.search(field.name)
    }
    if first.num_rows < ROW_GROUP:
        return coded
    # For a large file both are tried: if few values recur, a dictionary is smaller.
    sample = first.slice(0, ROW_GROUP)
    split, plain = (_column_bytes(sample, way, level) for way in (_SPLIT, None))
    return {
        name: way
        for name, way in coded.items()
        if way == _DELTA or plain[name] > _SMALLER * split[name]
    }


def _column_bytes(rows: pa.Table, encoding: str | None, level: int) -> dict[str, int]:
    """Return the bytes of each column with an encoding of numbers; None: with a dictionary."""
    numbers = [field.name for field in rows.schema if pa.types.is_integer(field.type)]
    sink = pa.BufferOutputStream()
    pq.write_table(
        rows.select(numbers),
        sink,
        compression="zstd",
        compression_level=level,
        use_dictionary=encoding is None,
        write_statistics=False,
        column_encoding=dict.fromkeys(numbers, encoding) if encoding else None,
    )
    group = pq.read_metadata(pa.BufferReader(sink.getvalue())).row_group(0)
    return {name: group.column(number).total_compressed_size for number, name in enumerate(numbers)}


def _row_groups(parts: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Join parts into full row groups."""
    kept = next(parts)
    for part in parts:
        if kept.num_rows >= ROW_GROUP:
            whole = kept.num_rows // ROW_GROUP * ROW_GROUP
            yield kept.slice(0, whole)
            kept = kept.slice(whole)
        kept = pa.concat_tables([kept, part])
    yield kept


def publish(root: Path, log: Log, change: Change) -> None:
    """Commit a change; if that fails, remove the files that it would have added.

    Raises:
        ConflictError: Another process committed first.
        RepositoryError: The repository cannot be written.
    """
    try:
        log.commit(change)
    # NOTE: an interrupt may come between the commit and the note that it was made: then files stay,
    # and a compaction removes them if they are in no commit.
    except Exception as error:
        if not change.published:
            remove_files(root, change.add)
        if isinstance(error, OSError):
            raise cannot_write(root, error) from error
        raise


def remove_files(root: Path, files: Iterable[File]) -> None:
    """Remove files that are in no commit."""
    open_storage(root).remove([file.path for file in files])


@contextlib.contextmanager
def plain_errors(root: Path) -> Iterator[None]:
    """Turn system errors about files, anywhere in the block, into an error for users.

    Raises:
        RepositoryError: Instead of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise cannot_use(root, error) from error


def cannot_use(root: Path, error: OSError) -> RepositoryError:
    """Return the error for a part of a repository or of its spool that cannot be accessed."""
    if no_room(error):
        return cannot_write(root, error)
    file = f" ({os.fsdecode(error.filename)})" if error.filename else ""
    hint = "Check permissions, and the file system that it is on; then try again."
    return RepositoryError(
        f"The repository {shown(root)} cannot be used: {error.strerror or error}{file}.",
        hint=LOOK_AT_OBJECTS if is_address(shown(root)) else hint,
    )


def cannot_write(root: Path, error: OSError) -> RepositoryError:
    """Return the error for a repository that cannot be written, with the remedy."""
    hint = "Check that you may write there, or name another repository with --repository."
    if is_address(shown(root)):
        hint = LOOK_AT_OBJECTS
    if no_room(error):
        hint = (
            "Nothing was lost: free some space there, and try again. `jostle repository "
            "compact` removes what was replaced; `jostle repository expire` needs a little space."
        )
    why = error.strerror or str(error)
    return RepositoryError(f"The repository {shown(root)} cannot be written: {why}.", hint=hint)
