"""Writes profiles of machines by docs/reference/profile-format.md alone.

No line is shared with the agent or the decoder.
"""

from __future__ import annotations

import struct
import tomllib
import uuid
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from synth import BOOT_ID, EPOCH, SECOND
from synth_format import SCHEMA, clock_record, note_record, ns_code, record, string, svarint, varint

KINDS = [
    entry["name"]
    for group in tomllib.loads((SCHEMA.parent / "profile.toml").read_text())["numbers"]
    if group["name"] == "component_kind"
    for entry in group["values"]
]


@cache
def component_metrics() -> list[tuple[str, str, str]]:
    """Id, kind and unit of each metric of components, in the order of the schema."""
    every = tomllib.loads(SCHEMA.read_text())["metric"]
    return [(m["id"], m["kind"], m["unit"]) for m in every if m["scope"] == "component"]


@dataclass
class MachineProfile:
    """A profile of a machine under construction."""

    host: str = "node1"
    pid: int = 77
    role: int = 0
    part: int = 0
    boot_id: uuid.UUID = BOOT_ID
    slice_ns: int = 4 * SECOND
    start_ns: int = EPOCH
    heartbeat_ns: int = 0
    end_ns: int = 0
    end_reason: int = 0
    flags: int = 1
    records: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._components = 0
        self._expected = self.first_slice

    @property
    def first_slice(self) -> int:
        return self.start_ns // self.slice_ns

    def add_component(
        self,
        kind: str,
        name: str,
        source: str = "",
        job: str = "",
        path: str = "",
        device: tuple[int, int] = (0, 0),
        numa: int | None = None,
        pid: int | None = None,
    ) -> int:
        """Appends a component; gives its number. Without numa as agents before 0.5.0 did.

        Only of kind process: pid; its owner is not recorded.
        """
        numbers = (self._components, KINDS.index(kind), *device)
        texts = (name, source, job, path)
        payload = b"".join(map(varint, numbers)) + b"".join(map(string, texts))
        payload += b"" if numa is None else varint(numa + 1)
        payload += b"" if pid is None else varint(0) + varint(pid) + varint(0)
        self.records.append(record("K", payload))
        self._components += 1
        return self._components - 1

    def add_slice(
        self,
        slice_: int,
        values: Mapping[int, Mapping[str, int | None]],
        span: int = 1,
        epochs: frozenset[int] = frozenset(),
    ) -> None:
        """Appends a slice: of each component its values by metric; None: not known."""
        payload = svarint(slice_ - self._expected) + varint(span) + varint(len(values))
        self._expected = slice_ + span
        before = -1
        for component in sorted(values):
            mine = values[component]
            payload += varint(component - before - 1)
            payload += varint(2 * len(mine) + (component in epochs))
            before = component
            payload += self._values(mine)
        self.records.append(record("X", payload))

    def _values(self, mine: Mapping[str, int | None]) -> bytes:
        payload, last = b"", -1
        for cell, (name, kind, unit) in enumerate(component_metrics()):
            if name not in mine:
                continue
            value = mine[name]
            payload += varint(2 * (cell - last - 1) + (value is None))
            last = cell
            if value is None:
                continue
            timed = kind == "counter" and unit == "ns"
            payload += struct.pack("<H", ns_code(value)) if timed else varint(value)
        return payload

    def add_clock(self, realtime_ns: int, state: int, maxerror_us: int, step_ns: int = 0) -> None:
        self.records.append(clock_record(realtime_ns, state, maxerror_us, step_ns))

    def add_note(self, realtime_ns: int, text: str) -> None:
        self.records.append(note_record(realtime_ns, text))

    @property
    def name(self) -> str:
        return f"machine.{self.boot_id.hex[:8]}.{self.start_ns}.jsm"

    def bytes(self) -> bytes:
        text = "".join(
            f"{name} {kind} {unit} component {cell} 1\n"
            for cell, (name, kind, unit) in enumerate(component_metrics())
        ).encode()
        cells = len(component_metrics())
        commit_bytes = 16 + 8 * cells
        table_offset = 4096 + 2 * commit_bytes
        head_bytes = table_offset + len(text)
        head = bytearray(head_bytes)
        body = b"".join(self.records)
        struct.pack_into(
            "<8s14I",
            head,
            0,
            b"jostle01",
            1,
            head_bytes,
            cells,
            head_bytes,
            64 + 8 * cells,
            0,
            table_offset,
            len(text),
            4096,
            commit_bytes,
            zlib.crc32(text),
            0,
            0,
            self.flags,
        )
        struct.pack_into(
            "<4Q4I",
            head,
            64,
            self.slice_ns,
            self.start_ns,
            self.start_ns,
            self.first_slice,
            self.pid,
            1,
            0,
            0,
        )
        struct.pack_into(
            "<2I16s64s", head, 120, 0, self.part, self.boot_id.bytes, self.host.encode()
        )
        struct.pack_into("<I", head, 1788, self.role)
        struct.pack_into("<2Q", head, 2048, 1, 2**32)
        struct.pack_into("<QQI", head, 2064, self.heartbeat_ns, self.end_ns, self.end_reason)
        valid = 4096 + commit_bytes  # generation 1
        struct.pack_into("<2Q", head, valid, head_bytes + len(body), self._expected)
        head[table_offset:head_bytes] = text
        return bytes(head) + body

    def write(self, folder: Path) -> Path:
        path = folder / self.name
        path.write_bytes(self.bytes())
        return path
