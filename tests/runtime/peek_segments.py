"""Reads execution segments and tokens of a profile, by the format's page alone."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

from peek import read_header
from peek_cells import Bytes, records

_VALUES = (
    "signature_set sends recvs isends irecvs sendrecvs p2p_bytes p2p_room one_to_all all_to_one "
    "all_to_all barriers scans neighbors collective_bytes rma_ops rma_bytes opens closes reads "
    "writes read_bytes write_bytes mpiio_ops mpiio_bytes mpi_ns io_ns cpu_ns wait_ns offcpu_ns "
    "instructions flops wait_bins offcpu_bins occurrence"
).split()
_RULES = ("every", "coalesced", "epoch", "raw", "final")


def entries(data: bytes) -> list[tuple[str, int, bytes]]:
    """Type, number and payload of each entry: of the 'G' records, then of the ring."""
    h: dict[str, int] = read_header(data)  # type: ignore[assignment]
    commit = h["commit_offset"] + (h["generation"] & 1) * h["commit_bytes"]
    (records_end,) = struct.unpack_from("<Q", data, commit)
    body = records(data[h["head_bytes"] : records_end])
    parts = [b"".join(payload for kind, payload in body if kind == "G")]
    if h["ring_bytes"]:
        written, drained = struct.unpack_from("<QQ", data, h["ring_offset"])
        size, at = h["ring_bytes"] - 64, h["ring_offset"] + 64
        assert 0 <= written - drained <= size
        parts.append(bytes(data[at + n % size] for n in range(drained, written)))
    out: list[tuple[str, int, bytes]] = []
    for part in parts:
        cursor = Bytes(part)
        while cursor.at < len(part):
            kind, number = cursor.take(1).decode("latin-1"), cursor.varint()
            payload = cursor.take(cursor.varint())
            assert number <= len(out), f"entry {len(out)} is missing"
            if number == len(out):
                out.append((kind, number, payload))
    return out


def tokens(path: Path) -> dict[int, dict[str, object]]:
    """The tokens of a profile by index: hash, function, bytes, site, module."""
    out: dict[int, dict[str, object]] = {}
    for kind, _, payload in entries(path.read_bytes()):
        if kind == "t":
            c = Bytes(payload)
            index, (token_hash,) = c.varint(), struct.unpack("<I", c.take(4))
            out[index] = {"hash": token_hash, "function": c.string(), "bytes": c.varint()}
            out[index] |= {"site": c.varint(), "module": c.string()}
            assert c.at == len(payload)
    return out


def segments(path: Path) -> list[dict[str, Any]]:
    """The segments of a profile, in order; what is absent is 0 (bins: empty)."""
    data = path.read_bytes()
    names = tokens(path)
    out: list[dict[str, Any]] = []
    header = read_header(data)
    end: int = header["file_ns" if header["part"] else "mpi_init_ns"]  # type: ignore[assignment]
    kinds = 0
    for kind, number, payload in entries(data):
        if kind != "s":
            continue
        row, kinds = _segment(Bytes(payload), kinds)
        row |= {"number": number, "start_ns": end, "end_ns": end + row["duration_ns"]}
        row["function"] = names[row["token"]]["function"] if row["token"] else ""
        end = row["end_ns"]
        out.append(row)
    return out


def _segment(c: Bytes, kinds: int) -> tuple[dict[str, Any], int]:
    row: dict[str, Any] = {"duration_ns": c.varint()}
    rule = c.take(1)[0]
    row |= {
        "rule": _RULES[rule & 7],
        "level": rule >> 3,
        "token": c.varint(),
        "globals": c.varint(),
    }
    row["sequence_hash"], row["signature_sum"] = struct.unpack("<HI", c.take(6))
    present = c.varint()
    assert present >> len(_VALUES) == 0
    for bit, name in enumerate(_VALUES):
        if not present >> bit & 1:
            row[name] = kinds if bit == 0 else b"" if name.endswith("bins") else 0
        elif bit == 0:
            (row[name],) = struct.unpack("<Q", c.take(8))
        elif name.endswith("bins"):
            row["bin_shift"] = c.take(1)[0]
            row[name] = c.take(c.varint())
        else:
            row[name] = c.minifloat() if 25 <= bit <= 29 else c.varint()
    assert c.at == len(c.data), "an entry is longer than what it holds"
    return row, row["signature_set"]


# ---- spools ----
