"""Divides the files of a snapshot into parts that can be read separately."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from jostle.repository import Snapshot
from jostle.repository.store.file_days import File
from jostle.repository.store.layout import DAY_NS, ROLLUPS, TABLES

#: Approximate stored bytes of a part: a few seconds of work, so that a lost part costs little.
PART_BYTES = 64 << 20


def days(snapshot: Snapshot) -> list[Snapshot]:
    """Divide a snapshot by the days (UTC) on which slices began.

    Returns:
        One part per day, the earliest first; each part also has all files of the tables without
        slices. If no table has slices, the only part is the snapshot itself.
    """
    whole: dict[str, tuple[File, ...]] = {}
    by_day: dict[int, dict[str, list[File]]] = {}
    for table, files in snapshot.files.items():
        if not TABLES[table].partition_ns:
            whole[table] = files
            continue
        for file in files:
            by_day.setdefault(file.lo // DAY_NS, {}).setdefault(table, []).append(file)
    return [
        replace(snapshot, files=whole | {name: tuple(files) for name, files in mine.items()})
        for _, mine in sorted(by_day.items())
    ] or [snapshot]


def pieces(snapshot: Snapshot, table: str) -> list[Snapshot]:
    """Divide the files of a table into parts whose rows, concatenated, are those of the table.

    A row of a rollup is a sum over all files of a day, so a part has whole days of rollups. A table
    without slices is not divided, since a row in one file may replace a row in another.

    Args:
        snapshot: The snapshot.
        table: Name of the table.
    """
    if not TABLES[table].partition_ns:
        return [snapshot]
    if table in ROLLUPS:
        return days(snapshot)
    groups = _grouped(sorted(snapshot.files.get(table, ()), key=lambda file: (file.lo, file.path)))
    return [replace(snapshot, files={**snapshot.files, table: group}) for group in groups]


def _grouped(files: list[File]) -> Iterator[tuple[File, ...]]:
    """Divide files, in their order, into groups of about PART_BYTES."""
    group: list[File] = []
    for file in files:
        if group and sum(each.bytes for each in group) + file.bytes > PART_BYTES:
            yield tuple(group)
            group = []
        group.append(file)
    yield tuple(group)
