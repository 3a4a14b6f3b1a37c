"""Profiles of machines are read as they were written."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.reader import Origin, ReadRequest, read_machines, read_profiles
from jostle.schema.metrics import COMPONENT_IDS
from synth import EPOCH, Profile
from synth_format import ns_code, ns_value, record, svarint, varint
from synth_machine import MachineProfile, component_metrics


def some() -> MachineProfile:
    p = MachineProfile(role=1)
    first = p.first_slice
    p.add_component("machine", "node1")
    p.add_component("disk", "sda", device=(8, 0))
    p.add_component("nfs_mount", "/home", "srv:/home", path="/home", device=(0, 44))
    p.add_clock(EPOCH, 5, 16_000_000)
    p.add_slice(first, {1: {"storage_read_bytes": 4096, "storage_read_ns": 10_000}})
    p.add_note(EPOCH, "no RAPL: only root may read it")
    p.add_component("batch_job", "job_12", job="slurm-12")
    p.add_slice(
        first + 1,
        {
            0: {"cpu_user_ns": 1_000_000, "memory_used_bytes": 2**40},
            3: {"cpu_user_ns": 999, "memory_used_bytes": None},
        },
        span=3,
        epochs=frozenset({3}),
    )
    return p


def test_rows_and_components(tmp_path: Path) -> None:
    p = some()
    tables = read_machines([ReadRequest(p.write(tmp_path), 7)])
    (result,) = tables.results
    assert not result.warnings
    assert result.header is not None
    assert (result.header.role, result.header.host) == ("server", "node1")
    assert [(c.kind, c.name, c.source, c.job, c.path) for c in result.header.components] == [
        ("machine", "node1", "", "", ""),
        ("disk", "sda", "", "", ""),
        ("nfs_mount", "/home", "srv:/home", "", "/home"),
        ("batch_job", "job_12", "", "slurm-12", ""),
    ]
    assert result.header.components[1].major == 8
    assert [note.text for note in result.header.notes] == ["no RAPL: only root may read it"]
    assert result.header.clock_events[0].state == 5
    rows = tables.slices.to_pylist()
    first = p.first_slice
    keys = ("process", "slice", "span", "component", "epoch", "unknown")
    assert [tuple(row[key] for key in keys) for row in rows] == [
        (7, first, 1, 1, 0, ""),
        (7, first + 1, 3, 0, 0, ""),
        (7, first + 1, 3, 3, 1, "memory_used_bytes"),
    ]
    assert rows[0]["storage_read_bytes"] == 4096
    assert rows[0]["storage_read_ns"] == ns_value(ns_code(10_000))
    assert rows[1]["memory_used_bytes"] == 2**40
    assert rows[2]["memory_used_bytes"] == 0


def test_where_a_component_hangs(tmp_path: Path) -> None:
    p = MachineProfile()
    path = "pci0000:3a/0000:3a:00.0/0000:3c:00.0"
    for name, numa in (("a", 0), ("b", 3), ("unknown", -1), ("older", None), ("damaged", 2**40)):
        p.add_component("interface", name, path=path, numa=numa)
    (result,) = read_machines([ReadRequest(p.write(tmp_path), 0)]).results
    assert result.header is not None
    assert [c.numa for c in result.header.components] == [0, 3, -1, -1, -1]
    assert {c.path for c in result.header.components} == {path}


def test_reading_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = some().write(tmp_path)
    whole = read_machines([ReadRequest(path, 0)]).slices
    part = read_machines([ReadRequest(path, 0)], max_rows=1)
    (result,) = part.results
    assert not result.complete
    rest = read_machines([ReadRequest(path, 0, result.records_read)])
    assert part.slices.to_pylist() + rest.slices.to_pylist() == whole.to_pylist()
    assert rest.results[0].header is not None
    assert len(rest.results[0].header.components) == 4  # names are read again each time


def test_a_process_is_no_machine_and_the_other_way_round(tmp_path: Path) -> None:
    path = Profile().write(tmp_path)
    (result,) = read_machines([ReadRequest(path, 0)]).results
    assert result.error is not None
    assert "not the profile of a machine" in str(result.error)
    p = some()
    p.flags = 0
    decoded = read_profiles([ReadRequest(p.write(tmp_path), 0)])
    assert decoded.slices.num_rows == 0  # records of a type that it does not have


@pytest.mark.parametrize("over", [True, False])
def test_a_mirror_says_whose_a_file_is(tmp_path: Path, over: bool) -> None:
    origin = Origin(4711, over)
    (result,) = read_machines([ReadRequest(some().write(tmp_path), 0, origin=origin)]).results
    assert result.header is not None
    assert (result.header.uid, result.header.alive) == (4711, not over)


def test_torn_anywhere_it_gives_what_is_whole(tmp_path: Path) -> None:
    whole = some().bytes()
    path = tmp_path / "a.jsm"
    rows = [0]
    for end in range(4096, len(whole), 7):
        path.write_bytes(whole[:end])
        tables = read_machines([ReadRequest(path, 0)])
        result = tables.results[0]
        assert result.error or result.warnings
        rows.append(tables.slices.num_rows)
    assert rows == sorted(rows)


def test_a_damaged_record_leaves_no_row(tmp_path: Path) -> None:
    """Such a file does not count as read: its first component would be stored with each reading."""
    p = MachineProfile()
    p.add_component("machine", "node1")
    p.add_slice(p.first_slice, {0: {"cpu_user_ns": 1000}})
    values = {"cpu_user_ns": 10**6, "memory_used_bytes": None}
    good = varint(0) + varint(2 * len(values)) + p._values(values)
    beyond_all_cells = varint(0) + varint(2) + varint(2 * 10**4) + varint(1)
    payload = svarint(0) + varint(1) + varint(2) + good + beyond_all_cells
    p.records.append(record("X", payload))
    after = ReadRequest(some().write(tmp_path), 1)
    expected = read_machines([after]).slices.to_pylist()
    (tmp_path / "damaged").mkdir()
    tables = read_machines([ReadRequest(p.write(tmp_path / "damaged"), 0), after])
    assert "makes no sense" in tables.results[0].warnings[0]
    assert [result.slices for result in tables.results] == [(0, 1), (1, 3)]
    assert tables.slices.to_pylist()[1:] == expected  # neither its values nor its unknown metrics


Value = st.one_of(st.none(), st.integers(1, 2**62))
Values = st.dictionaries(st.sampled_from(COMPONENT_IDS), Value, min_size=1, max_size=8)


@settings(max_examples=50, deadline=None)
@given(slices=st.lists(st.dictionaries(st.integers(0, 300), Values, max_size=5), max_size=6))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, slices: list[dict]) -> None:  # type: ignore[type-arg]
    p = MachineProfile()
    timed = {name for name, kind, unit in component_metrics() if (kind, unit) == ("counter", "ns")}
    expected = []
    for number, values in enumerate(slices):
        p.add_slice(p.first_slice + number, values)
        for component, mine in sorted(values.items()):
            known = {
                name: ns_value(ns_code(v)) if name in timed else v
                for name, v in mine.items()
                if v is not None
            }
            unknown = {name for name, v in mine.items() if v is None}
            expected.append((p.first_slice + number, component, known, unknown))
    tables = read_machines([ReadRequest(p.write(tmp_path_factory.mktemp("machine")), 0)])
    found = [
        (
            row["slice"],
            row["component"],
            {name: row[name] for name in COMPONENT_IDS if row[name]},
            set(row["unknown"].split()),
        )
        for row in tables.slices.to_pylist()
    ]
    assert found == expected
