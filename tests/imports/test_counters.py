"""Series of counters become slices of components, with exact sums; gaps are unknown."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from fake_prometheus import Answer, Table, matrix, of_table, prometheus

from jostle.imports import (
    CounterMapError,
    CounterReport,
    ImportFailedError,
    PrometheusClient,
    import_prometheus,
    read_map,
    shipped,
)
from jostle.imports.counters.components import host_of
from jostle.imports.counters.slices import Grid, increase, interval_ns, level, rate, slice_length
from jostle.repository import Repository

NS = 10**9
START_S = 1_700_000_000 // 3600 * 3600
ONE = """
title = "test"
[[component]]
kind = "disk"
name = "{device}"
[component.metrics]
storage_read_bytes = "read"
storage_write_ns = { series = "write_seconds", times = 1e9 }
storage_queued = "queued"
"""


def grid(count: int = 10, slice_s: int = 10) -> Grid:
    return Grid(START_S // slice_s, count, slice_s * NS)


def test_what_a_counter_rose_is_spread_over_slices_and_nothing_is_lost() -> None:
    random = np.random.default_rng(1)
    times = START_S * NS + np.cumsum(random.integers(14 * NS, 16 * NS, 200)) - 30 * NS
    values = np.cumsum(random.integers(0, 10**9, 200)).astype(float)
    slices = grid(250)
    found = increase(times, values, 1.0, slices, 15 * NS)
    inside = (slices.edges[:-1] >= times[0]) & (slices.edges[1:] <= times[-1])
    assert (found.known == inside).all()
    edges = slices.edges[:-1][inside][0], slices.edges[1:][inside][-1]
    exact = np.diff(np.interp(np.array(edges) - times[0], times - times[0], values))[0]
    assert int(found.values.sum()) == pytest.approx(exact, abs=1.0)


def test_gaps_and_resets_are_unknown_and_no_traffic() -> None:
    at = np.array([0, 10, 20, 30, 90, 100, 110, 120]) * NS + START_S * NS
    values = np.array([0.0, 10, 20, 30, 500, 510, 5, 15])
    found = increase(at, values, 1.0, grid(12), 10 * NS)
    assert found.known.tolist() == [*[True] * 3, *[False] * 6, True, False, True]
    assert found.values.tolist() == [10, 10, 10, 0, 0, 0, 0, 0, 0, 10, 0, 10]


def test_rates_and_levels() -> None:
    at = np.array([0, 10, 20, 30]) * NS + START_S * NS
    moved = rate(at, np.array([9.0, 2, 3, 4]), 1e7, grid(3), 10 * NS)
    assert moved.values.tolist() == [2 * 10**8, 3 * 10**8, 4 * 10**8]
    last = level(at, np.array([9.0, 2, 3, 4]), 1.0, grid(3), 10 * NS)
    assert last.values.tolist() == [2, 3, 4]
    late = level(at[:1], np.array([9.0]), 1.0, grid(9), 10 * NS)
    assert late.known.tolist() == [*[True] * 4, *[False] * 5], "it is too old to be true"


@pytest.mark.parametrize(("usual", "length"), [(1, 1), (14.9, 15), (15, 15), (40, 60), (300, 60)])
def test_slices_are_as_long_as_samples_are_apart(usual: float, length: int) -> None:
    times = [np.arange(5, dtype=np.int64) * round(usual * NS)]
    assert slice_length(interval_ns(times)) == length * NS


@pytest.mark.parametrize(
    ("text", "host"),
    [("n1:9100", "n1"), ("n1.site", "n1.site"), ("[fe80::1]:9100", "fe80::1"), ("a\nb:1", "a\\nb")],
)
def test_a_machine_is_named_without_its_port(text: str, host: str) -> None:
    assert host_of(text) == host


def test_the_shipped_maps_are_valid() -> None:
    assert shipped() == ["ceph", "dcgm", "ldms", "lustre-exporter", "node-exporter"]
    for name in shipped():
        assert read_map(name).component


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('kind = "disk"', 'kind = "disc"', "must be one of machine"),
        ("storage_queued", "storage_speed", "not a metric of components"),
        ("times = 1e9", "time = 1e9", "`time`"),
        ('title = "test"', "", "lacks `title`"),
        ('title = "test"', "title = ", "not valid TOML"),
        ("[[component]]", '[derive]\na = { label = "x", pattern = "(" }\n[[component]]', "regular"),
    ],
)
def test_a_wrong_map_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "map.toml"
    path.write_text(ONE.replace(old, new))
    with pytest.raises(CounterMapError) as error:
        read_map(str(path))
    assert said in str(error.value)
    with pytest.raises(CounterMapError, match="no map"):
        read_map(str(tmp_path / "none"))


def table(seconds: int = 900, *, instance: str = "n1:9100") -> Table:
    """Samples each 15 s: 3000 bytes a sample, half a second of writing, 2 requests waiting."""
    at = [START_S + 7 + 15 * k for k in range(-30, seconds // 15 + 30)]
    labels = {"instance": instance, "device": "sda"}
    return {
        "read": [(labels, [(t, 10.0**12 + 3000 * k) for k, t in enumerate(at)])],
        "write_seconds": [(labels, [(t, 0.5 * k) for k, t in enumerate(at)])],
        "queued": [(labels, [(t, 2) for t in at])],
    }


def imported(
    store: Repository, tmp_path: Path, answer: Answer, seconds: int = 900, begin_s: int = 0
) -> CounterReport:
    path = tmp_path / "map.toml"
    path.write_text(ONE)
    with prometheus(answer) as (url, _):
        client = PrometheusClient(url, most_bytes=20_000)
        start, end = (START_S + begin_s) * NS, (START_S + seconds) * NS
        return import_prometheus(store, client, read_map(str(path)), start, end)


def test_series_become_components_once(store: Repository, tmp_path: Path) -> None:
    report = imported(store, tmp_path, of_table(table()))
    assert (report.slice_ns, report.rows, report.hosts) == (15 * NS, 60, {"n1"})
    (row,) = store.query(
        "SELECT host, kind, name, count(*) AS n, sum(storage_read_bytes) AS bytes, "
        "sum(storage_write_ns) AS ns, max(storage_queued) AS queued, max(unknown) AS unknown "
        "FROM component_slices GROUP BY ALL"
    ).to_pylist()
    assert (row["host"], row["kind"], row["name"], row["n"]) == ("n1", "disk", "sda", 60)
    assert (int(row["bytes"]), int(row["ns"]), row["queued"]) == (180_000, 30 * NS, 2)
    words = row["unknown"].split()
    assert "storage_wait_ns" in words and "storage_read_bytes" not in words
    again = imported(store, tmp_path, of_table(table()))
    assert (again.rows, again.commits) == (0, 0) and again.known
    more = imported(store, tmp_path, of_table(table(1800)), 1800)
    assert more.rows == 60
    assert store.query("SELECT count(*) AS n FROM component_slices")["n"][0].as_py() == 120
    assert store.query("SELECT count(*) AS n FROM components")["n"][0].as_py() == 1


def test_an_import_goes_on_where_the_samples_of_the_last_one_ended(
    store: Repository, tmp_path: Path
) -> None:
    whole = table(900)
    until = START_S + 437  # in the middle of a slice
    early = {
        name: [(labels, [(t, v) for t, v in samples if t < until]) for labels, samples in series]
        for name, series in whole.items()
    }
    first = imported(store, tmp_path, of_table(early))
    second = imported(store, tmp_path, of_table(whole))
    assert 0 < first.rows < 30 and first.rows + second.rows == 60
    (row,) = store.query(
        "SELECT sum(storage_read_bytes)::BIGINT AS n, "
        "count(*) FILTER (contains(unknown, 'storage_read_bytes')) AS dark FROM component_slices"
    ).to_pylist()
    assert row == {"n": 180_000, "dark": 0}


def test_an_earlier_span_of_a_day_may_be_imported_after_a_later_one(
    store: Repository, tmp_path: Path
) -> None:
    answer = of_table(table(7200))
    assert imported(store, tmp_path, answer, 7200, 5400).rows == 120
    early = imported(store, tmp_path, answer, 5400)
    assert (early.rows, early.known, early.commits) == (360, 0, 2), "each hour is a commit"
    again = imported(store, tmp_path, answer, 5400)
    assert (again.rows, again.known) == (0, 360)
    (row,) = store.query(
        "SELECT count(*) AS rows, sum(storage_read_bytes)::BIGINT AS bytes FROM component_slices"
    ).to_pylist()
    assert row == {"rows": 480, "bytes": 480 * 3000}
    (machine,) = store.query(
        "SELECT first_slice * slice_ns AS first, (last_slice + 1) * slice_ns AS last FROM machines"
    ).to_pylist()
    assert machine == {"first": START_S * NS, "last": (START_S + 7200) * NS}


def test_an_answer_that_is_too_large_is_asked_for_in_parts(
    store: Repository, tmp_path: Path
) -> None:
    report = imported(store, tmp_path, of_table(table(7200)), 7200)
    assert report.rows == 480
    total = store.query("SELECT sum(storage_read_bytes) AS n FROM component_slices")["n"]
    assert int(total[0].as_py()) == 480 * 3000


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (200, b"<html>", "no JSON"),
        (200, b"[" * 100_00, "no JSON"),
        (200, b'{"status":"success","data":{"resultType":"vector"}}', "no matrix"),
        (200, b'{"status":"success","data":{"resultType":"matrix","result":7}}', "no result"),
        (422, b'{"status":"error","error":"bad\\u001b[31m query"}', "status 422: bad"),
        (302, b"", "status 302"),
        (200, b" " * 100_000, "more than"),
        (200, matrix([]), "There are no samples"),
        (200, matrix([7, {}, {"metric": {}, "values": [["a", "b"], [1], None]}]), "no samples"),
    ],
)
def test_what_a_server_sends_is_not_trusted(
    store: Repository, tmp_path: Path, status: int, body: bytes, said: str
) -> None:
    with pytest.raises(ImportFailedError) as error:
        imported(store, tmp_path, lambda *_: (status, body))
    assert said in str(error.value) and "\x1b" not in str(error.value)


def test_hostile_samples_never_reach_an_answer(store: Repository, tmp_path: Path) -> None:
    rows = table()
    _, samples = rows["read"][0]
    for number, value in ((20, "NaN"), (25, 1e308), (35, float("inf")), (40, -1e30)):
        samples[number] = (samples[number][0], float(value))
    rows["read"].append(({"instance": "", "device": "sdb"}, samples))
    rows["read"].append(({"instance": "n1", "device": ""}, samples))
    imported(store, tmp_path, of_table(rows))
    (row,) = store.query(
        "SELECT count(DISTINCT name) AS n, max(storage_read_bytes) AS most FROM component_slices"
    ).to_pylist()
    assert row["n"] == 1 and row["most"] <= 3001


@pytest.mark.parametrize("url", ["ftp://h/", "http://", "localhost:9090", "http://a:b@h/"])
def test_other_addresses_are_refused(url: str) -> None:
    with pytest.raises(ImportFailedError, match="not the URL of a Prometheus"):
        PrometheusClient(url)


def test_a_server_that_is_not_there(store: Repository, tmp_path: Path) -> None:
    client = PrometheusClient("http://127.0.0.1:9")
    with pytest.raises(ImportFailedError, match=r"cannot be reached: .*refused"):
        client.samples("up", START_S, START_S + 60)


def test_daemons_of_a_cluster_are_found_on_their_hosts(store: Repository) -> None:
    at = [START_S - 60 + 15 * k for k in range(30)]
    osd = {"ceph_daemon": "osd.0", "instance": "mgr:9283"}
    lookup = '{__name__=~"ceph_osd_metadata|ceph_mds_metadata"}'
    answers: Table = {
        "ceph_osd_op_r_out_bytes": [(osd, [(t, 100.0 * k) for k, t in enumerate(at)])],
        lookup: [({"ceph_daemon": "osd.0", "hostname": "store1"}, [(t, 1) for t in at])],
    }
    with prometheus(of_table(answers)) as (url, _):
        import_prometheus(
            store, PrometheusClient(url), read_map("ceph"), START_S * NS, (START_S + 120) * NS
        )
    (row,) = store.query("SELECT DISTINCT host, kind, name FROM component_slices").to_pylist()
    assert row == {"host": "store1", "kind": "ceph_osd", "name": "osd.0"}
    assert store.query("SELECT role FROM machines")["role"].to_pylist() == ["server"]


def test_jobs_of_lustre_are_named_as_profiles_name_them(store: Repository) -> None:
    at = [START_S - 60 + 15 * k for k in range(30)]
    labels = {"instance": "oss1:9169", "component": "ost", "target": "scratch-OST000a"}
    name = 'lustre_job_read_bytes_total{component="ost"}'
    samples = [(float(t), 100.0 * k) for k, t in enumerate(at)]
    rows: Table = {name: [(labels | {"jobid": job}, samples) for job in ("4711", "cp.0")]}
    with prometheus(of_table(rows)) as (url, _):
        import_prometheus(
            store,
            PrometheusClient(url),
            read_map("lustre-exporter"),
            START_S * NS,
            (START_S + 120) * NS,
        )
    rows_of = store.query(
        "SELECT DISTINCT kind, name, source, job FROM component_slices ORDER BY job"
    ).to_pylist()
    assert [tuple(row.values()) for row in rows_of] == [
        ("lustre_job", "scratch-OST000a", "scratch", "cp.0"),
        ("lustre_job", "scratch-OST000a", "scratch", "slurm-4711"),
    ]
