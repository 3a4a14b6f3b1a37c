"""Logs of signals, made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HEADER: dict[str, Any] = {
    "type": "signal",
    "version": 1,
    "pattern": "write-seek",
    "job": "noise",
    "host": "node1",
    "pid": 7,
    "rank": 0,
    "ranks": 1,
    "mpi": None,
    "slice_ns": 250_000_000,
    "start_ns": 1_700_000_000_000_000_000,
    "chunk": 1 << 20,
    "period_ns": 0,
    "duty": 0.5,
    "phase_ns": 0,
    "shared": False,
    "api": "posix",
    "flush": "each",
    "half": None,
    "arguments": ["write-seek"],
}
LATENCY = {"p50_ns": 10, "p95_ns": 20, "p99_ns": 30, "max_ns": 40}
BURST = {
    "type": "burst",
    "begin_ns": 1_700_000_000_000_001_000,
    "end_ns": 1_700_000_000_500_000_000,
    "due_ns": 1_700_000_000_000_000_000,
    "operations": 3,
    "bytes": 3 << 20,
}
SLICE = {
    "type": "slice",
    "slice": 6_800_000_000,
    "operations": 3,
    "bytes": 3 << 20,
    "busy_ns": 999,
    **LATENCY,
}
END = {
    "type": "end",
    "end_ns": 1_700_000_000_600_000_000,
    "reason": "volume",
    "error": None,
    "operations": 3,
    "bytes": 3 << 20,
    "opens": 1,
    "closes": 1,
    "writes": 3,
    "reads": 0,
    "seeks": 3,
    "syncs": 3,
    "stats": 0,
    "unlinks": 0,
    "messages": 0,
    **LATENCY,
}


def text(*lines: dict[str, Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


def whole(**header: Any) -> str:
    """A whole log of one burst in one slice."""
    return text(HEADER | header, BURST, SLICE, END)


def put(folder: Path, content: str | bytes, name: str = "noise.node1.7.jsonl") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
