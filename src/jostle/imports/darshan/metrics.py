"""Converts Darshan's counters into metrics of jostle."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from jostle.imports.darshan.model import Counted, Ints
from jostle.schema.metrics import HIST_BUCKETS

#: Directions of operations: their amounts are spread like the bytes read, those written, or both.
WAYS = ("read", "write", "both")


@dataclass(frozen=True)
class Interface:
    """One interface to files, with its counters in Darshan and in jostle.

    Attributes:
        module: Name of the interface in Darshan.
        kind: Name in jostle: posix or stdio.
        counters: By direction (WAYS) and metric, the counters of Darshan that are added up.
        times: By direction and metric (in ns), the counter of Darshan (in s) with this time.
    """

    module: str
    kind: str
    counters: Mapping[str, Mapping[str, tuple[str, ...]]]
    times: Mapping[str, Mapping[str, str]]


#: Darshan counts fsync and fflush in the time of writes.
INTERFACES = (
    Interface(
        "POSIX",
        "posix",
        {
            "read": {"posix_read_bytes": ("POSIX_BYTES_READ",), "posix_read_ops": ("POSIX_READS",)},
            "write": {
                "posix_write_bytes": ("POSIX_BYTES_WRITTEN",),
                "posix_write_ops": ("POSIX_WRITES",),
                "posix_sync_ops": ("POSIX_FSYNCS", "POSIX_FDSYNCS"),
            },
            "both": {
                "posix_open_ops": ("POSIX_OPENS",),
                "posix_seek_ops": ("POSIX_SEEKS",),
                "posix_meta_ops": ("POSIX_STATS", "POSIX_RENAME_SOURCES"),
            },
        },
        {
            "read": {"posix_read_ns": "POSIX_F_READ_TIME"},
            "write": {"posix_write_ns": "POSIX_F_WRITE_TIME"},
            "both": {"posix_meta_ns": "POSIX_F_META_TIME"},
        },
    ),
    Interface(
        "STDIO",
        "stdio",
        {
            "read": {"stdio_read_bytes": ("STDIO_BYTES_READ",), "stdio_read_ops": ("STDIO_READS",)},
            "write": {
                "stdio_write_bytes": ("STDIO_BYTES_WRITTEN",),
                "stdio_write_ops": ("STDIO_WRITES",),
                "stdio_sync_ops": ("STDIO_FLUSHES",),
            },
            "both": {"stdio_open_ops": ("STDIO_OPENS",), "stdio_seek_ops": ("STDIO_SEEKS",)},
        },
        {
            "read": {"stdio_read_ns": "STDIO_F_READ_TIME"},
            "write": {"stdio_write_ns": "STDIO_F_WRITE_TIME"},
            "both": {"stdio_meta_ns": "STDIO_F_META_TIME"},
        },
    ),
)

#: Kinds of MPI-IO calls: stem of the metric -> the counters whose sum it is.
_MPIIO = {
    "mpiio_{way}": ("MPIIO_INDEP_{WAY}S", "MPIIO_NB_{WAY}S"),
    "mpiio_{way}_all": ("MPIIO_COLL_{WAY}S",),
    "mpiio_{way}_split": ("MPIIO_SPLIT_{WAY}S",),
}

#: Darshan's classes of sizes: their names, and the largest size in each.
_SIZES = {
    "0_100": 100,
    "100_1K": 1 << 10,
    "1K_10K": 10 << 10,
    "10K_100K": 100 << 10,
    "100K_1M": 1 << 20,
    "1M_4M": 4 << 20,
    "4M_10M": 10 << 20,
    "10M_100M": 100 << 20,
    "100M_1G": 1 << 30,
    "1G_PLUS": 1 << 31,
}


def amounts(records: Counted, interface: Interface, way: str) -> dict[str, Ints]:
    """Return the metrics of one direction, per record.

    Args:
        records: Records of the interface.
        interface: The interface.
        way: Direction: read, write or both.

    Returns:
        Operations, bytes or ns of each metric.
    """
    found = {
        metric: sum((records.of(name) for name in names), np.zeros(len(records.id), np.int64))
        for metric, names in interface.counters[way].items()
    }
    for metric, name in interface.times[way].items():
        found[metric] = np.rint(records.time(name) * 1e9).astype(np.int64)
    return found


def mpiio(records: Counted) -> dict[str, Ints]:
    """Return the metrics of MPI-IO, per record.

    Darshan has only one sum of bytes and one of time for all reads of a file, and likewise for all
    writes. Each sum is divided among independent, collective and split operations in proportion to
    their numbers.
    """
    opens = records.of("MPIIO_INDEP_OPENS") + records.of("MPIIO_COLL_OPENS")
    found = {
        "mpiio_open_ops": opens,
        "mpiio_sync_ops": records.of("MPIIO_SYNCS"),
        "mpiio_meta_ops": records.of("MPIIO_VIEWS"),
        "mpiio_meta_ns": _ns(records, "MPIIO_F_META_TIME"),
    }
    for way, moved in (("read", "MPIIO_BYTES_READ"), ("write", "MPIIO_BYTES_WRITTEN")):
        stems = [stem.format(way=way) for stem in _MPIIO]
        ops = [
            sum(
                (records.of(name.format(WAY=way.upper())) for name in names),
                np.zeros(len(records.id), np.int64),
            )
            for names in _MPIIO.values()
        ]
        found |= {f"{stem}_ops": number for stem, number in zip(stems, ops, strict=True)}
        for what, whole in (
            ("bytes", records.of(moved)),
            ("ns", _ns(records, f"MPIIO_F_{way.upper()}_TIME")),
        ):
            for stem, part in zip(stems, divided(whole, np.stack(ops, axis=1)).T, strict=True):
                found[f"{stem}_{what}"] = part
    return found


def _ns(records: Counted, name: str) -> Ints:
    nanoseconds: Ints = np.rint(records.time(name) * 1e9).astype(np.int64)
    return nanoseconds


def divided(whole: Ints, weights: NDArray[np.int64] | NDArray[np.float64]) -> Ints:
    """Divide whole numbers by weights, so that the parts add up exactly.

    Args:
        whole: Whole numbers to divide, [n].
        weights: Weights, not negative, [n, parts]; a row of zeros counts as equal weights.

    Returns:
        Parts [n, parts].
    """
    heavy = np.asarray(weights, dtype=np.float64)
    heavy = np.where(heavy.sum(axis=1, keepdims=True) > 0, heavy, 1.0)
    until = np.cumsum(heavy, axis=1)
    until = np.floor(until / until[:, -1:] * whole[:, None] + 0.5)
    until[:, -1] = whole
    parts: Ints = np.diff(until, axis=1, prepend=0.0).astype(np.int64)
    return parts


def sizes(records: Counted, way: str) -> Ints:
    """Return the number of POSIX calls by jostle's classes of sizes (powers of two).

    Darshan's classes are wider than jostle's. For a file that was only read or only written,
    Darshan also counts the calls of the most common sizes, which are put into their own classes.
    All other calls of a wide class are put into the power of two in its middle.

    Args:
        records: Records of the POSIX module.
        way: Direction: read or write.

    Returns:
        Counts [records, HIST_BUCKETS].
    """
    result = np.zeros((len(records.id), HIST_BUCKETS), dtype=np.int64)
    left = [records.of(f"POSIX_SIZE_{way.upper()}_{name}").copy() for name in _SIZES]
    bounds = np.array(list(_SIZES.values()))
    common = [
        (records.of(f"POSIX_ACCESS{n}_ACCESS"), records.of(f"POSIX_ACCESS{n}_COUNT"))
        for n in range(1, 5)
    ]
    rows = np.arange(len(records.id))
    # The common sizes are those of reads and writes together: only for records with one of the two
    # it is known to which they belong.
    other = records.of("POSIX_WRITES" if way == "read" else "POSIX_READS") == 0
    for size, count in common:
        place = np.searchsorted(bounds, size).clip(0, len(bounds) - 1)
        for at in range(len(bounds)):
            mine = other & (place == at) & (count > 0)
            taken = np.where(mine, np.minimum(count, left[at]), 0)
            left[at] -= taken
            result[rows, _bucket(size)] += taken
    middle = np.sqrt(np.concatenate([[8.0], bounds[:-1]]) * bounds).astype(np.int64)
    for at, bucket in enumerate(_bucket(middle).tolist()):
        result[:, bucket] += left[at]
    return result


def _bucket(size: Ints) -> Ints:
    """Return the class of a size: 0 for 0, b for [2^(b-1), 2^b), the last one if it is larger."""
    exact = np.frexp(size.astype(np.float64))[1].astype(np.int64)
    return np.where(size > 0, exact, 0).clip(0, HIST_BUCKETS - 1)
