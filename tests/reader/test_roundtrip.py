"""The reader finds what synth.py writes by the format's document."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jostle.reader import (
    Decoded,
    ProfileHeader,
    ReadRequest,
    ShortsHeader,
    find_profiles,
    read_header,
    read_profiles,
)
from jostle.schema.metrics import HISTOGRAM_IDS, MOUNT_IDS, PROCESS_IDS
from synth import EPOCH, SECOND, Profile, Row, Short, Shorts
from synth_format import Layout, Metric, ns_code, ns_value, schema_layout
from synth_random import bulk_spool, random_profile

SETTINGS = settings(max_examples=40)


def found(decoded: Decoded, process: int) -> list[Row]:
    """The rows of one process, as synth.py keeps them."""
    mounts: dict[tuple[int, int], dict[str, dict[int, int]]] = {}
    for row in decoded.mount_slices.to_pylist():
        if row["process"] == process:
            by_metric = mounts.setdefault((row["slice"], row["span"]), {})
            for name in MOUNT_IDS:
                if row[name]:
                    assert row["slot"] not in by_metric.setdefault(name, {})
                    by_metric[name][row["slot"]] = row[name]
    rows = []
    for row in decoded.slices.to_pylist():
        if row["process"] == process:
            values: dict[str, Any] = {name: row[name] for name in PROCESS_IDS if row[name]}
            rows.append(
                Row(row["slice"], row["span"], values | mounts.get((row["slice"], row["span"]), {}))
            )
    return rows


def read(path: Path, **request: Any) -> Decoded:
    decoded = read_profiles([ReadRequest(path, 0, **request)])
    assert decoded.results[0].error is None
    return decoded


def expected(p: Profile) -> list[Row]:
    rows = list(p.rows)
    if p.remainder is not None and p._beyond and any(p._beyond.values()):
        rows.append(p.remainder)
    return rows


def check_bits(decoded: Decoded) -> None:
    """What the decoder says of a column's bits is what its values have."""
    for table in (decoded.slices, decoded.mount_slices):
        for name in table.column_names:
            if name in HISTOGRAM_IDS:
                rows = [row for row in table.column(name).to_pylist() if row is not None]
                columns = np.array(rows, dtype=np.int64).reshape(-1, 32).T
            elif name in decoded.bits:
                columns = table.column(name).to_numpy()[None, :]
            else:
                continue
            bits = [int(np.bitwise_or.reduce(column)) % 2**64 for column in columns]
            assert bits == decoded.bits[name], name


@SETTINGS
@given(seed=st.integers(0, 2**32), slices=st.integers(0, 12), density=st.floats(0, 1))
def test_random_profiles(tmp_path: Path, seed: int, slices: int, density: float) -> None:
    p = random_profile(seed, slices, density)
    decoded = read(p.write(tmp_path))
    assert decoded.results[0].warnings == []
    assert found(decoded, 0) == expected(p)
    check_bits(decoded)
    header = decoded.results[0].header
    assert isinstance(header, ProfileHeader)
    assert [m.path for m in header.mounts] == ["/mnt/0", "/mnt/1", "/mnt/7"]
    assert decoded.results[0].records_read == len(p.records)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), cut=st.integers(0, 20))
def test_going_on_gives_the_rest(tmp_path: Path, seed: int, cut: int) -> None:
    p = random_profile(seed, slices=8)
    path = p.write(tmp_path)
    rows = found(read(path, from_record=cut, remainder=False), 0)
    assert rows == p.rows[len(p.rows) - len(rows) :]
    skipped = sum(record[:1] in (b"S", b"L") for record in p.records[:cut])
    assert len(rows) == len(p.rows) - skipped


def test_going_on_in_a_damaged_file(tmp_path: Path) -> None:
    """The way to the first wanted record is a short one; it must lead to the same."""
    p = random_profile(8, slices=20)
    path = p.write(tmp_path)
    whole = bytearray(path.read_bytes())
    for damaged in range(len(p.records)):
        before = sum(map(len, p.records[: damaged + 1]))
        data = bytearray(whole)
        data[len(whole) - sum(map(len, p.records)) + before - 1] ^= 0x55  # its checksum
        path.write_bytes(data)
        good = found(read(path, remainder=False), 0)
        assert good == p.rows[: len(good)]
        at = damaged // 2
        rows = found(read(path, from_record=at, remainder=False), 0)
        skipped = sum(record[:1] in (b"S", b"L") for record in p.records[:at])
        assert rows == good[skipped:]
        last = found(read(path, from_record=at), 0)
        assert p.remainder is not None
        assert last[-1] == p.remainder


def test_going_on_in_small_steps(tmp_path: Path) -> None:
    p = random_profile(5, slices=30)
    path, at, rows = p.write(tmp_path), 0, []
    for _ in range(100):
        decoded = read_profiles([ReadRequest(path, 0, at, remainder=True)], max_rows=5)
        rows += found(decoded, 0)
        at = decoded.results[0].records_read
        if decoded.results[0].complete:
            break
    assert rows == expected(p)


@SETTINGS
@given(n=st.integers(0, 2**64 - 1))
def test_time_codes_round_down(n: int) -> None:
    value = ns_value(ns_code(n))
    assert value <= n
    if n < 4095 << 30:
        assert n - value <= n >> 11
        assert ns_code(value) == ns_code(n)


def test_every_time_code(tmp_path: Path) -> None:
    p = Profile()
    values = [ns_value(code) for code in range(1, 65536, 29)]
    for i, value in enumerate(values):
        p.add_slice(p.first_slice + i, {"os_user_ns": value})
    assert read(p.write(tmp_path)).slices["os_user_ns"].to_pylist() == values


def test_what_rounding_leaves_is_carried(tmp_path: Path) -> None:
    p = Profile()
    for i in range(1000):
        p.add_slice(p.first_slice + i, {"os_user_ns": 1_234_567 + i})
    total = sum(read(p.write(tmp_path)).slices["os_user_ns"].to_pylist())
    exact = sum(1_234_567 + i for i in range(1000))
    assert 0 <= exact - total < 1_300_000 >> 10


def test_large_counters_saturate(tmp_path: Path) -> None:
    p = Profile()
    p.add_slice(p.first_slice, {"stream_read_bytes": 2**64 - 1, "stream_read_ops": 2**63 - 1})
    row = read(p.write(tmp_path), remainder=False).slices.to_pylist()[0]
    assert row["stream_read_bytes"] == row["stream_read_ops"] == 2**63 - 1


def test_gauges_stay_at_their_level(tmp_path: Path) -> None:
    p = Profile()
    for i, level in enumerate([5, 5, 9, 2]):
        p.add_slice(p.first_slice + i, {"os_threads": level, "self_calls_ops": 1})
    path = p.write(tmp_path)
    assert read(path).slices["os_threads"].to_pylist() == [5, 5, 9, 2]
    assert read(path, from_record=3).slices["os_threads"].to_pylist() == [2]


def test_remainder_spans_to_the_end(tmp_path: Path) -> None:
    p = Profile(end_ns=EPOCH + 41 * SECOND, end_reason=1)
    p.add_slice(p.first_slice, {"self_calls_ops": 1})
    p.set_remainder({"stream_read_ns": 2_000_000, "os_threads": 4})
    decoded = read(p.write(tmp_path))
    row = decoded.slices.to_pylist()[1]
    assert (row["slice"], row["span"]) == (p.first_slice + 1, 10)
    assert 2_000_000 <= row["stream_read_ns"] <= 2_000_001
    assert row["os_threads"] == 4
    assert decoded.results[0].remainder


def test_remainder_only_when_asked(tmp_path: Path) -> None:
    p = Profile(end_ns=EPOCH + SECOND, end_reason=1)
    p.set_remainder({"self_calls_ops": 3})
    path = p.write(tmp_path)
    assert read(path, remainder=True).slices.num_rows == 1
    assert read(path, remainder=None).slices.num_rows == 1  # it has ended
    assert read(path, remainder=False).slices.num_rows == 0


def test_header_fields(tmp_path: Path) -> None:
    p = Profile(
        job="j1",
        host="n1",
        program="/bin/x",
        command="x -y",
        pid=5,
        ppid=4,
        uid=3,
        gid=2,
        sid=6,
        part=1,
        clock_state=5,
        clock_error_us=77,
        lost_threads=9,
        end_ns=EPOCH + 1,
        end_reason=3,
        heartbeat_ns=EPOCH,
    )
    p.add_mount(0, "/scratch", "lustre", "10.0.0.1@tcp:/fs", (0, 55), 31, 0x0BD00BD0)
    p.add_clock(EPOCH + 7, 5, 1000, -5)
    p.add_note(EPOCH + 8, "the spool vanished")
    p.head_slots[3] = (8, 2, 0xEF53, 40)
    h = read_header(p.write(tmp_path))
    assert isinstance(h, ProfileHeader)
    assert (h.job, h.host, h.program, h.command) == ("j1", "n1", "/bin/x", "x -y")
    assert (h.pid, h.ppid, h.gid, h.sid, h.part) == (5, 4, 2, 6, 1)
    assert h.uid == os.getuid()  # whose file it is, not what it says
    assert (h.clock_state, h.clock_error_us, h.lost_threads) == (5, 77, 9)
    assert (h.end_ns, h.end_reason, h.finished, h.alive) == (EPOCH + 1, "exec", True, False)
    assert h.boot_id == str(p.boot_id)
    assert h.tick_ns == pytest.approx(1 / 2.1)
    assert (h.slice_ns, h.first_slice, h.start_ns) == (4 * SECOND, p.first_slice, EPOCH)
    assert (h.mounts[0].path, h.mounts[0].type, h.mounts[0].source) == (
        "/scratch",
        "lustre",
        "10.0.0.1@tcp:/fs",
    )
    assert (h.mounts[1].slot, h.mounts[1].path, h.mounts[1].minor) == (3, "", 2)
    assert (h.clock_events[0].realtime_ns, h.clock_events[0].step_ns) == (EPOCH + 7, -5)
    assert h.notes[0].text == "the spool vanished"


@pytest.mark.parametrize("said", [0, 1, 2, 3])
def test_the_newest_binding_holds(tmp_path: Path, said: int) -> None:
    bindings = [
        ("0-3", "0", "0-7", "0"),
        ("4", "1", "0-7", "0-1"),
        ("4-5\x1b[2J", "1,3", "0-15", "0-3"),
    ][:said]
    h = read_header(Profile(bindings=bindings, node_samples=(0, 7)).write(tmp_path))
    assert isinstance(h, ProfileHeader)
    newest = [text.replace("\x1b", "\\x1b") for text in (bindings or [("",) * 4])[-1]]
    assert [h.allowed_cpus, h.allowed_nodes, h.group_cpus, h.group_nodes] == newest
    assert h.node_samples == ((0, 7) if said else ())


def test_a_later_mount_record_replaces(tmp_path: Path) -> None:
    p = Profile()
    p.add_mount(0, "/old")
    p.add_mount(0, "/new")
    header = read_header(p.write(tmp_path))
    assert isinstance(header, ProfileHeader)
    assert [m.path for m in header.mounts] == ["/new"]


def test_strings_cannot_steer_a_terminal(tmp_path: Path) -> None:
    p = Profile(job="j\x1b[2J", program="caf\u00e9")
    p.add_note(EPOCH, b"bad \xff\n\x07")
    h = read_header(p.write(tmp_path, "x.jst"))
    assert isinstance(h, ProfileHeader)
    assert (h.job, h.program, h.notes[0].text) == ("j\\x1b[2J", "caf\u00e9", "bad \\xff\\n\\x07")


def test_schema_and_types(tmp_path: Path) -> None:
    decoded = read(random_profile(1).write(tmp_path))
    kinds = {"process": pa.int32(), "slice": pa.int64(), "span": pa.int32(), "slot": pa.int8()}
    histogram = pa.list_(pa.int64(), 32)
    assert decoded.slices.column_names == ["process", "slice", "span", *PROCESS_IDS]
    assert decoded.mount_slices.column_names == ["process", "slice", "span", "slot", *MOUNT_IDS]
    for table in (decoded.slices, decoded.mount_slices):
        table.validate(full=True)
        for field in table.schema:
            other = histogram if field.name in HISTOGRAM_IDS else pa.int64()
            assert field.type == kinds.get(field.name, other)


def test_tables_outlive_all_else(tmp_path: Path) -> None:
    table = read(random_profile(2, slices=100).write(tmp_path)).slices
    copy = table.to_pylist()
    for seed in range(3):
        read(random_profile(seed, slices=100).write(tmp_path))
    assert table.to_pylist() == copy


def test_other_layouts_and_unknown_metrics(tmp_path: Path) -> None:
    layout = Layout(
        (
            Metric("of_the_future_ns", "timer", "ns", "mount", 0),
            Metric("posix_read_bytes", "counter", "bytes", "mount", 2),
            Metric("future_level", "gauge", "things", "process", 9),
            Metric("os_rss_bytes", "gauge", "bytes", "process", 10),
            Metric("future_size", "histogram", "ops", "process", 16, 32),
            Metric("posix_read_size", "histogram", "ops", "process", 48, 32),
        ),
        cell_count=85,
        slots=3,
        stride=3,
    )
    p = random_profile(3, slices=30, density=0.9, slots=(0, 1, 2), layout=layout)
    rows = [
        Row(r.slice, r.span, {k: v for k, v in r.values.items() if "future" not in k})
        for r in expected(p)
    ]
    other = random_profile(4, slices=3)  # tables may change from file to file
    paths = [p.write(tmp_path, "a.jst"), other.write(tmp_path, "b.jst")]
    decoded = read_profiles([ReadRequest(path, i) for i, path in enumerate(paths * 2)])
    assert found(decoded, 0) == found(decoded, 2) == rows
    assert found(decoded, 1) == found(decoded, 3) == expected(other)


def test_many_files(tmp_path: Path) -> None:
    profiles = [random_profile(i, slices=5, pid=100 + i) for i in range(30)]
    for p in profiles:
        p.write(tmp_path)
    paths = find_profiles([tmp_path])
    assert len(paths) == 30
    decoded = read_profiles([ReadRequest(path, i) for i, path in enumerate(paths)])
    by_pid = {p.pid: p for p in profiles}
    for i, result in enumerate(decoded.results):
        assert isinstance(result.header, ProfileHeader)
        first, count = result.slices
        assert decoded.slices["process"][first : first + count].to_pylist() == [i] * count
        assert found(decoded, i) == expected(by_pid[result.header.pid])


def test_bulk_equals_itself(tmp_path: Path) -> None:
    paths = bulk_spool(tmp_path, processes=4, slices=200, jobs=2)
    decoded = read_profiles([ReadRequest(path, i) for i, path in enumerate(paths)])
    assert decoded.slices.num_rows == 800
    assert not any(result.warnings or result.remainder for result in decoded.results)
    assert {r.header.job for r in decoded.results if r.header} == {"job0", "job1"}


def random_shorts(seed: int, count: int) -> Shorts:
    rng = random.Random(seed)
    s = Shorts()
    header = rng.randrange(count + 1)
    for i in range(count):
        if i == header:
            s.add_header()
        start = EPOCH + rng.randrange(100 * SECOND)
        values: dict[str, Any] = {"self_calls_ops": i + 1, "os_user_ns": rng.randrange(10**9)}
        values["posix_read_bytes"] = {0: rng.randrange(1, 65536), 7: 3}
        values["posix_read_size"] = [0] * 12 + [i] + [0] * 19
        s.add(
            Short(
                pid=i + 2,
                start_ns=start,
                end_ns=start + rng.randrange(10 * SECOND),
                program=f"tool{i}",
                mounts=((0, 8, 1, 0xEF53), (7, 0, 0, 0)),
                values=values,
            )
        )
    if header == count:
        s.add_header()
    return s


@pytest.mark.parametrize("seed", range(5))
def test_shorts(tmp_path: Path, seed: int) -> None:
    s = random_shorts(seed, 20)
    path = s.write(tmp_path)
    decoded = read_profiles([ReadRequest(path, 0)])
    result = decoded.results[0]
    assert result.error is None
    assert result.header == read_header(path)
    assert isinstance(result.header, ShortsHeader)
    assert (result.header.job, result.header.host) == (s.job, s.host)
    assert result.short_processes == (0, 20)
    for k, (short, process) in enumerate(zip(s.shorts, decoded.short_processes, strict=True)):
        assert (process.process, process.row, process.pid) == (-1 - k, k, short.pid)
        assert (process.program, process.start_ns, process.end_ns, process.end_reason) == (
            short.program,
            short.start_ns,
            short.end_ns,
            "exit",
        )
        assert [(m.slot, m.major, m.minor, m.fs_magic) for m in process.mounts] == list(
            short.mounts
        )
        assert found(decoded, -1 - k) == [s.rows[k]]


def numbers(decoded: Decoded) -> Sequence[int]:
    return [process.pid for process in decoded.short_processes]


def test_shorts_in_two_goes(tmp_path: Path) -> None:
    s = random_shorts(1, 10)
    path = s.write(tmp_path)
    first = read_profiles([ReadRequest(path, 0)])
    for i in range(3):
        s.add(Short(pid=1000 + i))
    s.write(tmp_path)
    second = read_profiles([ReadRequest(path, 0, first.results[0].records_read)])
    assert numbers(second) == [1000, 1001, 1002]
    assert second.short_processes[0].record == 11


def test_shorts_of_several_files_are_numbered_on(tmp_path: Path) -> None:
    paths = [Shorts(job=f"j{i}").write(tmp_path) for i in range(3)]
    for i, path in enumerate(paths):
        s = Shorts(job=f"j{i}")
        s.add_header()
        s.add(Short(pid=i))
        s.write(tmp_path)
        assert path.exists()
    decoded = read_profiles([ReadRequest(path, 0) for path in paths])
    assert [p.process for p in decoded.short_processes] == [-1, -2, -3]
    assert decoded.slices["process"].to_pylist() == [-1, -2, -3]
    assert [p.header.job for p in decoded.short_processes] == ["j0", "j1", "j2"]
    assert [r.short_processes for r in decoded.results] == [(0, 1), (1, 1), (2, 1)]


def test_the_layout_is_the_generated_one(root: Path) -> None:
    source = (root / "runtime" / "src" / "jst_metrics.c").read_text()
    for line in schema_layout().text.decode().splitlines():
        assert f'"{line}\\n"' in source


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32), cut=st.integers(0, 8), density=st.floats(0, 1))
def test_a_bookmark_changes_no_answer(tmp_path: Path, seed: int, cut: int, density: float) -> None:
    """Whether reading goes on at a bookmark, at a wrong one, or looks at all of the file again."""
    p = random_profile(seed, 8, density)
    path = p.write(tmp_path)
    whole = read_profiles([ReadRequest(path, 0)])
    first = read_profiles([ReadRequest(path, 0, remainder=False)], max_rows=1 + cut).results[0]
    at = first.records_read
    plain = read_profiles([ReadRequest(path, 0, at)])
    marks = [first.bookmark]
    if first.bookmark is not None:
        wrong = ({"at": first.bookmark.at + 1}, {"record": at + 1}, {"at": 2**60})
        marks += [replace(first.bookmark, **change) for change in wrong]
    for mark in marks:
        marked = read_profiles([ReadRequest(path, 0, at, bookmark=mark)])
        assert marked.slices.equals(plain.slices)
        assert marked.mount_slices.equals(plain.mount_slices)
        result = marked.results[0]
        assert result.header == whole.results[0].header
        assert (result.warnings, result.records_end) == ([], whole.results[0].records_end)


def test_what_lies_before_a_bookmark_is_not_looked_at(tmp_path: Path) -> None:
    """The cost of a file is that of its new part, however long it is."""
    p = Profile()
    p.add_mount(0, "/scratch", "nfs4", "server:/scratch")
    p.add_note(EPOCH, "a note")
    for number in range(4):
        p.add_slice(p.first_slice + number, {"os_rss_bytes": number * 4096 + 1})
    path = p.write(tmp_path)
    first = read_profiles([ReadRequest(path, 0)]).results[0]
    before = first.records_end
    p.add_slice(p.first_slice + 4, {"os_rss_bytes": 7})
    data = bytearray(p.encode())
    data[len(data) - sum(map(len, p.records))] = 0xFF  # the first record is no more
    path.write_bytes(data)
    again = read_profiles([ReadRequest(path, 0, first.records_read, bookmark=first.bookmark)])
    assert again.results[0].warnings == []
    assert again.slices["os_rss_bytes"].to_pylist() == [7]
    assert again.results[0].records_end > before
    header, known = again.results[0].header, first.header
    assert isinstance(header, ProfileHeader)
    assert isinstance(known, ProfileHeader)
    assert (header.mounts, header.notes) == (known.mounts, known.notes)
