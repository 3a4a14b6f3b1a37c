"""Queries loads of all jobs on GPUs, their buses, and NVLink, for the interference matrix.

Every row belongs to one resource, so that resources can be compared separately. The resource of
copies is the PCI root complex above the GPU; switches between the two are not distinguished.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jostle.repository.query.divided import Question
from jostle.repository.query.engine import total
from jostle.repository.query.resources.around_gpus import CCL_BYTES, CCL_NS, CCL_OPS

_COPIES = ("h2d", "d2h", "peer")
#: Classes of operations: columns <class>_ops, <class>_bytes and <class>_ns.
BUS_CLASSES = (*_COPIES, "ccl")
_AMOUNTS = ("ops", "bytes", "ns")
_NAMED = (
    "(SELECT host, gpu, regexp_extract(max(pci_path), 'pci[0-9a-f]+:[0-9a-f]+') AS root "
    "FROM stored_gpus GROUP BY host, gpu)"
)
_DOMAINS = (
    "(SELECT host, name AS gpu, max(source) AS domain FROM stored_components "
    "WHERE kind = 'gpu' AND source <> '' GROUP BY host, name)"
)
#: Jobs on two or more GPUs of an NVLink domain: their collectives use NVLink.
_LINKED = (
    "(SELECT job, host, domain FROM (SELECT DISTINCT job, host, gpu FROM stored_gpus) "
    f"JOIN {_DOMAINS} USING (host, gpu) GROUP BY job, host, domain HAVING count(*) > 1)"
)
_PLACE = (
    "CASE WHEN root <> '' THEN 'root complex ' || root ELSE 'bus to GPU ' || gpu END "
    "|| ' of ' || host"
)
_NVLINK = "'NVLink domain ' || domain || ' of ' || host"


def buses(
    hosts: Sequence[str], within: str, order: tuple[str, ...], span: tuple[int, int]
) -> Question:
    """Return the query of buses and NVLink domains.

    Args:
        hosts: Nodes that several jobs used at the same time.
        within: SQL condition of the slices that matter.
        order: Sort keys of the rows.
        span: The span of these slices, ns since the epoch.

    Returns:
        Columns job, resource, slice, slice_ns, start, and ops, bytes and ns of BUS_CLASSES.
    """
    copied = {f"{way}_{what}": f"gpu_{way}_{what}_sum" for way in _COPIES for what in _AMOUNTS}
    whole = zip(_AMOUNTS, (CCL_OPS, CCL_BYTES, CCL_NS), strict=True)
    ccl = {
        f"ccl_{what}": " + ".join(f"coalesce({metric}_sum, 0)::HUGEINT" for metric in metrics)
        for what, metrics in whole
    }
    ways = {name: sql for name, sql in copied.items() if not name.startswith("peer")}
    peer = {name: sql for name, sql in copied.items() if name.startswith("peer")}
    here = f"WHERE list_contains($1, host) AND {within}"
    rows = " UNION ALL ".join(
        (
            f"SELECT {_columns(_PLACE, ways)} FROM stored_gpu_rollup "
            f"LEFT JOIN {_NAMED} USING (host, gpu) {here}",
            f"SELECT {_columns(_NVLINK, peer)} FROM stored_gpu_rollup "
            f"JOIN {_DOMAINS} USING (host, gpu) {here}",
            f"SELECT {_columns(_NVLINK, ccl)} FROM stored_node_rollup "
            f"JOIN {_LINKED} USING (job, host) {here}",
        )
    )
    sums = ", ".join(f"{total(name)} AS {name}" for name in (*copied, *ccl))
    some = " + ".join(f"sum({name}_ops)" for name in BUS_CLASSES)
    return Question(
        f"SELECT job, resource, slice, slice_ns, slice * slice_ns AS start, {sums} FROM ({rows}) "
        f"GROUP BY job, resource, slice, slice_ns HAVING {some} > 0",
        order,
        (list(hosts),),
        span,
    )


def _columns(resource: str, known: Mapping[str, str]) -> str:
    every = (f"{name}_{what}" for name in BUS_CLASSES for what in _AMOUNTS)
    amounts = (f"coalesce({known.get(name, '0')}, 0)::HUGEINT AS {name}" for name in every)
    return f"job, {resource} AS resource, slice, slice_ns, {', '.join(amounts)}"


def gpus(
    hosts: Sequence[str], within: str, order: tuple[str, ...], span: tuple[int, int]
) -> Question:
    """Return the query of GPUs; arguments as for `buses`.

    Returns:
        Columns job, resource, slice, slice_ns, start, launches, busy_ns, and wait_ns: this GPU's
        part of the time that the job waited for GPUs of the node, in proportion to its launches.
    """
    here = f"WHERE list_contains($1, host) AND {within}"
    launches = "coalesce(gpu_launch_ops_sum, 0)::HUGEINT + coalesce(gpu_graph_ops_sum, 0)"
    used = (
        f"SELECT job, host, gpu, slice, slice_ns, {total(launches)} AS launches, "
        f"{total('gpu_busy_ns_sum')} AS busy_ns FROM stored_gpu_rollup {here} "
        "GROUP BY job, host, gpu, slice, slice_ns"
    )
    waited = (
        f"SELECT job, host, slice, slice_ns, {total('gpu_wait_ns_sum')} AS waits "
        f"FROM stored_node_rollup {here} GROUP BY job, host, slice, slice_ns"
    )
    whole = "sum(launches) OVER (PARTITION BY job, host, slice, slice_ns)"
    return Question(
        "SELECT job, 'GPU ' || gpu || ' of ' || host AS resource, slice, slice_ns, "
        "slice * slice_ns AS start, launches, busy_ns, "
        f"(coalesce(waits, 0)::HUGEINT * launches // greatest({whole}, 1))::BIGINT AS wait_ns "
        f"FROM ({used}) LEFT JOIN ({waited}) USING (job, host, slice, slice_ns)",
        order,
        (list(hosts),),
        span,
    )
