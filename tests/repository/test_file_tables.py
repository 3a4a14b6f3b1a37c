"""Files in the repository: stored once, when their process is over; compacted, dropped in time."""

from __future__ import annotations

from dataclasses import replace

from support import make_profile, newer

from jostle.analysis import digest
from jostle.reader import files
from jostle.repository import Repository
from synth import File

OTHERS = File(hash=50, opens=60, write_bytes=70_000)
INPUT = File("/scratch/input", 11, 0, opens=1, reads=9, read_bytes=900_000, read_ticks=2_100_000)


def user(seed, job="alpha", *, ended=True, **header):
    """A profile of a process that reads what all read, and writes what is its own."""
    own = File(
        f"/out.{seed}",
        100 + seed,
        1,
        opens=2,
        writes=3,
        write_bytes=40_000 + seed,
        write_ticks=4_200_000,
    )
    files = [OTHERS, INPUT, File(hash=0), own]
    return make_profile(seed, job, ended=ended, files=files, **header)


def test_they_come_once_when_the_process_is_over(store, spool):
    running = user(0, ended=False, heartbeat_ns=2**62)
    running.write(spool)
    user(1).write(spool)
    store.ingest([spool])
    rows = store.query("SELECT * FROM files ORDER BY hash").to_pylist()
    assert [row["hash"] for row in rows] == [0, 11, 101]
    assert [row["files"] for row in rows] == [50, 1, 1]
    assert [row["mount"] for row in rows] == ["", "nfs:server:/scratch", "node1:/dev/vda"]
    assert rows[1]["read_ns"] == 1_000_000 and rows[1]["path"] == "/scratch/input"
    store.ingest([spool])
    assert store.query("SELECT * FROM files").num_rows == len(rows)


def test_compaction_keeps_them_and_expiry_does_not(store, spool, tmp_path):
    for seed in range(3):
        user(seed).write(spool)
        store.ingest([spool])
    before = store.job_files("alpha").to_pylist()
    assert store.compact().files_after < 20
    fresh = Repository(store.path)
    assert fresh.job_files("alpha").to_pylist() == before
    assert fresh.export("files", "csv", tmp_path / "files.csv").rows == 9
    newer(store)
    store.expire(3600)
    assert store.query("SELECT * FROM files").num_rows == 0


def test_digest_puts_processes_together(store, spool):
    """A file of several processes is one row; files without a row are in the last."""
    for seed in range(3):
        user(seed).write(spool)
    store.ingest([spool])
    *named, others = digest(store.job_tables("alpha")).files
    shared = next(file for file in named if file.path == "/scratch/input")
    assert (shared.processes, shared.opens, shared.reads, shared.read_bytes) == (
        3,
        3,
        27,
        2_700_000,
    )
    assert shared.seconds == 0.003 and shared.hash == "000000000000000b"
    assert {file.path for file in named} == {"/scratch/input", "/out.0", "/out.1", "/out.2"}
    assert (others.path, others.files, others.opens) == ("", 150, 180)
    assert others.write_bytes == 210_000


def test_formats_are_kept(store, spool):
    """A process that saw the first bytes gives the format of a file for all."""
    blind, seeing = replace(INPUT, format=0), replace(INPUT, format=1)
    strange = File("/strange", 9, opens=1, format=99, write_bytes=10**6)
    for number, file in enumerate((blind, seeing, blind)):
        make_profile(number, files=[OTHERS, file, strange]).write(spool)
    store.ingest([spool])
    made = digest(store.job_tables("alpha"))
    assert {file.path: file.format for file in made.files} == {
        "/scratch/input": "HDF5",
        "/strange": "",
        "": "",
    }
    (use,) = made.formats
    assert (use.format, use.files, use.read_bytes) == ("HDF5", 1, 2_700_000)


def test_digest_names_what_counts(store, spool):
    """A hundredth of the time or of the bytes is the least; the rest is counted with the others."""
    small = [File(f"/f{n}", 1000 + n, 1, opens=1, write_bytes=1, meta_ticks=1) for n in range(500)]
    make_profile(0, files=[OTHERS, INPUT, *small]).write(spool)
    store.ingest([spool])
    *named, others = digest(store.job_tables("alpha")).files
    assert [file.path for file in named] == ["/scratch/input"]
    assert (others.files, others.opens) == (550, 560)


def test_damage_of_the_table_costs_the_table_only(store, spool):
    path = user(0).write(spool)
    data = bytearray(path.read_bytes())
    data[1776:1780] = b"\xff" * 4
    path.write_bytes(data)
    report = store.ingest([spool])
    assert any("table of files" in warning for warning in report.warnings)
    assert report.finished == 1 and store.query("SELECT * FROM files").num_rows == 0


def test_a_table_that_cannot_be_read_now_is_taken_later(store, spool, monkeypatch):
    """Whatever the error is, an ended process is never read again."""
    user(0).write(spool)

    def refuse(fd, request):
        raise PermissionError(13, "")

    with monkeypatch.context() as broken:
        broken.setattr(files, "_places", refuse)
        report = store.ingest([spool])
    assert report.finished == 0 and report.warnings
    assert store.ingest([spool]).finished == 1
    assert store.query("SELECT * FROM files").num_rows == 3
