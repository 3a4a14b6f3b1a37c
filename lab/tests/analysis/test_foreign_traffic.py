"""The 10 % rule from the counters of servers: synthetic machines, and studies with slices."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from synth_study import SLICE_NS, Lab, cell_of, equal_writers, result_of

from jostle.repository import Repository
from jostle_lab.analysis.study.foreign import Served, excess, served
from jostle_lab.synthetic import Injected, Spec, plant, plant_machines

MOUNT, SERVER = "lustre:10.0.0.1@tcp:/scratch", "oss1"


@pytest.fixture(scope="module")
def injected(tmp_path_factory: pytest.TempPathFactory) -> Injected:
    spec = Spec(jobs=6, slices=120, length=100, processes=4)
    injected = plant(tmp_path_factory.mktemp("foreign") / "repository", spec, seed=5)
    plant_machines(injected, seed=1)
    return injected


def test_synthetic_servers_show_what_each_job_leaves_to_others(injected: Injected) -> None:
    repository = Repository(injected.path)
    rows = repository.query(
        "SELECT job, mount, min(slice * slice_ns) AS begin, max((slice + count) * slice_ns) AS end,"
        " sum(posix_read_bytes_sum + stdio_read_bytes_sum)::DOUBLE AS read,"
        " sum(posix_write_bytes_sum + stdio_write_bytes_sum)::DOUBLE AS written "
        "FROM rollup WHERE mount LIKE 'lustre%' OR mount LIKE 'nfs%' GROUP BY job, mount"
    ).to_pylist()
    mounts = sorted({row["mount"] for row in rows})
    begin, end = min(row["begin"] for row in rows), max(row["end"] for row in rows)
    servers = repository.served(mounts, (begin, end))
    seen = 0
    for mount in mounts:
        mine = [row for row in rows if row["mount"] == mount]
        reported = served(servers, mount, begin, end)
        assert reported is not None and reported.requests
        read, written = (sum(row[name] for row in mine) for name in ("read", "written"))
        everything = excess(reported, read, written)
        assert everything is not None and everything < 0.01
        for row in mine if len(mine) > 1 else []:
            left = excess(reported, read - row["read"], written - row["written"])
            share = (row["read"] + row["written"]) / (read + written)
            assert left == pytest.approx(share / (1 - share), rel=0.02)
            seen += 1
    assert seen > 2
    assert served(servers, "nfs:elsewhere:/x", begin, end) is None


def slices(record: dict, own: list[float], kind: str = "lustre_ost", **change: object) -> pa.Table:
    """Slices of a server in a run: it moves what the programs do, as often as `own` says."""
    first = record["begin_ns"] // SLICE_NS
    base = {
        "mount": MOUNT,
        "host": SERVER,
        "job": "",
        "slice_ns": SLICE_NS,
        "span": 1,
        "unknown": "",
        "storage_read_bytes": 0,
        "link_send_bytes": 0,
        "link_receive_bytes": 0,
    }
    rows = []
    for at, moved in enumerate(own):
        more = {"slice": first + at, "storage_write_bytes": round(moved)} | base
        rows.append(more | {"kind": kind, "name": "OST0000"} | change)
        rows.append(more | {"kind": "machine", "name": SERVER, "storage_write_bytes": 0})
    return pa.Table.from_pylist(rows)


def under_slurm(factors: dict[str, float], kind: str = "lustre_ost") -> tuple[Lab, pa.Table]:
    """A study under Slurm, and what its server counted: the programs' bytes times a factor."""
    made = equal_writers(repetitions=3)
    tables = []
    for record in made.records:
        record |= {"place": "slurm", "resource": MOUNT, "monitor": [], "server": None}
        seen = [made.seen[program["job"], "bytes"] for program in record["programs"]]
        count = max(each.values.shape[1] for each in seen)
        first = record["begin_ns"] // SLICE_NS
        record["end_ns"] = (first + count) * SLICE_NS
        moved = sum(each.between(first, first + count - 1).sum(axis=0) for each in seen)
        factor = factors.get(record["run"], 1.0) * (1.07 if kind == "disk" else 1.0)
        tables.append(slices(record, list(moved * factor), kind))
    return made, pa.concat_tables(tables)


@pytest.mark.parametrize("kind", ["lustre_ost", "disk"])
def test_runs_under_slurm_are_left_out_where_the_servers_moved_more(kind: str) -> None:
    made, servers = under_slurm({}, kind)
    alone = made.records[0]["run"]
    pair, near = (
        r["run"]
        for r in made.records
        if r["kind"] == "pair"
        and [p["name"] for p in r["programs"]] == ["aw", "ws"]
        and r["repetition"] in (1, 2)
    )
    made, servers = under_slurm({alone: 1.2, pair: 1.15, near: 1.09}, kind)
    found = result_of(made, servers=servers)
    cell = cell_of(found, "aw", "ws")
    assert [one.verdict for one in cell.repetitions] == ["discarded", "kept", "kept"]
    assert cell.repetitions[0].foreign == pytest.approx(0.15, abs=1e-3)
    assert "15%" in cell.repetitions[0].reason
    assert [one.discarded for one in found.standalone] == [1, 0]
    notes = [note for note in found.notes if note.kind == "foreign"]
    assert [set(note.runs) for note in notes] == [{alone, pair}]


def test_foreign_traffic_in_all_runs_is_seen_where_requests_are_counted() -> None:
    made, servers = under_slurm({})
    everywhere = {record["run"]: 1.3 for record in made.records}
    made, servers = under_slurm(everywhere)
    found = result_of(made, servers=servers)
    assert {one.verdict for cell in found.cells for one in cell.repetitions} == {"discarded"}


def test_without_an_agent_on_the_servers_the_study_says_so_once() -> None:
    made, servers = under_slurm({})
    for table in (None, servers.slice(0, 0)):
        found = result_of(made, servers=table)
        notes = [note.text for note in found.notes if note.kind == "foreign"]
        assert len(notes) == 1
        assert "Foreign traffic was not measured: no agent on the servers." in notes[0]
    # An agent that stopped on the way: of some runs it is not known.
    first = made.records[0]["end_ns"] // SLICE_NS
    found = result_of(made, servers=servers.filter(pc.less(servers["slice"], first)))
    notes = [note.text for note in found.notes if note.kind == "foreign"]
    assert len(notes) == 1 and "in 14 of 15 runs: no agent watched all" in notes[0]


def test_what_is_not_known_is_not_taken_for_nothing() -> None:
    record = {"begin_ns": 100 * SLICE_NS + 1}
    span = (record["begin_ns"], 110 * SLICE_NS)
    moved = [1000.0] * 10
    table = slices(record, moved)
    assert served(table, MOUNT, *span) == Served(0.0, 9000.0, 110 * SLICE_NS, True)
    assert served(table, MOUNT, span[0], 103 * SLICE_NS) is None  # two whole slices
    lost = slices(record, moved, unknown="storage_write_bytes")
    assert served(lost, MOUNT, *span) is None
    away = table.filter(
        pc.or_(pc.not_equal(table["kind"], "machine"), pc.less(table["slice"], 105))
    )
    assert served(away, MOUNT, *span) is None
    link = slices(record, moved, "interface", link_receive_bytes=7)
    assert served(link, MOUNT, *span) == Served(0.0, 63.0, 110 * SLICE_NS, False)


def test_a_cache_in_one_direction_hides_nothing_in_the_other() -> None:
    reported = Served(0.0, 120.0, 0, True)
    assert excess(reported, read=1000.0, written=100.0) == pytest.approx(0.2)
    assert excess(reported, read=0.0, written=0.0) is None
