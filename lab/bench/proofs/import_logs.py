#!/usr/bin/env python3
"""Measures the time to import many Darshan logs.

    lab/bench/proofs/import_logs.py [--logs N] [--json]

The logs are copies of those in the package `darshan` (real runs, from one process to 2048), with
other job numbers and later times. Two processes read them. The target is 10 000 logs in ten minutes
on two cores; with fewer logs the time of 10 000 is extrapolated.
"""

from __future__ import annotations

import argparse
import json
import struct
import sys
import tempfile
import time
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "lab/src")]

AIM_LOGS, AIM_S = 10_000, 600.0
WORKERS = 2
_APART_S = 600
#: Where the compressed job is, and its begin: uid, start and end (s), processes, number.
_JOB_AT, _JOB = 360, struct.Struct("<5q")


def renumbered(content: bytes, job_id: int, later_s: int) -> bytes:
    """Return a log with the same content, of another job that ran later.

    For a log before version 3.4: its job is at a known offset, compressed by zlib. The part must
    keep its length; space for that is in the notes after the job, in which any key is allowed.
    """
    stream = zlib.decompressobj()
    text = bytearray(stream.decompress(content[_JOB_AT:]))
    room = len(content) - _JOB_AT - len(stream.unused_data)
    uid, start, end, processes, _ = _JOB.unpack_from(text)
    _JOB.pack_into(text, 0, uid, start + later_s, end + later_s, processes, job_id)
    end_of_notes = text.index(b"\0", _JOB.size)
    notes = text.index(b"\n", _JOB.size) + 1  # after the version of the library
    text[notes:end_of_notes] = bytes(end_of_notes - notes)
    for attempt in range(4000):
        key = f"copy={(job_id * 7919 + attempt) ** (1 + attempt % 5)}\n".encode()[: attempt % 60]
        trial = text.copy()
        trial[notes : notes + len(key)] = key
        for level in (6, 9):
            packed = zlib.compress(bytes(trial), level)
            if len(packed) == room:
                return content[:_JOB_AT] + packed + content[_JOB_AT + room :]
    raise ValueError("a log cannot be renumbered")


def copies(folder: Path, number: int) -> None:
    """Write copies of the package's logs, in turn."""
    import darshan

    examples = sorted((Path(darshan.__file__).parent / "examples").rglob("*.darshan"))
    contents = [path.read_bytes() for path in examples]
    for at in range(number):
        turn, which = divmod(at, len(contents))
        copy = renumbered(contents[which], 100_000 + at, turn * _APART_S)
        (folder / f"{at:06d}.darshan").write_bytes(copy)


def main() -> int:
    """Copy logs, import them and print the time; return 1 if the target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--logs", type=int, default=1000, metavar="N", help="number of logs [1000]")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")
    asked = parser.parse_args()
    from jostle.imports import DarshanImport
    from jostle.repository import Repository

    with tempfile.TemporaryDirectory() as name:
        logs = Path(name) / "logs"
        logs.mkdir()
        copies(logs, asked.logs)
        store = Repository(Path(name) / "repository", create=True)
        begin = time.perf_counter()
        report = DarshanImport(store, workers=WORKERS).run([logs])
        seconds = time.perf_counter() - begin
    whole_s = seconds / max(report.logs, 1) * AIM_LOGS
    facts = {
        "logs": report.logs,
        "imported": report.imported,
        "set_aside": len(report.set_aside),
        "seconds": round(seconds, 1),
        "seconds_of_10000": round(whole_s, 1),
        "bytes_written": report.bytes_written,
    }
    if asked.json:
        print(json.dumps(facts))
    else:
        print(
            f"{report.imported} of {report.logs} logs in {seconds:.1f} s with {WORKERS} readers: "
            f"{AIM_LOGS} take {whole_s:.0f} s (aim: {AIM_S:.0f} s)."
        )
    return int(whole_s > AIM_S or bool(report.set_aside))


if __name__ == "__main__":
    sys.exit(main())
