"""Stores long estimates on disk, so that they are not computed again after a restart.

There is a file for each job and each set of users whose jobs may be named, in the folder of the
verdicts. All files can be deleted at any time. An estimate is used only if this version of jostle
computed it, from the same data, and if its checksum is right.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import uuid
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from jostle.analysis.estimation.model import Cause, Cluster, Continuous, CoreSpeed, Hit, RunEstimate
from jostle.analysis.interval import Interval
from jostle.server.verdicts.verdict_store import code_fingerprint

#: Bound of the size of all files, bytes; a million segments take about ten million.
MOST_BYTES = 512 << 20
#: Estimates of fewer segments are not stored: computing them again is quick.
WORTH_SEGMENTS = 20_000
_FOLDER = "estimates"
_FACTS = b"jostle"
_DIGEST = 16
_BATCH = 1 << 18


class EstimateStore:
    """The stored estimates of one repository; if the folder cannot be written, there are none."""

    def __init__(self, cache: Path, most_bytes: int = MOST_BYTES) -> None:
        """Open the store and delete estimates of other versions.

        Args:
            cache: Folder of the verdicts and estimates of the repository.
            most_bytes: Largest size of all files together.
        """
        self._folder = cache / _FOLDER
        self._most = most_bytes
        self._fingerprint = hashlib.blake2b(code_fingerprint().encode(), digest_size=8).hexdigest()
        with contextlib.suppress(OSError):
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for path in self._folder.iterdir():
                if not path.name.endswith(f"-{self._fingerprint}"):
                    path.unlink()

    def get(self, job: str, seen: str, mark: str) -> RunEstimate | None:
        """Return the stored estimate of a job; None if there is none for its current data.

        Args:
            job: Name of the job.
            seen: Users whose jobs the estimate may name, as text from `sight`.
            mark: State of the job's data, as in `JobIndex.marks`.
        """
        path = self._path(job, seen)
        with contextlib.suppress(OSError, pa.ArrowException, KeyError, TypeError, ValueError):
            estimate = _read(path.read_bytes(), job, seen, mark)
            if estimate is not None:
                os.utime(path)  # the oldest are removed first
            return estimate
        return None

    def put(self, job: str, seen: str, mark: str, estimate: RunEstimate) -> None:
        """Store an estimate in place of an earlier one, if it is long and the disk has space."""
        if estimate.segments.num_rows < WORTH_SEGMENTS:
            return
        temporary = self._folder / f"{uuid.uuid4().hex}-{self._fingerprint}"
        try:
            # NOTE: no fsync: a file that a crash left incomplete fails its checksum.
            temporary.touch(mode=0o600, exist_ok=False)
            temporary.write_bytes(_written(job, seen, mark, estimate))
            temporary.replace(self._path(job, seen))
            self._make_room()
        except OSError:
            with contextlib.suppress(OSError):
                temporary.unlink()

    def _path(self, job: str, seen: str) -> Path:
        name = hashlib.blake2b(f"{job}\n{seen}".encode(), digest_size=16).hexdigest()
        return self._folder / f"{name}-{self._fingerprint}"

    def _make_room(self) -> None:
        """Delete the least recently used estimates until all others fit into the limit."""
        files = [(path.stat(), path) for path in self._folder.iterdir()]
        left = sum(about.st_size for about, _ in files)
        for about, path in sorted(files, key=lambda file: file[0].st_mtime_ns):
            if left <= self._most:
                return
            path.unlink(missing_ok=True)
            left -= about.st_size


def _written(job: str, seen: str, mark: str, estimate: RunEstimate) -> bytes:
    facts = asdict(replace(estimate, segments=pa.table({})))
    del facts["segments"]
    text = json.dumps(
        {"job": job, "seen": seen, "mark": mark, "facts": facts},
        default=lambda array: array.tolist(),
    )
    table = estimate.segments.replace_schema_metadata({_FACTS: text.encode()})
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table, max_chunksize=_BATCH)
    content: bytes = sink.getvalue().to_pybytes()
    return _digest(content) + content


def _read(content: bytes, job: str, seen: str, mark: str) -> RunEstimate | None:
    """Return the estimate in a file; None if the file is damaged, or belongs to other data."""
    whole = memoryview(content)
    if _digest(whole[_DIGEST:]) != whole[:_DIGEST]:
        return None
    table = pa.ipc.open_stream(pa.BufferReader(whole[_DIGEST:])).read_all()
    stored = json.loads(table.schema.metadata[_FACTS], object_hook=_interval)
    if (stored["job"], stored["seen"], stored["mark"]) != (job, seen, mark):
        return None
    facts = stored["facts"]
    for name, kind in (("causes", Cause), ("clusters", Cluster), ("hits", Hit)):
        facts[name] = [kind(**fields) for fields in facts[name]]
    for name, sole in (("continuous", Continuous), ("core_speed", CoreSpeed)):
        facts[name] = sole(**facts[name]) if facts[name] else None
    facts["doubts"] = tuple(facts["doubts"])
    return RunEstimate(**facts, segments=table.replace_schema_metadata(None))


def _interval(fields: dict[str, Any]) -> dict[str, Any] | Interval:
    """Convert a JSON object with the keys of an interval; return other objects unchanged."""
    return Interval(**fields) if fields.keys() == {"value", "low", "high"} else fields


def _digest(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_DIGEST).digest()
