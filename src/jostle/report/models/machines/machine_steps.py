"""Activity of a machine's components over time, as `timeline --node` and `background` show it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jostle.errors import UsageError
from jostle.report.format.nodes import kind_of
from jostle.report.models.metrics import View, ViewLine
from jostle.schema.metrics import COMPONENT_METRICS

if TYPE_CHECKING:
    import pyarrow as pa

    from jostle.report.models.steps import JobSpan, Steps
    from jostle.repository import Repository

_DAY_NS = 86_400_000_000_000
_BY_ID = {metric.id: metric for metric in COMPONENT_METRICS}
_CPU = View(
    "cpu",
    "CPU time",
    "ns",
    False,
    (ViewLine("programs", ("cpu_user_ns",)), ViewLine("kernel", ("cpu_system_ns",))),
)
_STORAGE = View(
    "bytes",
    "Bytes written and read",
    "bytes",
    False,
    (ViewLine("written", ("storage_write_bytes",)), ViewLine("read", ("storage_read_bytes",))),
)
_LINK = View(
    "bytes",
    "Bytes sent and received",
    "bytes",
    False,
    (ViewLine("sent", ("link_send_bytes",)), ViewLine("received", ("link_receive_bytes",))),
)
#: View of each kind of component; other kinds show their storage counters.
_VIEWS = {"machine": _CPU, "batch_job": _CPU, "port": _LINK, "interface": _LINK}
_HIDDEN = ("socket", "power", "lustre_osc", "lustre_mdc")
#: Most components of a machine: those with the most activity.
_MOST = 12


@dataclass(frozen=True)
class ComponentSteps:
    """One component of a machine over time.

    Attributes:
        host: The machine.
        kind: Kind of the component.
        name: Name of the component.
        job: The batch job whose requests the component counts; "": it counts those of all jobs.
        view: The view that is shown.
        lines: Time series of each line of the view.
    """

    host: str
    kind: str
    name: str
    job: str
    view: View
    lines: list[Steps]

    @property
    def title(self) -> str:
        """Title of the component's chart: `node1 · disk sda`."""
        if self.kind == "machine":
            return self.host
        if self.kind == "batch_job":
            return f"{self.host} · {self.job}"
        whose = f" of {self.job}" if self.job else ""
        return f"{self.host} · {kind_of(self.kind)} {self.name}{whose}"

    def to_json(self) -> dict[str, Any]:
        """Return the steps as JSON-compatible values."""
        from jostle.report.models.steps import steps_json

        return {
            "host": self.host,
            "kind": self.kind,
            "name": self.name,
            "job": self.job,
            "metric": self.view.name,
            "unit": self.view.unit,
            "series": [steps_json(*both) for both in zip(self.view.lines, self.lines, strict=True)],
        }


def component_view(metric: str) -> View | None:
    """Return the view of a metric of components; None: there is no such metric."""
    known = _BY_ID.get(metric)
    if known is None:
        return None
    title = f"{metric}: {known.doc.rstrip('.')}"
    line = (ViewLine(metric, (metric,)),)
    return View(metric, title, known.unit, known.kind == "gauge", line)


def machine_steps(
    store: Repository, host: str, span: tuple[int, int] | None = None, view: View | None = None
) -> list[ComponentSteps]:
    """Return the activity of a machine's components: the machine first, then the most active.

    Args:
        store: The repository.
        host: The machine.
        span: Start and end, ns since the epoch; None: the last day of its slices.
        view: A view of a metric of components; None: CPU time for the machine and for batch jobs,
            bytes for all other components.

    Raises:
        UsageError: No agent ran on such a machine.
    """
    begin, end = span or last_day(store, host)
    wanted = [view] if view else [_CPU, _STORAGE, _LINK]
    ids = [name for each in wanted for line in each.lines for name in line.metrics]
    columns = ", ".join(ids)
    hidden = ", ".join(f"'{kind}'" for kind in _HIDDEN if view is None)
    which = f"AND kind NOT IN ({hidden})" if hidden else ""
    rows = store.query(
        f"SELECT kind, name, job, slice, slice_ns, span, {columns} FROM component_slices "
        f"WHERE host = $1 {which} AND (slice + span) * slice_ns > $2 AND slice * slice_ns < $3 "
        f"AND ({' + '.join(ids)}) > 0 ORDER BY kind, name, job, slice",
        [host, begin, end],
    )
    components = rows.group_by(["kind", "name", "job"], use_threads=False).aggregate([]).to_pylist()
    every = [_steps_of(rows, host, row, (begin, end), view) for row in components]
    every = [each for each in every if any(line.values.any() for line in each.lines)]
    every.sort(
        key=lambda each: (
            each.kind != "machine",
            -sum(float(line.values.sum()) for line in each.lines),
        )
    )
    return every[:_MOST]


#: View of jobs -> the corresponding counters of a server.
_SERVED = {
    "bytes": (("storage_write_bytes",), ("storage_read_bytes",)),
    "ops": (("storage_write_ops",), ("storage_read_ops",)),
}


@dataclass(frozen=True)
class ServerLoad:
    """Traffic that the servers of a mount served while a job ran, for all clients.

    Attributes:
        mount: Identity of the mount.
        servers: Names of the servers.
        kind: Kind of the components that counted the traffic.
        unprofiled: Share of programs without a profile in the bytes, 0 to 1; None: not known.
        lines: Time series of each line of the view.
    """

    mount: str
    servers: list[str]
    kind: str
    unprofiled: float | None
    lines: list[Steps]


def server_loads(
    store: Repository, mounts: list[str], span: JobSpan, view: View
) -> list[ServerLoad]:
    """Return the traffic of the servers of mounts, as the agents on these servers recorded it.

    Args:
        store: The repository.
        mounts: Identities of the mounts.
        span: The time to cover.
        view: A view of jobs; only `bytes` and `ops` have data.
    """
    from jostle.repository.query.resources.machine_loads import SERVING_KINDS

    if view.name not in _SERVED:
        return []
    loads = store.machine_loads(mounts, (span.start_ns, span.end_ns))
    shown = replace(
        view,
        lines=tuple(
            ViewLine(line.label, ids)
            for line, ids in zip(view.lines, _SERVED[view.name], strict=True)
        ),
    )
    every = []
    for mount in mounts:
        mine = _where(loads.servers, mount=mount, job="")
        kinds = set(mine["kind"].to_pylist())
        kind = next((kind for kind in SERVING_KINDS if kind in kinds), None)
        if kind is None:
            continue
        mine = _where(mine, kind=kind)
        hosts = sorted(set(mine["host"].to_pylist()))
        lines = _lines(mine, shown, span)
        if any(line.values.any() for line in lines):
            share = _unprofiled(mine, loads.profiled, loads.places.get(mount, (mount,)))
            every.append(ServerLoad(mount, hosts, kind, share, lines))
    return every


def _unprofiled(served: pa.Table, profiled: pa.Table, mounts: tuple[str, ...]) -> float | None:
    import pyarrow.compute as pc

    whole = sum(pc.sum(served[f"storage_{way}_bytes"]).as_py() or 0 for way in ("read", "write"))
    mine = profiled.filter(pc.is_in(profiled["mount"], value_set=_texts(mounts)))
    known = sum(pc.sum(mine[f"{way}_bytes"]).as_py() or 0 for way in ("read", "write"))
    return max(0.0, 1 - known / whole) if whole else None


def _texts(values: tuple[str, ...]) -> pa.Array:
    import pyarrow as pa

    return pa.array(values, pa.string())


def _where(rows: pa.Table, **values: str) -> pa.Table:
    import pyarrow.compute as pc

    for key, value in values.items():
        rows = rows.filter(pc.equal(rows[key], value))
    return rows


def last_day(store: Repository, host: str) -> tuple[int, int]:
    """Return start and end of the last 24 hours of a machine's slices, ns since the epoch.

    Raises:
        UsageError: No agent ran on such a machine.
    """
    begin, end = life_of(store, host)
    return max(begin, end - _DAY_NS), end


def life_of(store: Repository, host: str) -> tuple[int, int]:
    """Return start and end of a machine's slices, ns since the epoch.

    Raises:
        UsageError: No agent ran on such a machine.
    """
    row = store.query(
        "SELECT min(start_ns) AS begin, max((last_slice + 1) * slice_ns) AS end "
        "FROM machines WHERE host = ?",
        [host],
    ).to_pylist()[0]
    if row["end"] is None:
        known = store.query("SELECT DISTINCT host FROM machines ORDER BY host")["host"].to_pylist()
        some = ", ".join(known[:5]) + (" and others" if len(known) > 5 else "")
        raise UsageError(
            f"No agent ran on a machine {host}.",
            hint=f"Machines with an agent: {some}."
            if known
            else "jostle-agent writes the slices of a machine; the repository has none.",
        )
    return row["begin"], row["end"]


def _steps_of(
    rows: pa.Table, host: str, row: dict[str, str], span: tuple[int, int], view: View | None
) -> ComponentSteps:
    from jostle.report.models.steps import JobSpan
    from jostle.values.arrow_columns import ints

    mine = _where(rows, **row)
    shown = view or _VIEWS.get(row["kind"], _STORAGE)
    covered = JobSpan(*span, int(ints(mine, "slice_ns").min()))
    lines = _lines(mine, shown, covered)
    return ComponentSteps(host, row["kind"], row["name"], row["job"], shown, lines)


def _lines(rows: pa.Table, view: View, span: JobSpan) -> list[Steps]:
    """Return the steps of a view from rows of component slices."""
    import pyarrow as pa

    from jostle.report.models.steps import lines_of
    from jostle.values.arrow_columns import ints

    length = ints(rows, "slice_ns")
    start, lasts = ints(rows, "slice") * length, ints(rows, "span") * length

    def fetch(metric: str) -> pa.Table:
        return pa.table({"start_ns": start, "length_ns": lasts, "sum": rows[metric]})

    return lines_of(view, span, fetch)
