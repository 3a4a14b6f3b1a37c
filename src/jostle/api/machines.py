"""Machines and their components, as recorded by the agents of nodes and servers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from jostle.api.rows import as_dict, columns_of, row_of
from jostle.api.table import Table, instants, stamped
from jostle.errors import UsageError
from jostle.schema.metrics import COMPONENT_IDS

if TYPE_CHECKING:
    from jostle.repository import Repository

_KEYS = (
    "kind",
    "host",
    "name",
    "source",
    "mount",
    "job",
    "slice",
    "slice_ns",
    "span",
    "machine",
    "component",
    "epoch",
)
#: A span that includes the life of every machine, ns since the epoch.
_ALWAYS = (0, 2**63 - 1)


@dataclass(frozen=True)
class Machine:
    """A profile of a node or a server: a file with its counters, which its agent wrote.

    An agent that runs for several days begins a new profile each day.

    Attributes:
        machine: Stable id of the profile.
        host: Name of the machine.
        role: Role of the machine: node or server.
        start: Start of its agent.
        end: End of its agent; None while it runs.
        slice_ns: Length of its slices, in ns.
        notes: Counters that the agent cannot read, and why.
    """

    machine: int
    host: str
    role: str
    start: datetime
    end: datetime | None
    slice_ns: int
    notes: list[str]


@dataclass(frozen=True)
class Component:
    """A part of a machine that has counters of its own.

    Attributes:
        machine: Id of the machine's profile that contains it.
        host: Name of the machine.
        component: Number of the component in the profile.
        kind: Kind of the component: machine, disk, nfs_mount, batch_job, ...
            (docs/reference/profile-format.md).
        name: Name of the component on the machine.
        source: Resource that the component is a part of, such as a device or a file system; for a
            mount, its source.
        mount: For a network mount, its identity as in `Job.mounts`; else "".
        job: The batch job whose requests the component counts; "": it counts those of all jobs.
        path: For a mount, its path.
    """

    machine: int
    host: str
    component: int
    kind: str
    name: str
    source: str
    mount: str
    job: str
    path: str


def machines(store: Repository) -> Table[Machine]:
    """List the profiles of machines, the earliest first."""
    rows = stamped(store.query("SELECT * FROM machines ORDER BY start_ns, host"))
    return Table(rows, row_of(Machine), "profiles of machines", shown=columns_of(Machine)[1:])


def components(store: Repository, host: str | None, kind: str | None) -> Table[Component]:
    """List the components of machines; arguments as for `Site.components`."""
    rows = store.query(
        "SELECT * FROM components WHERE host = coalesce($1, host) AND kind = coalesce($2, kind) "
        "ORDER BY host, machine, kind, name, job",
        [host, kind],
    )
    return Table(rows, row_of(Component), "components", shown=columns_of(Component)[1:])


def component_slices(
    store: Repository,
    host: str | None,
    kind: str | None,
    metrics: Sequence[str] | None,
    span: tuple[int | None, int | None],
) -> Table[dict[str, Any]]:
    """Return the slices of components; arguments are those of `Site.component_slices`.

    `span` holds the start and the end, ns since the epoch; None: no limit.
    """
    ids = COMPONENT_IDS if metrics is None else metrics
    for name in ids:
        if name not in COMPONENT_IDS:
            raise UsageError(
                f"There is no metric `{name}` of components.",
                hint="docs/reference/metrics.md lists them under scope component.",
            )
    # Unknown values are stored as 0; here they are null, so that sums leave them out.
    values = ", ".join(
        f"CASE WHEN unknown = '' OR NOT list_contains(string_split(unknown, ' '), '{name}') "
        f"THEN {name} END AS {name}"
        for name in ids
    )
    begin, end = (
        edge if given is None else given for given, edge in zip(span, _ALWAYS, strict=True)
    )
    rows = store.query(
        f"SELECT {', '.join(_KEYS)}, {values} FROM component_slices "
        "WHERE host = coalesce($1, host) AND kind = coalesce($2, kind) "
        "AND (slice + span) * slice_ns > $3 AND slice * slice_ns < $4 "
        "ORDER BY slice * slice_ns, host, kind, name, job",
        [host, kind, begin, end],
    )
    length, first = rows.column("slice_ns"), rows.column("slice")
    until = instants(pc.multiply(pc.add(first, rows.column("span").cast(pa.int64())), length))
    rows = rows.add_column(0, "end", until)
    rows = rows.add_column(0, "start", instants(pc.multiply(first, length)))
    shown = ["start", "host", "kind", "name", "job", *list(ids)[:8]]
    return Table(rows, as_dict, "slices of components", shown=shown, fine=True)
