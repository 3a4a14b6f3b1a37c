"""Defines the tables, columns, partitions and file names of a repository.

Docs: docs/reference/repository.md. Metric columns with only zeros are left out of a file; the views
give 0 for them. Histograms are stored as one column per bucket (`<id>_b05`), so that buckets
without values cost nothing.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

import pyarrow as pa

from jostle.reader import FILE_VALUES, GPU_VALUES, SEGMENT_VALUES
from jostle.schema.metrics import (
    BY_ID,
    COMPONENT_IDS,
    HIST_BUCKETS,
    HISTOGRAM_IDS,
    MOUNT_IDS,
    PROCESS_IDS,
)

FORMAT_VERSION = 1
MARKER = "jostle-repository.json"
COMMITS = "commits"
MERGED = "merged"
#: Folder of damaged files that were removed from the log, each under its former path.
QUARANTINE = "quarantine"
#: Endings of the pieces of checkpoints; nothing else in the folder of commits has them.
_PIECES = (".parquet", ".ids")
HOUR_NS = 3_600_000_000_000
DAY_NS = 24 * HOUR_NS
#: Longest slice that ingest or coarsening stores: a slice must be within one hour.
MAX_SLICE_NS = HOUR_NS
#: Time without data after which a process that cannot be checked counts as ended.
SILENT_NS = 900_000_000_000
SILENT_SLICES = 20
#: Time for which the profile of such a process stays in the spool: the process may only be stopped,
#: or its node disconnected.
GONE_NS = 7 * DAY_NS

SCALAR_IDS = tuple(name for name in PROCESS_IDS if name not in HISTOGRAM_IDS)
#: Column gpu of an unknown GPU.
NO_GPU = "unknown"
SEGMENT_BINS = ("wait_bins", "offcpu_bins")
GAUGE_IDS = frozenset(name for name, metric in BY_ID.items() if metric.kind == "gauge")
STATS = ("sum", "min", "max")

Rollup = Literal["rollup", "node_rollup"]
#: The column that names the resource of a rollup's rows.
RESOURCE = {"rollup": "mount", "node_rollup": "host"}
#: The same for all rollups; a GPU is named by its host as well.
ROLLUPS = {**{name: (column,) for name, column in RESOURCE.items()}, "gpu_rollup": ("host", "gpu")}

# File systems that several nodes share: their identity does not contain the host.
NETWORK_TYPES = frozenset(
    "nfs nfs4 lustre gpfs beegfs ceph glusterfs fuse.glusterfs fuse.sshfs fuse.ceph "
    "fuse.ceph-fuse fuse.beegfs cifs smb3 afs orangefs pvfs2 9p virtiofs panfs wekafs".split()
)
# The source of every mount by ceph-fuse, whatever it mounts. Its path identifies the file system: a
# site mounts one at the same path on all nodes.
_CEPH_FUSE = "ceph-fuse"
# Part of the source of mounts in a lab without a network.
_LAB = "/jostle-lab/"


def is_piece(name: str) -> bool:
    """Return whether a name is that of a piece in the folder of commits."""
    return name.endswith(_PIECES) and not name.startswith(".") and "/" not in name


def bucket_column(metric: str, bucket: int) -> str:
    """Return the name of the stored column of one histogram bucket."""
    return f"{metric}_b{bucket:02d}"


def _metric_columns(ids: tuple[str, ...]) -> dict[str, pa.DataType]:
    columns: dict[str, pa.DataType] = {}
    for name in ids:
        if name in HISTOGRAM_IDS:
            for bucket in range(HIST_BUCKETS):
                columns[bucket_column(name, bucket)] = pa.int64()
        else:
            columns[name] = pa.int64()
    return columns


def _rollup_columns(ids: tuple[str, ...]) -> dict[str, pa.DataType]:
    return {f"{name}_{stat}": pa.int64() for name in ids for stat in STATS}


@dataclass(frozen=True)
class TableLayout:
    """One table of the repository.

    Attributes:
        name: Name of the table, also of its folder.
        keys: Columns that every file has (except those that an earlier version did not have).
        values: Metric columns; a file lacks those that are zero or empty in all its rows.
        partition_ns: Width of a time partition, 0 if there is none.
    """

    name: str
    keys: dict[str, pa.DataType]
    values: dict[str, pa.DataType]
    partition_ns: int


_TEXT, _INT, _FLAG, _BINARY = pa.string(), pa.int64(), pa.bool_(), pa.binary()
_ROLLUP_KEYS = {"slice": _INT, "slice_ns": _INT, "count": _INT}

# Fields of a profile's header about MPI and counters, with the header's names.
MPI_COLUMNS: dict[str, pa.DataType] = {
    "mpi_state": _INT,
    "mpi_adapter": _INT,
    "mpi_adapter_name": _TEXT,
    "mpi_library": _TEXT,
    "world": _TEXT,
    "world_size": _INT,
    "world_rank": _INT,
    "appnum": _INT,
    "spawned": _FLAG,
    "thread_level": _INT,
    "omp_threads": _INT,
    "launcher": _TEXT,
    "batch": _TEXT,
    "mpi_init_ns": _INT,
    "mpi_ready_ns": _INT,
    "mpi_finalize_ns": _INT,
    "mpi_end_ns": _INT,
    "papi_names": pa.list_(_TEXT),
    "perf_asked": _INT,
    "perf_granted": _INT,
}

# Fields on where it may run, with the header's names.
BINDING_COLUMNS = ("allowed_cpus", "allowed_nodes", "group_cpus", "group_nodes")

TABLES: dict[str, TableLayout] = {
    table.name: table
    for table in (
        TableLayout(
            "slices",
            {
                "job": _TEXT,
                "process": _INT,
                "host": _TEXT,
                "slice": _INT,
                "slice_ns": _INT,
                "span": pa.int32(),
            },
            _metric_columns(PROCESS_IDS),
            HOUR_NS,
        ),
        TableLayout(
            "mount_slices",
            {
                "job": _TEXT,
                "process": _INT,
                "host": _TEXT,
                "mount": _TEXT,
                "slice": _INT,
                "slice_ns": _INT,
                "span": pa.int32(),
            },
            _metric_columns(MOUNT_IDS),
            HOUR_NS,
        ),
        TableLayout(
            "rollup",
            {"job": _TEXT, "mount": _TEXT, **_ROLLUP_KEYS},
            _rollup_columns(MOUNT_IDS),
            DAY_NS,
        ),
        TableLayout(
            "node_rollup",
            {"job": _TEXT, "host": _TEXT, **_ROLLUP_KEYS},
            _rollup_columns(SCALAR_IDS),
            DAY_NS,
        ),
        TableLayout(
            "gpu_slices",
            {
                "job": _TEXT,
                "process": _INT,
                "host": _TEXT,
                "gpu": _TEXT,
                "slice": _INT,
                "slice_ns": _INT,
                "span": pa.int32(),
            },
            _metric_columns(GPU_VALUES),
            HOUR_NS,
        ),
        TableLayout(
            "gpu_rollup",
            {"job": _TEXT, "host": _TEXT, "gpu": _TEXT, **_ROLLUP_KEYS},
            _rollup_columns(GPU_VALUES),
            DAY_NS,
        ),
        TableLayout(
            "processes",
            {
                "process": _INT,
                "job": _TEXT,
                "host": _TEXT,
                "boot_id": _TEXT,
                "pid": _INT,
                "ppid": _INT,
                "sid": _INT,
                "uid": _INT,
                "gid": _INT,
                "part": _INT,
                "program": _TEXT,
                "command": _TEXT,
                "library": _TEXT,
                "slice_ns": _INT,
                "start_ns": _INT,
                "end_ns": _INT,
                "end_reason": _TEXT,
                "complete": _FLAG,
                "short": _FLAG,
                "first_slice": _INT,
                "last_slice": _INT,
                "records": _INT,
                "clock_state": _INT,
                "clock_error_us": _INT,
                "clock_steps": _INT,
                "lost_threads": _INT,
                "notes": pa.list_(_TEXT),
                "warnings": pa.list_(_TEXT),
                "revision": _INT,
                **MPI_COLUMNS,
                "script": _TEXT,
                **dict.fromkeys(BINDING_COLUMNS, _TEXT),
                "node_samples": pa.list_(_INT),
                "basis": _TEXT,
            },
            {},
            0,
        ),
        # Sums over ended processes of one kind: query/process_kinds.py.
        TableLayout(
            "process_kinds",
            {
                "job": _TEXT,
                "host": _TEXT,
                "boot_id": _TEXT,
                "uid": _INT,
                "batch": _TEXT,
                "identity": _TEXT,
                "is_rank": _FLAG,
                "short": _FLAG,
                "complete": _FLAG,
                "processes": _INT,
                "mpi_processes": _INT,
                "records": _INT,
                "start_ns": _INT,
                "end_ns": _INT,
                "seen_ns": _INT,
                "over_ns": _INT,
                "longest_ns": _INT,
                "first_ns": _INT,
                "slice_ns": _INT,
                "longest_slice_ns": _INT,
                "clock_state": _INT,
                "clock_error_us": _INT,
                "mpi_library": _TEXT,
                "basis": _TEXT,
            },
            {},
            0,
        ),
        TableLayout(
            "mounts",
            {
                "job": _TEXT,
                "host": _TEXT,
                "mount": _TEXT,
                "path": _TEXT,
                "type": _TEXT,
                "source": _TEXT,
                "major": _INT,
                "minor": _INT,
                "shared": _FLAG,
            },
            {},
            0,
        ),
        TableLayout(
            "gpus",
            {
                "job": _TEXT,
                "host": _TEXT,
                "gpu": _TEXT,
                "pci": _TEXT,
                "uuid": _TEXT,
                "name": _TEXT,
                "pci_path": _TEXT,
                "numa": _INT,
                "memory_bytes": _INT,
            },
            {},
            0,
        ),
        TableLayout(
            "segments",
            {
                "job": _TEXT,
                "process": _INT,
                "number": _INT,
                "start_ns": _INT,
                "end_ns": _INT,
                "rule": _TEXT,
                "level": _INT,
                "token_hash": _INT,
                "globals": _INT,
                "globals_before": _INT,
                "sequence_hash": _INT,
                "signature_sum": _INT,
                "signature_set": pa.uint64(),
            },
            {
                **dict.fromkeys(SEGMENT_VALUES, _INT),
                "occurrence": _INT,
                "bin_shift": _INT,
                **dict.fromkeys(SEGMENT_BINS, _BINARY),
            },
            HOUR_NS,
        ),
        TableLayout(
            "tokens",
            {
                "job": _TEXT,
                "hash": _INT,
                "function": _TEXT,
                "bytes": _INT,
                "site": _INT,
                "module": _TEXT,
            },
            {},
            0,
        ),
        TableLayout(
            "peers",
            {
                "job": _TEXT,
                "process": _INT,
                "peer": _INT,
                "sent_ops": _INT,
                "sent_bytes": _INT,
                "recv_ops": _INT,
                "recv_room": _INT,
            },
            {},
            DAY_NS,
        ),
        TableLayout(
            "peer_slices",
            {
                "job": _TEXT,
                "process": _INT,
                "host": _TEXT,
                "rank": _INT,
                "slice": _INT,
                "slice_ns": _INT,
                "span": pa.int32(),
                "peer": _INT,
            },
            dict.fromkeys(("sent_ops", "sent_bytes", "recv_ops", "recv_bytes", "recv_room"), _INT),
            HOUR_NS,
        ),
        TableLayout(
            "collective_slices",
            {
                "job": _TEXT,
                "process": _INT,
                "host": _TEXT,
                "rank": _INT,
                "slice": _INT,
                "slice_ns": _INT,
                "span": pa.int32(),
                "communicator": _INT,
                "operation": _TEXT,
                "root": _INT,
            },
            dict.fromkeys(("ops", "bytes"), _INT),
            HOUR_NS,
        ),
        TableLayout(
            "communicators",
            {
                "job": _TEXT,
                "process": _INT,
                "communicator": _INT,
                "size": _INT,
                "ranks": pa.list_(_INT),
            },
            {},
            DAY_NS,
        ),
        TableLayout(
            "files",
            {
                "job": _TEXT,
                "process": _INT,
                "mount": _TEXT,
                "path": _TEXT,
                "hash": _INT,
                "format": _TEXT,
                "files": _INT,
                "shared_by": _INT,
                "targets": pa.list_(_INT),
            },
            dict.fromkeys(FILE_VALUES, _INT),
            DAY_NS,
        ),
        TableLayout(
            "machines",
            {
                "machine": _INT,
                "host": _TEXT,
                "role": _TEXT,
                "boot_id": _TEXT,
                "pid": _INT,
                "part": _INT,
                "library": _TEXT,
                "slice_ns": _INT,
                "start_ns": _INT,
                "end_ns": _INT,
                "end_reason": _TEXT,
                "complete": _FLAG,
                "first_slice": _INT,
                "last_slice": _INT,
                "records": _INT,
                "clock_state": _INT,
                "clock_error_us": _INT,
                "clock_steps": _INT,
                "notes": pa.list_(_TEXT),
                "warnings": pa.list_(_TEXT),
                "revision": _INT,
            },
            {},
            0,
        ),
        TableLayout(
            "components",
            {
                "machine": _INT,
                "host": _TEXT,
                "component": _INT,
                "kind": _TEXT,
                "name": _TEXT,
                "source": _TEXT,
                "mount": _TEXT,
                "job": _TEXT,
                "path": _TEXT,
                "major": _INT,
                "minor": _INT,
                "numa": _INT,
                "pid": _INT,
                "uid": _INT,
            },
            {},
            0,
        ),
        TableLayout(
            "component_slices",
            {
                "kind": _TEXT,
                "host": _TEXT,
                "name": _TEXT,
                "source": _TEXT,
                "mount": _TEXT,
                "job": _TEXT,
                "slice": _INT,
                "slice_ns": _INT,
                "span": pa.int32(),
                "machine": _INT,
                "component": _INT,
            },
            {"epoch": _INT, "unknown": _TEXT, **dict.fromkeys(COMPONENT_IDS, _INT)},
            HOUR_NS,
        ),
        TableLayout(
            "batch_jobs",
            {
                "batch_job": _INT,
                "job": _TEXT,
                "system": _TEXT,
                "cluster": _TEXT,
                "id": _TEXT,
                "submit_ns": _INT,
                "start_ns": _INT,
                "end_ns": _INT,
                "complete": _FLAG,
                "name": _TEXT,
                "user": _TEXT,
                "uid": _INT,
                "gid": _INT,
                "account": _TEXT,
                "partition": _TEXT,
                "nodes": pa.list_(_TEXT),
                "node": _TEXT,
                "cores": _INT,
                "memory_bytes": _INT,
                "time_limit_s": _INT,
                "array_job": _INT,
                "array_task": _INT,
                "het_job": _INT,
                "het_component": _INT,
                "dependency": _TEXT,
                "output": _TEXT,
                "state": _TEXT,
                "exit": _TEXT,
                "revision": _INT,
                "energy_j": _INT,
            },
            {},
            0,
        ),
    )
}


def process_id(owner: int | None, boot_id: str, pid: int, start_ns: int, part: int) -> int:
    """Return the stable id of a process: 63 bits of a hash of its identity.

    Args:
        owner: The uid that owns its profile, so that no user's file can get the id of another
            user's process; None for the owner of the repository.
        boot_id: Boot id of its machine.
        pid: Process id on that machine.
        start_ns: Start of the process, ns since the epoch.
        part: Number of the file among those of the process.
    """
    text = f"{boot_id}/{pid}/{start_ns}/{part}"
    whole = text if owner is None else f"{owner}:{text}"
    return int.from_bytes(hashlib.blake2b(whole.encode(), digest_size=8).digest(), "big") >> 1


def mount_identity(host: str, path: str, fs_type: str, source: str) -> str:
    """Return the identity of a mounted file system, which is equal on all nodes that mount it."""
    if source == _CEPH_FUSE:
        source = path
    if fs_type in NETWORK_TYPES and source:
        kind = fs_type.removeprefix("fuse.").removesuffix("4") if "nfs" in fs_type else fs_type
        return f"{kind.removeprefix('fuse.')}:{source}"
    if _LAB in source:  # the nodes of a lab are one machine, and share this disk
        return f"lab:{source.partition(_LAB)[2]}"
    return f"{host}:{source if source.startswith('/') else path or 'other'}"


def gpu_identity(pci: str, uuid: str) -> str:
    """Return the name of a GPU: the UUID of a GPU instance, else the PCI bus id, if known."""
    return uuid if uuid.startswith("MIG-") else pci or uuid or NO_GPU


def is_shared(fs_type: str, source: str = "") -> bool:
    """Return whether nodes share a file system of this type and source."""
    return fs_type in NETWORK_TYPES or _LAB in source


def partition_folder(table: TableLayout, start_ns: int, end_ns: int) -> str:
    """Return the folder, relative to the root, in which rows of a table from some time are stored.

    Args:
        table: The table.
        start_ns: Start of the earliest row.
        end_ns: End of the latest row; 0: the rows have no time.
    """
    if not table.partition_ns:  # here only ended processes and jobs have a time
        if end_ns == 0:
            return table.name
        ended = datetime.fromtimestamp((end_ns - 1) // DAY_NS * 86_400, tz=UTC)
        return f"{table.name}/ended={ended:%Y-%m-%d}"
    day = datetime.fromtimestamp(start_ns // DAY_NS * 86_400, tz=UTC)
    folder = f"{table.name}/date={day:%Y-%m-%d}"
    if table.partition_ns == HOUR_NS:
        folder += f"/hour={start_ns % DAY_NS // HOUR_NS:02d}"
    return folder
