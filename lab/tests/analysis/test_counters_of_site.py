"""Counters of a simulated site, written as LDMS writes them, are imported as its agents' slices."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from jostle.imports import import_ldms, read_map
from jostle.repository import Repository
from jostle_lab.synthetic import SiteSpec, simulate_site

SMALL = SiteSpec(nodes=8, days=0.01, seed=5, processes_per_node=2, commit_s=600)
NS = 10**9
#: Schema -> column -> the metric of the agents, and how much of it one unit of the column is.
COLUMNS = {
    "procdiskstats": {
        "sect_read#sda": ("storage_read_bytes", 512),
        "sect_written#sda": ("storage_write_bytes", 512),
        "reads_comp#sda": ("storage_read_ops", 1),
        "time_ios#sda": ("storage_busy_ns", 10**6),
    },
    "procstat": {
        "user": ("cpu_user_ns", 10**7),
        "sys": ("cpu_system_ns", 10**7),
        "idle": ("cpu_idle_ns", 10**7),
    },
}
KINDS = {"procdiskstats": "disk", "procstat": "machine"}


def written(store: Repository, folder: Path) -> None:
    """Write the counters of all nodes, sampled at the boundaries of slices."""
    folder.mkdir()
    for schema, columns in COLUMNS.items():
        metrics = ", ".join(f"coalesce({metric}, 0) AS {metric}" for metric, _ in columns.values())
        rows = store.query(
            f"SELECT host, slice, slice_ns, {metrics} FROM component_slices "
            f"WHERE kind = '{KINDS[schema]}' AND starts_with(host, 'node') ORDER BY host, slice"
        ).to_pylist()
        by_host: dict[str, dict[int, dict[str, int]]] = defaultdict(dict)
        for row in rows:
            by_host[row["host"]][row["slice"]] = row
        slices = range(min(row["slice"] for row in rows), max(row["slice"] for row in rows) + 1)
        lines = []
        for host, known in by_host.items():
            total = dict.fromkeys(columns, 0.0)
            for at in slices:
                for column, (metric, unit) in columns.items():
                    total[column] += known.get(at, {}).get(metric, 0) / unit
                values = ",".join(map(repr, total.values()))
                end = (at + 1) * rows[0]["slice_ns"] / NS
                lines.append(f"{end:.6f},0,{host},0,0,0,{values}\n")
        head = f"#Time,Time_usec,ProducerName,component_id,job_id,app_id,{','.join(columns)}\n"
        (folder / schema).write_text(head + "".join(sorted(lines)))


def test_what_was_counted_is_what_is_imported(tmp_path: Path) -> None:
    site = Repository(simulate_site(tmp_path / "site", SMALL).path)
    written(site, tmp_path / "ldms")
    store = Repository(tmp_path / "repository", create=True)
    report = import_ldms(store, [tmp_path / "ldms"], read_map("ldms"))
    assert not report.set_aside and len(report.hosts) == 8
    for schema, columns in COLUMNS.items():
        sums = ", ".join(f"sum({metric})::DOUBLE AS {metric}" for metric, _ in columns.values())
        question = (
            f"SELECT host, slice, {sums} FROM component_slices WHERE kind = '{KINDS[schema]}' "
            "AND starts_with(host, 'node') GROUP BY ALL"
        )
        found, truth = (
            {(row.pop("host"), row.pop("slice")): row for row in each.query(question).to_pylist()}
            for each in (store, site)
        )
        shared = found.keys() & truth.keys()
        # Of each node the first slice is not there: counting begins with the first sample.
        assert len(shared) >= len(truth) - 2 * 8 and len(shared) > 500
        for key in shared:
            for metric, unit in columns.values():
                due = truth[key][metric] or 0
                assert (found[key][metric] or 0) == pytest.approx(due, rel=1e-6, abs=2 * unit)
