"""A signal never removes files of others, fills the disk, or hangs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from mpis import Mpi
from signal_runner import Signals, rows

from jostle_lab.signals import program


def deep(folder: Path, length: int) -> Path:
    """A new folder whose path has so many letters."""
    while length - len(str(folder)) > 250:
        folder /= "d" * 200
    folder /= "d" * (length - len(str(folder)) - 1)
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize("length", [3040, 3070, 3071, 3500])
def test_a_folder_whose_name_is_too_long_keeps_what_is_in_it(tmp_path: Path, length: int) -> None:
    """The name of the signal's folder, cut off, is that of the folder it was to be made in."""
    folder = deep(tmp_path.resolve(), length)
    above = [folder, *[one for one in folder.parents if one.is_relative_to(tmp_path)]]
    for one in above:
        (one / "mine").write_text("mine")
    done = subprocess.run(
        [str(program(None)), "write-seek", "--iterations", "1", "--log", "none", "--dir", folder],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2 and "File name too long" in done.stderr
    assert all((one / "mine").read_text() == "mine" for one in above)


def test_periodic_signal_whose_start_is_long_past_stops(signals: Signals) -> None:
    """It does not go through every period since 1970."""
    done = signals.run(
        "write-seek",
        "--chunk",
        "4KiB",
        "--flush",
        "none",
        "--start",
        "5",
        "--period",
        "0.01",
        "--until-stopped",
        "--processes",
        "2",
        stop=(0.3, signal.SIGTERM),
    )
    assert done.seconds < 30 and done.sum("operations") > 0
    assert {one["reason"] for one in rows(done)} == {"signal"}
    done.leaves_nothing()


@pytest.mark.parametrize("option", ["--time", "--period", "--phase", "--start"])
def test_times_beyond_the_clock_are_refused(signals: Signals, option: str) -> None:
    more = [] if option == "--period" else ["--period", "1"]
    done = signals.run("write-seek", "--iterations", "1", *more, option, "9000000000", code=2)
    assert option in done.err


@pytest.mark.parametrize("stopped", [0, 1])
def test_shared_files_of_unequal_processes_keep_to_their_room(
    signals: Signals, stopped: int
) -> None:
    """open-write-close --shared: who is far behind or ahead does not leave files behind."""
    words = ["open-write-close", "--shared", "--chunk", "64KiB", "--flush", "none"]
    process = signals.start(*words, "--processes", "2", "--max-disk", "1MiB", "--until-stopped")
    signals.wait_for_load(process, 2)
    pids = {process.pid, *(int(p.name.split(".")[-2]) for p in (signals.folder / "log").iterdir())}
    sleeper = process.pid if stopped == 0 else next(iter(pids - {process.pid}))
    (folder,) = (signals.folder / "data").iterdir()
    os.kill(sleeper, signal.SIGSTOP)
    most = 0
    try:
        before = newest(folder)
        end = time.monotonic() + 20
        while newest(folder) < before + 100 and time.monotonic() < end:
            most = max(most, len(list(folder.iterdir())))
            time.sleep(0.01)
    finally:
        os.kill(sleeper, signal.SIGCONT)
    time.sleep(0.5)  # the other makes up for it
    most = max(most, len(list(folder.iterdir())))
    process.terminate()
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert 0 < most <= 2 * 8 + 2  # 8 chunks of each, and one that is just being made
    signals.result(0, err).leaves_nothing()


def newest(folder: Path) -> int:
    return max((int(path.name.split(".")[1]) for path in folder.iterdir()), default=0)


def test_log_is_text_whatever_the_arguments_are(signals: Signals) -> None:
    """No UTF-8: a surrogate, bytes longer than need be, one past the last."""
    job = b"a\xed\xa0\x80b\xe0\x80\x80c\xf4\x90\x80\x80d\xc3\xa4"
    words = signals.words("write-seek", "--iterations", "1")
    subprocess.run([program(None), *words, "--job", job], check=True, timeout=60)
    assert rows(signals.result(0, ""))[0]["job"] == "a???b???c????d\u00e4"


@pytest.mark.skipif(os.geteuid() != 0, reason="a disk for one rank alone needs root")
@pytest.mark.skipif(not shutil.which("unshare"), reason="unshare is not installed")
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("ro", ["--shared", "--api", "mpiio", "--iterations", "5"]),
        ("rw", ["--iterations", "5"]),
        ("rw", ["--shared", "--iterations", "5"]),
    ],
)
def test_rank_with_a_disk_of_its_own(
    signals: Signals, mpi: Mpi, options: str, words: list[str]
) -> None:
    """Where it cannot write the others do not wait for ever; where it can nothing is left."""
    data, seen = signals.folder / "data", signals.folder / "seen"
    own = f'mount -t tmpfs -o {options} own {data} && "$@"; s=$?; ls {data} > {seen}; exit $s'
    if subprocess.run(["unshare", "-m", "sh", "-c", own, "sh", "true"], check=False).returncode:
        pytest.skip("this machine lets root mount nothing")
    script = 'case "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" in 1) exec unshare -m sh -c "$0" sh "$@";; '
    script += 'esac; exec "$@"'
    done = signals.run(
        "write-seek", *words, mpi=mpi, ranks=2, code=None, before=["sh", "-c", script, own]
    )
    assert (done.code != 0) == (options == "ro"), done.err
    assert ("cannot make" in done.err) == (options == "ro"), done.err
    done.leaves_nothing()
    assert seen.read_text() == ""
