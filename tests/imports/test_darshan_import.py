"""Logs are imported once, damaged ones are skipped, and names give their owner and program."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest
from logs import START_NS, copies, example, job, only, taken

from jostle.imports import DarshanImport
from jostle.imports.darshan import importer, pool
from jostle.imports.darshan.finding import FoundLog, identify
from jostle.imports.darshan.message import MessageError, pack, unpack
from jostle.repository import Repository
from jostle_lab.synthetic.darshan_logs import LoggedFile, write_log

BREAKS = """
import os, sys
from jostle.imports.darshan import log_reader
read = log_reader.read_log
log_reader.read_log = lambda path: os.abort() if "bad" in path else read(path)
log_reader.main()
"""


def test_a_log_is_taken_once(store: Repository, tmp_path: Path) -> None:
    folder = copies(tmp_path / "logs", "ior_hdf5", "example")
    first = DarshanImport(store, workers=1).run([folder])
    assert (first.logs, first.imported, first.commits) == (2, 2, 1)
    shutil.copy(folder / "example.darshan", folder / "copy.darshan")
    shutil.copy(example("shane"), folder)
    second = DarshanImport(store, workers=1).run([folder, folder / "copy.darshan"])
    assert (second.logs, second.imported, second.known) == (4, 1, 3)
    third = DarshanImport(store, workers=1).run([folder])
    assert (third.imported, third.commits, third.known) == (0, 0, 4)
    assert store.jobs().num_rows == 3


def test_folders_are_searched_and_files_taken_whatever_their_names(
    store: Repository, tmp_path: Path
) -> None:
    day = tmp_path / "logs/2026/11/29"
    day.mkdir(parents=True)
    shutil.copy(example("ior_hdf5"), day)
    (day / "notes.txt").write_text("no log")
    other = tmp_path / "renamed.log"
    shutil.copy(example("shane"), other)
    assert DarshanImport(store, workers=1).run([tmp_path / "logs", other]).imported == 2


def test_damaged_logs_are_set_aside_and_stop_no_others(store: Repository, tmp_path: Path) -> None:
    folder = copies(tmp_path / "logs", "ior_hdf5")
    content = example("ior_hdf5").read_bytes()
    for part in (0.02, 0.3, 0.6, 0.9):
        (folder / f"cut{part}.darshan").write_bytes(content[: int(len(content) * part)])
    (folder / "text.darshan").write_text("this is no log\n" * 100)
    (folder / "empty.darshan").touch()
    (folder / "gone.darshan").symlink_to(folder / "nowhere")
    os.mkfifo(folder / "pipe.darshan")
    report = DarshanImport(store, workers=1).run([folder])
    reasons = {Path(name).name: why for name, why in report.set_aside}
    assert report.imported == 1
    assert reasons.keys() == {path.name for path in folder.iterdir()} - {"ior_hdf5_example.darshan"}
    assert reasons["empty.darshan"] == "it is empty"
    assert reasons["pipe.darshan"] == "it is no regular file"
    assert reasons["text.darshan"].startswith("the file cannot be opened as a Darshan log")
    assert all(why and "\n" not in why for why in reasons.values())


def test_a_log_that_breaks_its_reader_is_set_aside(
    store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "breaking_reader.py").write_text(BREAKS)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(pool, "_MODULE", "breaking_reader")
    folder = copies(tmp_path / "logs", "ior_hdf5", "shane")
    shutil.copy(example("example"), folder / "bad.darshan")
    report = DarshanImport(store, workers=1).run([folder])
    assert report.imported == 2
    assert report.set_aside == [
        (str(folder / "bad.darshan"), "the library that reads it broke off (signal 6)")
    ]


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"start_ns": 10**18 * 5}, "in the future"),
        ({"start_ns": 10**9}, "before the year 2000"),
        ({"processes": 0}, "claims to be of 0 processes"),
        ({"processes": 2**40}, "claims to be of"),
        ({"files": [LoggedFile("/scratch/a", 77, {"POSIX_OPENS": 1})]}, "to a rank"),
        ({"run_s": -5.0}, "end is before its start"),
    ],
)
def test_impossible_logs_are_set_aside(
    store: Repository, tmp_path: Path, wrong: dict[str, object], reason: str
) -> None:
    report = taken(store, tmp_path / "logs", job(**wrong))  # type: ignore[arg-type]
    ((_, why),) = report.set_aside
    assert reason in why and report.imported == 0


def test_impossible_numbers_never_reach_an_answer(store: Repository, tmp_path: Path) -> None:
    file = LoggedFile(
        "/scratch/a",
        0,
        {"POSIX_BYTES_WRITTEN": -5, "POSIX_BYTES_READ": 2**63 - 1, "POSIX_READS": 1},
        {"POSIX_F_READ_TIME": float("nan"), "POSIX_F_META_TIME": 1e300, "POSIX_F_WRITE_TIME": -9},
    )
    assert taken(store, tmp_path / "logs", job(files=[file])).imported == 1
    (row,) = store.query(
        "SELECT sum(posix_read_bytes) AS read, sum(posix_write_bytes) AS written, "
        "sum(posix_read_ns) AS read_ns, sum(posix_meta_ns) AS meta_ns FROM mount_slices"
    ).to_pylist()
    assert int(row["read"]) == 2**53 and int(row["written"]) == int(row["read_ns"]) == 0
    assert int(row["meta_ns"]) <= 3.1e9


def test_names_say_the_batch_job_and_the_owner(store: Repository, tmp_path: Path) -> None:
    own, other = os.getuid(), os.getuid() + 4242
    logs = [job(written=[[1]], uid=own), job(written=[[2]], uid=other, job_id=13)]
    taken(store, tmp_path / "logs", *logs, system="slurm")
    names = store.jobs()["job"].to_pylist()
    assert sorted(name.partition("-w")[0] for name in names) == ["slurm-12", "slurm-13"]
    assert {name.partition("@")[2] for name in names} == {"", f"uid{other}"}
    assert {row["uid"] for row in store.jobs().to_pylist()} == {own, other}


@pytest.mark.skipif(os.getuid() != 0, reason="only root may give files away")
def test_a_users_own_file_speaks_of_that_user_alone(store: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    write_log(folder / "log.darshan", job(written=[[1]], uid=0))
    os.chown(folder / "log.darshan", 4321, 4321)
    DarshanImport(store, workers=1).run([folder])
    assert store.jobs()["uid"].to_pylist() == [4321]


def test_a_link_to_anothers_file_vouches_for_no_other_log(
    store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever links to a file of root, and then to a forged log, must not be believed."""
    trusted, forged = tmp_path / "trusted", tmp_path / "forged"
    shutil.copy(example("ior_hdf5"), trusted)
    if os.getuid() == 0:
        shutil.copy(trusted, forged)
        os.chown(forged, 4321, 4321)
    else:
        shutil.copy(example("shane"), forged)
    folder = tmp_path / "logs"
    folder.mkdir()
    link = folder / "log.darshan"
    link.symlink_to(trusted)

    def identify_and_replace(path: Path) -> FoundLog:
        found = identify(path)
        link.unlink()
        link.symlink_to(forged)
        return found

    monkeypatch.setattr(importer, "identify", identify_and_replace)
    report = DarshanImport(store, workers=1).run([folder])
    assert report.set_aside == [(str(link), "it was replaced while it was read")]
    assert (report.imported, store.jobs().num_rows) == (0, 0)


def test_mounts_are_shared_where_nodes_share_them(store: Repository, tmp_path: Path) -> None:
    files = [
        LoggedFile(path, 0, {"POSIX_BYTES_WRITTEN": 10, "POSIX_WRITES": 1})
        for path in ("/scratch/a", "/tmp/b", "relative")
    ]
    taken(store, tmp_path / "logs", job(files=files), job(files=files, job_id=13))
    rows = store.query(
        "SELECT DISTINCT mount, path, shared FROM mounts ORDER BY path, mount"
    ).to_pylist()
    assert [row["path"] for row in rows] == ["/", "/", "/scratch", "other", "other"]
    assert [row["shared"] for row in rows] == [False, False, True, False, False]
    assert rows[2]["mount"] == "lustre:/scratch", "both jobs use it"


def test_targets_and_formats_of_files(store: Repository, tmp_path: Path) -> None:
    file = LoggedFile("/scratch/a", -1, {"POSIX_BYTES_WRITTEN": 10}, targets=[9, 4])
    taken(store, tmp_path / "logs", job(files=[file]))
    (row,) = store.job_files(only(store)).to_pylist()
    assert (row["path"], row["targets"], row["mount"]) == ("/scratch/a", [4, 9], "lustre:/scratch")
    DarshanImport(store, workers=1).run([example("ior_hdf5")])
    formats = store.query("SELECT path FROM files WHERE format = 'HDF5'")["path"].to_pylist()
    assert formats == ["/global/cscratch1/sd/ssnyder/test123.h5"]


def test_logs_beyond_retention_are_not_taken(store: Repository, tmp_path: Path) -> None:
    taken(store, tmp_path / "new", job(written=[[1]]))
    store.expire(time.time() - START_NS / 1e9 + 7200)
    old = job(written=[[1]], start_ns=START_NS - 10**15, job_id=99)
    report = taken(store, tmp_path / "old", old)
    assert (report.expired, report.imported) == (1, 0)


def test_the_package_is_named_where_it_is_missing(
    store: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jostle.imports import MissingPackageError

    (tmp_path / "darshan.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(MissingPackageError) as error:
        DarshanImport(store, workers=1).run([example("ior_hdf5")])
    assert error.value.hint == "pip install 'jostle[darshan]'"


def _reader(content: bytes):  # type: ignore[no-untyped-def]
    left = [content]

    def read(number: int) -> bytes:
        if len(left[0]) < number:
            raise EOFError
        part, left[0] = left[0][:number], left[0][number:]
        return part

    return read


def test_messages_are_checked() -> None:
    import numpy as np

    parts = pack({"a": 1}, {"x": np.arange(6, dtype=np.int64).reshape(2, 3)})
    whole = b"".join(bytes(part) for part in parts)
    header, arrays = unpack(_reader(whole))
    assert header == {"a": 1} and arrays["x"].tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(EOFError):
        unpack(_reader(whole[:-1]))
    for old, new in (
        (b"<i8", b"|O8"),
        (b"[2, 3]", b"[9, 9]"),
        (b'"a"', b"'a'"),
        (b"[2, 3]", b"[-1,3]"),
    ):
        with pytest.raises(MessageError):
            unpack(_reader(whole.replace(old, new)))
