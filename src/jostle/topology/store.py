"""Stores fabrics in a repository's folder `topologies`: one file per fabric and version."""

from __future__ import annotations

import contextlib
import json
import os
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from jostle.errors import naming
from jostle.files.regular_files import read_regular
from jostle.topology.errors import TopologyError
from jostle.topology.model import Topology, valid_at

FOLDER, ENDING = "topologies", ".topology.json.zst"
#: Largest file of this format, compressed and uncompressed, bytes.
_MOST_BYTES, _MOST_TEXT = 1 << 27, 1 << 30
_FORMAT = 1
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_FILE = re.compile(rf"({_NAME.pattern})\.([0-9]{{1,19}}){re.escape(ENDING)}")
#: Attributes on date and source, which are not a part of the fabric's content.
_CIRCUMSTANCES = ("valid_from_ns", "origin")


@dataclass(frozen=True)
class Saved:
    """Result of saving a topology.

    Attributes:
        topology: The topology as it is stored now.
        change: Kind of the change. "new": the first version of the fabric; "version": another one;
            "replaced": the version of the same date had another content; "unchanged": nothing was
            written.
        before: The version that was valid at that date until now; None if there was none.
    """

    topology: Topology
    change: Literal["new", "version", "replaced", "unchanged"]
    before: Topology | None


def save(folder: Path, topology: Topology) -> Saved:
    """Store a version of a fabric, unless the one valid at its date has the same content.

    Args:
        folder: The repository's folder of topologies; created if it is missing.
        topology: The topology, with the name and the date from which it is valid.

    Raises:
        TopologyError: The name cannot be a file's name, or the date is out of range.
        OSError: The file cannot be written; no part of it is left.
    """
    if not _NAME.fullmatch(topology.name):
        raise TopologyError(
            f"`{topology.name}` cannot be the name of a fabric.",
            hint="Use at most 64 letters, digits, `_`, `.` and `-`.",
        )
    if not 0 <= topology.valid_from_ns < 1 << 63:  # a file of such a name would never be read
        raise TopologyError(
            "A fabric can be valid from a time between 1970 and 2262 only.",
            hint="Use a different time; without `--valid-from` a first version is always valid.",
        )
    versions = load_all(folder, [])
    before = valid_at(versions, topology.name, topology.valid_from_ns)
    if before is not None and same_content(before, topology):
        return Saved(before, "unchanged", before)
    _write(folder, topology)
    if not any(each.name == topology.name for each in versions):
        return Saved(topology, "new", None)
    if before is None:
        return Saved(topology, "version", None)
    same_date = before.valid_from_ns == topology.valid_from_ns
    return Saved(topology, "replaced" if same_date else "version", before)


def load_all(folder: Path, damaged: list[TopologyError] | None = None) -> list[Topology]:
    """Return all versions of all fabrics, by name and date; none if the folder is missing.

    The function is fast while the folder is unchanged.

    Args:
        folder: The repository's folder of topologies.
        damaged: List that receives the errors of damaged files, which are left out; None: errors
            are raised.

    Raises:
        TopologyError: A file is damaged, or not of this format.
    """
    seen = []
    try:
        with os.scandir(folder) as listing:
            for entry in listing:
                if _FILE.fullmatch(entry.name):
                    with contextlib.suppress(FileNotFoundError):  # it was just replaced
                        status = entry.stat()
                        seen.append((entry.path, status.st_mtime_ns, status.st_size, status.st_ino))
    except (FileNotFoundError, NotADirectoryError):
        return []
    topologies, errors = _load_seen(tuple(sorted(seen)))
    if errors and damaged is None:
        raise TopologyError(str(errors[0]), hint=errors[0].hint)
    if damaged is not None:
        damaged += errors
    return list(topologies)


def newest(folder: Path, name: str, time_ns: int) -> Topology | None:
    """Return the version of a fabric that is valid at a time; None before its first one.

    Raises:
        TopologyError: A file is damaged, or not of this format.
    """
    return valid_at(load_all(folder), name, time_ns)


def topologies_of(repository: Path) -> list[Topology]:
    """Return all versions of all fabrics of a repository, by its folder.

    Damaged files are left out: `jostle topology show` and `jostle doctor` report them.
    """
    return load_all(repository / FOLDER, [])


def same_content(a: Topology, b: Topology) -> bool:
    """Return whether two versions describe the same, whatever their sources are."""
    return _document(a, _CIRCUMSTANCES) == _document(b, _CIRCUMSTANCES)


@lru_cache(maxsize=8)
def _load_seen(
    seen: tuple[tuple[str, int, int, int], ...],
) -> tuple[tuple[Topology, ...], tuple[TopologyError, ...]]:
    topologies, errors = [], []
    for each in seen:
        try:
            topologies.append(_load(*each))
        except TopologyError as error:
            errors.append(error)
    topologies.sort(key=lambda each: (each.name, each.valid_from_ns))
    return tuple(topologies), tuple(errors)


@lru_cache(maxsize=64)
def _load(path: str, _mtime_ns: int, _size: int, _inode: int) -> Topology:
    try:
        content = read_regular(Path(path), _MOST_BYTES)
        with pa.CompressedInputStream(pa.BufferReader(content), "zstd") as stream:
            text = stream.read(_MOST_TEXT + 1)
        if len(text) > _MOST_TEXT:
            raise ValueError("it is larger than any fabric")
        topology = _topology(json.loads(text))
        if Path(path).name != file_name(topology):
            raise ValueError("its name is not that of its content")
        return topology
    except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        raise TopologyError(
            f"{path}: the topology is damaged or not one of jostle's: {str(error)[:200]}.",
            hint="Delete the file, and import the fabric again.",
        ) from None


def file_name(topology: Topology) -> str:
    """Return the name of the file of a version."""
    return f"{topology.name}.{topology.valid_from_ns}{ENDING}"


def _write(folder: Path, topology: Topology) -> None:
    text = json.dumps({"format": _FORMAT, **_document(topology)}, separators=(",", ":"))
    folder.mkdir(parents=True, exist_ok=True)
    final = folder / file_name(topology)
    temporary = folder / f".{uuid.uuid4().hex}"
    try:
        with naming(final):
            with open(temporary, "xb") as file:
                file.write(_compressed(text.encode()))
                file.flush()
                os.fsync(file.fileno())
            os.rename(temporary, final)
    finally:
        with contextlib.suppress(FileNotFoundError):
            temporary.unlink()


def _compressed(content: bytes) -> bytes:
    packed = pa.BufferOutputStream()
    with pa.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return bytes(packed.getvalue())


def _document(topology: Topology, without: Sequence[str] = ()) -> dict[str, Any]:
    """Return all attributes as JSON values."""
    document: dict[str, Any] = {}
    for attribute in fields(topology):
        if attribute.name in without:
            continue
        value = getattr(topology, attribute.name)
        if attribute.name == "forwarding":
            value = {str(switch): table.tolist() for switch, table in sorted(value.items())}
        elif isinstance(value, np.ndarray):
            value = value.tolist()
        elif isinstance(value, tuple):
            value = list(value)
        document[attribute.name] = value
    return document


_TEXTS = ("dimensions", "vertices", "hosts", "adapters", "source_ports", "target_ports", "notes")
_NUMBERS = (
    "sources",
    "targets",
    "planes",
    "levels",
    "groups",
    "lanes",
    "link_kinds",
    "link_dimensions",
    "link_signs",
)
_KINDS = ("torus", "mesh", "fat tree", "dragonfly", "tree", "graph")


def _topology(document: Any) -> Topology:
    """Return the topology of a document.

    Raises:
        ValueError, TypeError, KeyError: The document is no topology.
    """
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise ValueError("it has another format")
    values: dict[str, Any] = {name: _texts(document[name]) for name in _TEXTS}
    values |= {name: _numbers(document[name]) for name in _NUMBERS}
    sizes = tuple(_numbers(document["sizes"]).tolist())
    count = len(values["vertices"])
    if not isinstance(document["forwarding"], dict):
        raise ValueError("its forwarding tables are malformed")
    forwarding = {int(switch): _numbers(table) for switch, table in document["forwarding"].items()}
    if document["kind"] not in _KINDS or not all(isinstance(w, bool) for w in document["wraps"]):
        raise ValueError("it is of no known kind")
    return Topology(
        **values,
        name=str(document["name"]),
        kind=document["kind"],
        sizes=sizes,
        wraps=tuple(document["wraps"]),
        origin=str(document["origin"]),
        valid_from_ns=int(document["valid_from_ns"]),
        forwarding=forwarding,
        rates=np.array(document["rates"], np.float64).reshape(-1),
        coordinates=np.array(document["coordinates"], np.int64).reshape(count, len(sizes)),
    )


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError("a name is not text")
    return tuple(value)


def _numbers(value: Any) -> np.ndarray[Any, np.dtype[np.int64]]:
    array = np.array(value if value else np.zeros(0, np.int64))
    if array.ndim != 1 or array.dtype.kind != "i":
        raise ValueError("a number is not a whole number")
    return array.astype(np.int64)
