"""Files of LDMS's store_csv become slices of components."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command import jostle

from jostle.errors import UsageError
from jostle.imports import LdmsReport, import_ldms, read_map
from jostle.imports.counters import ldms
from jostle.imports.counters.components import components_of
from jostle.imports.counters.slices import Grid
from jostle.repository import Repository

NS = 10**9
START_S = 1_700_000_000 // 86_400 * 86_400 + 3600
BEGIN = "#Time,Time_usec,ProducerName,component_id,job_id,app_id,"
DISK = f"{BEGIN}reads_comp#sda,sect_read#sda,time_read#sda,sect_read#loop0,other#sda\n"


def disk(seconds: int, start_s: int = START_S, hosts: tuple[str, ...] = ("n1", "n2")) -> str:
    """A sample each second: 3 reads of 2 sectors that take 5 ms, on each machine."""
    lines = [
        f"{start_s + k}.001731,1731,{host},{number},0,0,{3 * k},{6 * k},{5 * k},{k},9"
        for k in range(seconds + 1)
        for number, host in enumerate(hosts)
    ]
    return "\n".join(lines) + "\n"


def taken(store: Repository, *paths: Path) -> LdmsReport:
    return import_ldms(store, paths, read_map("ldms"))


def sums(store: Repository) -> list[tuple[object, ...]]:
    rows = store.query(
        "SELECT host, kind, name, slice_ns, count(*) AS n, sum(storage_read_bytes)::BIGINT AS b, "
        "sum(storage_read_ns)::BIGINT AS ns FROM component_slices GROUP BY ALL ORDER BY ALL"
    ).to_pylist()
    return [tuple(row.values()) for row in rows]


def test_samples_become_slices_once(store: Repository, tmp_path: Path) -> None:
    path = tmp_path / "procdiskstats.1700000000"
    path.write_text(DISK + disk(100))
    report = taken(store, path)
    # The first and last slice are not wholly between two samples.
    each = (NS, 99, 99 * 6 * 512, 99 * 5 * 10**6)
    assert sums(store) == [("n1", "disk", "sda", *each), ("n2", "disk", "sda", *each)]
    assert (report.files, report.rows, report.hosts) == (1, 198, {"n1", "n2"})
    assert taken(store, path).rows == 0
    path.write_text(DISK + disk(150))
    assert taken(store, path).rows == 100
    assert store.query("SELECT count(*) AS n FROM components")["n"][0].as_py() == 2


def test_files_of_several_hours_and_days(store: Repository, tmp_path: Path) -> None:
    long = START_S + 22 * 3600
    path = tmp_path / "procdiskstats"
    path.write_text(DISK + disk(3 * 3600, long, ("n1",)))
    taken(store, path)
    (row,) = sums(store)
    assert row[4:6] == (3 * 3600 - 1, (3 * 3600 - 1) * 6 * 512)
    assert store.query("SELECT count(*) AS n FROM machines")["n"][0].as_py() == 2, "two days"


def test_columns_of_several_files_are_one_machine(store: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "ldms"
    folder.mkdir()
    for name, columns, values in (
        ("procstat", "user,nice,sys,idle,iowait,irq,softirq,steal", [50, 1, 9, 40, 0, 0, 0, 0]),
        ("meminfo", "MemTotal,MemAvailable", None),
    ):
        lines = [
            f"{START_S + k},0,n1,1,0,0,"
            + ",".join(str(k * v) for v in values or ())
            + ("1000,250" if values is None else "")
            for k in range(61)
        ]
        (folder / name).write_text(BEGIN + columns + "\n" + "\n".join(lines) + "\n")
    taken(store, folder)
    (row,) = store.query(
        "SELECT sum(cpu_user_ns)::BIGINT AS user, max(memory_used_bytes) AS used "
        "FROM component_slices WHERE kind = 'machine' AND host = 'n1'"
    ).to_pylist()
    assert row == {"user": 60 * 51 * 10**7, "used": 750 * 1024}


def test_lustre_mounts_have_the_name_of_their_file_system(
    store: Repository, tmp_path: Path
) -> None:
    path = tmp_path / "lustre2_client"
    lines = [f"{START_S + k},0,n1,1,0,0,{1000 * k}" for k in range(61)]
    head = f"{BEGIN}read_bytes#llite.scratch-ffff8800b8e5a000\n"
    path.write_text(head + "\n".join(lines) + "\n")
    taken(store, path)
    (row,) = sums(store)
    assert (row[1], row[2], row[5]) == ("lustre_mount", "scratch", 60_000)


def test_damage_is_left_out_or_set_aside(store: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "ldms"
    folder.mkdir()
    (folder / "a_disk").write_text(DISK + disk(50) + DISK + disk(50, START_S + 51) + "1700,1,n1")
    (folder / "b_text").write_text("no numbers at all\n")
    (folder / "c_empty").touch()
    (folder / "d_other").write_text(f"{BEGIN}something\n1,2,n1,0,0,0,5\n")
    (folder / "e_bad").write_text(DISK + "1700000000,0,n1,1,0,0,x,y,z,1,2\n")
    report = taken(store, folder)
    assert report.files == 1 and report.lines_left_out == 1
    reasons = {Path(name).name: why for name, why in report.set_aside}
    assert reasons.keys() == {"b_text", "c_empty", "d_other", "e_bad"}
    assert "does not name the columns" in reasons["b_text"]
    assert "the map names no column" in reasons["d_other"]
    (first, _) = sums(store)
    assert first[4] == 100, "of the second part's first second the counter went back: unknown"


def test_clocks_that_were_not_set_cost_neither_time_nor_samples(
    store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passes: list[Grid] = []

    def counted(*given: Any) -> Any:
        passes.append(given[3])
        assert len(passes) < 20, "hours without samples are passed over"
        return components_of(*given)

    monkeypatch.setattr(ldms, "components_of", counted)
    path = tmp_path / "procdiskstats"
    early = (disk(0, 12), disk(0, 1_010_000_000), disk(0, 9_000_000_000))  # 1970, 2002 and 2255
    path.write_text(DISK + "".join(early) + disk(100))
    report = taken(store, path)
    assert [row[4] for row in sums(store)] == [99, 99]
    assert report.lines_left_out == 4, "of two machines each: 1970 and 2255"
    assert any(grid.edges[-1] > START_S * NS for grid in passes)


def test_names_in_a_file_of_their_own(store: Repository, tmp_path: Path) -> None:
    (tmp_path / "procdiskstats").write_text(disk(60))
    (tmp_path / "procdiskstats.HEADER").write_text(DISK)
    assert taken(store, tmp_path / "procdiskstats").rows == 118


def test_the_command(tmp_path: Path) -> None:
    place = ("--repository", str(tmp_path / "repository"))
    (tmp_path / "procdiskstats").write_text(DISK + disk(60))
    done = jostle("import", "ldms", str(tmp_path / "procdiskstats"), *place)
    assert done.code == 0, done.err
    assert "Samples every 1.00 s became slices of 1.00 s" in done.out
    assert "jostle timeline" in done.out + done.err
    again = json.loads(
        jostle("import", "ldms", str(tmp_path / "procdiskstats"), *place, "--json").out
    )
    assert again["rows"] == 0 and again["known"]
    shown = jostle("timeline", "--node", "n1", *place)
    assert shown.code == 0 and "sda" in shown.out
    (tmp_path / "text").write_text("nothing\n")
    bad = jostle("import", "ldms", str(tmp_path / "text"), *place)
    assert bad.code == 1 and "No file could be imported" in bad.err
    with pytest.raises(UsageError, match="does not exist"):
        taken(Repository(tmp_path / "repository"), tmp_path / "none")
