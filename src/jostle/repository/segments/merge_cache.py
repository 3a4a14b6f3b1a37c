"""Caches merged segments that took long to merge, in one Parquet file per finished MPI world.

A world is the processes of one mpirun. A cached file is used only if the same version of the code
computed it from the same rows, as its key shows, and if its content is unchanged: its name has the
checksum. Cached files are optional: if there is none, or none can be written, the ranks' segments
are merged again. So cached files are not in the commit log.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from jostle.reader import SEGMENT_VALUES
from jostle.repository.segments.worlds import MpiWorld
from jostle.repository.store.layout import MERGED
from jostle.repository.types import WorldSegments

#: Least rows of ranks for which a copy is stored: fewer are merged in half a second.
WORTH_ROWS = 500_000
#: Code that makes merged segments, and files of them.
_RULES = (
    "segments/align",
    "segments/bins",
    "segments/merge_cache",
    "store/layout",
    "segments/merge",
    "segments/merger",
    "segments/sums",
    "store/tables",
    "types",
    "segments/worlds",
)
_FACTS = b"jostle"
_ROW_GROUP = 1 << 17


def key_of(world: MpiWorld, processes: pa.Table, lost_before_ns: int) -> str:
    """Return a hash of everything on which a world's cached file depends.

    Args:
        world: The world.
        processes: Rows of table processes of its job; all of them have ended, so no more segments
            will be added.
        lost_before_ns: The repository's horizon if it is after the job's start, else 0:
            retention may have removed segments.
    """
    revision = dict(
        zip(processes["process"].to_pylist(), processes["revision"].to_pylist(), strict=True)
    )
    facts = [
        _rules(),
        [world.number, world.name, world.size, world.spawned, world.ranks],
        [(process, revision[process]) for process in world.processes],
        lost_before_ns,
    ]
    return hashlib.blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()


@cache
def _rules() -> str:
    """Return a hash of the code that merges: copies of another version are not used."""
    code = hashlib.blake2b(json.dumps(SEGMENT_VALUES).encode())
    for name in _RULES:
        code.update(Path(__file__).parents[1].joinpath(f"{name}.py").read_bytes())
    return code.hexdigest()


def stem_of(job: str, begin_ns: int, number: int) -> str:
    """Return the beginning of the name of a world's cached file.

    Args:
        job: The job.
        begin_ns: Start of the job, by which retention removes cached files.
        number: Number of the world in the job.
    """
    name = hashlib.blake2b(f"{number}/{job}".encode(), digest_size=16).hexdigest()
    return f"{max(begin_ns, 0):020d}-{name}"


def save(root: Path, stem: str, key: str, world: WorldSegments) -> None:
    """Write a cached file, if possible; readers see it complete or not at all."""
    folder: Path = root / MERGED
    temporary = folder / f".{uuid.uuid4().hex}"
    facts = {
        field.name: getattr(world, field.name)
        for field in fields(world)
        if field.name != "segments"
    }
    text = json.dumps({"key": key, "columns": world.segments.column_names, "facts": facts})
    rows = _without_zeros(world.segments).replace_schema_metadata({_FACTS: text.encode()})
    try:
        folder.mkdir(exist_ok=True)
        before = list(folder.glob(f"{stem}-*.parquet"))
        # NOTE: not synced: a copy damaged by a crash is not used.
        pq.write_table(
            rows, temporary, compression="lz4", row_group_size=_ROW_GROUP, write_statistics=False
        )
        final = folder / f"{stem}-{_digest(temporary.read_bytes())}.parquet"
        os.rename(temporary, final)
        for path in before:
            if path != final:
                path.unlink(missing_ok=True)
    except OSError:  # a read-only repository, or a full disk
        with contextlib.suppress(OSError):
            temporary.unlink()


def load(root: Path, stem: str, key: str, without: Sequence[str] = ()) -> WorldSegments | None:
    """Read a cached file.

    Args:
        root: The repository.
        stem: Beginning of the file's name.
        key: Key of its rows and rules, see `key_of`.
        without: Columns that are not needed.

    Returns:
        The world; None if there is no valid cached file.
    """
    for path in (root / MERGED).glob(f"{stem}-*.parquet"):
        # Complete, but of another version of jostle with other facts.
        alien = (KeyError, TypeError, ValueError)
        with contextlib.suppress(OSError, pa.ArrowException, *alien):
            content = path.read_bytes()
            if path.stem.rpartition("-")[2] != _digest(content):
                continue
            file = pq.ParquetFile(pa.BufferReader(content))
            metadata = json.loads(file.schema_arrow.metadata[_FACTS])
            if metadata["key"] == key:
                wanted = [name for name in metadata["columns"] if name not in without]
                rows = file.read([name for name in wanted if name in file.schema_arrow.names])
                return _world(metadata["facts"], _with_zeros(rows, wanted))
    return None


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()


def _world(facts: dict[str, Any], segments: pa.Table) -> WorldSegments:
    world = WorldSegments(**facts, segments=segments)
    # JSON has no numbers as keys.
    return replace(world, diverged={int(rank): at for rank, at in world.diverged.items()})


def _without_zeros(rows: pa.Table) -> pa.Table:
    """Leave out the columns of numbers that are zero everywhere."""
    zeros = [
        field.name
        for field in rows.schema
        if field.type == pa.int64()
        and not rows.column(field.name).null_count
        and not rows.column(field.name).to_numpy().any()
    ]
    return rows.drop_columns(zeros) if zeros else rows


def _with_zeros(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return columns in order, with zeros for missing ones."""
    nothing = pa.array(np.zeros(rows.num_rows, dtype=np.int64))
    known = set(rows.column_names)
    return pa.table({name: rows.column(name) if name in known else nothing for name in names})


def drop(root: Path, horizon_ns: int) -> None:
    """Remove the cached files of jobs that began before a horizon."""
    for path in (root / MERGED).glob("*-*.parquet"):
        begin = path.name.partition("-")[0]
        if begin.isdigit() and int(begin) < horizon_ns:
            with contextlib.suppress(OSError):
                path.unlink()
