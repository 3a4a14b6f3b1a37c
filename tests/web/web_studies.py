"""A study made from jobs that are there already: two programs, alone and concurrently."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jostle.repository import Repository

CHUNK = 1 << 20


def plant_study(path: Path, name: str, chunks: tuple[int, ...] = (CHUNK, 8 * CHUNK)) -> list[str]:
    """Adds a study to a repository whose first jobs of two programs are its runs.

    Args:
        path: The repository.
        name: The study's name.
        chunks: Chunk sizes that it is said to have had.

    Returns:
        The jobs.
    """
    repository = Repository(path)
    rows = repository.jobs().to_pylist()
    one, two = sorted(rows, key=lambda row: row["start_ns"])[:2]
    store = repository.study(name)
    records = []
    for chunk in chunks:
        for own, other in ((one, None), (two, None), (one, two), (two, one)):
            programs = [
                _program("writer" if row is one else "reader", row, chunk, role)
                for row, role in ((own, "probe"), (other, "signal"))
                if row
            ]
            if other is None:
                programs[0]["role"] = "alone"
            run = f"r01-p{len(records) + 1:03d}"
            records.append(
                {
                    "run": run,
                    "study": name,
                    "repetition": 1,
                    "programs": programs,
                    "cell": {"chunk": chunk},
                    "slice_ns": 4_000_000_000,
                    "place": "local",
                }
            )
    plan = {
        "config": {"description": "a writer alongside a reader"},
        "place": {"place": "local"},
        "runs": [record["run"] for record in records],
    }
    store.begin("", plan)
    for record in records:
        store.append_run(record)
    return [one["job"], two["job"]]


def _program(name: str, row: dict[str, Any], chunk: int, role: str) -> dict[str, Any]:
    return {
        "name": name,
        "job": row["job"],
        "role": role,
        "processes": row["processes"],
        "nodes": 1,
        "chunk": chunk,
        "progress": "bytes",
        "begin_ns": row["start_ns"],
        "end_ns": row["end_ns"],
    }
