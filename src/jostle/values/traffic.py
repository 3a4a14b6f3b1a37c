"""The traffic between hosts, of MPI messages and of files, as the repository returns it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import pyarrow as pa
import pyarrow.compute as pc

_NAME = pa.dictionary(pa.int32(), pa.string())
_SLICE = {"slice": pa.int64(), "slice_ns": pa.int64(), "span": pa.int32()}
PAIRS = pa.schema(
    {
        "job": _NAME,
        **_SLICE,
        "source": _NAME,
        "target": _NAME,
        "bytes": pa.int64(),
        "ops": pa.int64(),
        "mount": _NAME,
    }
)
COLLECTIVES = pa.schema(
    {
        "job": _NAME,
        **_SLICE,
        "group": pa.int64(),
        "operation": _NAME,
        "root": pa.int64(),
        "ops": pa.int64(),
        "bytes": pa.int64(),
    }
)
SPREAD = pa.schema(
    {
        "job": _NAME,
        **_SLICE,
        "group": pa.int64(),
        "host": _NAME,
        "bytes": pa.int64(),
        "ops": pa.int64(),
    }
)


@dataclass(frozen=True)
class Traffic:
    """Traffic of jobs, per slice.

    The columns slice, slice_ns and span of all tables are those of table peer_slices. A host that
    is not known is "".

    Attributes:
        pairs: Traffic between two hosts, with the columns job, slice, slice_ns, span, source,
            target, bytes, ops and mount. If mount is "", these are messages from rank to rank;
            else it is file traffic of this mount between a node and a server.
        collectives: Collective calls of whole communicators, which `jostle.network` expands into
            pairs, with the columns job, slice, slice_ns, span, group, operation (`Allreduce`),
            root, ops and bytes. The root is an index in the group; -1: none, or several. Ops and
            bytes are added up over the ranks, as the metrics count them.
        spread: MPI traffic whose receivers are not known, per host that sent it, with the columns
            job, slice, slice_ns, span, group, host, bytes and ops. The group has the job's hosts,
            each once.
        groups: For each group, the hosts of its ranks, in order.
    """

    pairs: pa.Table = field(default_factory=PAIRS.empty_table)
    collectives: pa.Table = field(default_factory=COLLECTIVES.empty_table)
    spread: pa.Table = field(default_factory=SPREAD.empty_table)
    groups: Sequence[Sequence[str]] = ()

    @property
    def _tables(self) -> dict[str, pa.Table]:
        return {"pairs": self.pairs, "collectives": self.collectives, "spread": self.spread}

    @property
    def jobs(self) -> list[str]:
        """Names of the jobs."""
        names = (table["job"].unique().to_pylist() for table in self._tables.values())
        return sorted({name for each in names for name in each})

    @property
    def messages(self) -> Traffic:
        """MPI traffic, without files."""
        return replace(self, pairs=self.pairs.filter(pc.equal(self.pairs["mount"], "")))

    @property
    def mounts(self) -> list[str]:
        """Mounts whose traffic to servers is known."""
        return sorted(name for name in self.pairs["mount"].unique().to_pylist() if name)

    def files_on(self, mount: str) -> Traffic:
        """Return the traffic to and from the servers of a mount."""
        return Traffic(self.pairs.filter(pc.equal(self.pairs["mount"], mount)))

    def of(self, job: str) -> Traffic:
        """Return the traffic of one job."""
        kept = {
            name: table.filter(pc.equal(table["job"], job)) for name, table in self._tables.items()
        }
        return replace(self, **kept)

    def only(self, jobs: Collection[str]) -> Traffic:
        """Return the traffic of some jobs."""
        names = pa.array(sorted(jobs), pa.string())
        kept = {
            name: table.filter(pc.is_in(table["job"].cast(pa.string()), names))
            for name, table in self._tables.items()
        }
        return replace(self, **kept)

    def without(self, job: str) -> Traffic:
        """Return the traffic of all other jobs."""
        kept = {
            name: table.filter(pc.not_equal(table["job"], job))
            for name, table in self._tables.items()
        }
        return replace(self, **kept)

    def renamed(self, kept: Collection[str], name: str) -> Traffic:
        """Replace the names of all jobs, except those kept, by one name."""
        return replace(
            self, **{key: _renamed(table, kept, name) for key, table in self._tables.items()}
        )


def _renamed(table: pa.Table, kept: Collection[str], name: str) -> pa.Table:
    if not table.num_rows:
        return table
    jobs = [job if job in kept else name for job in table["job"].to_pylist()]
    column = pa.array(jobs, pa.string()).dictionary_encode()
    return table.set_column(table.column_names.index("job"), "job", column)
