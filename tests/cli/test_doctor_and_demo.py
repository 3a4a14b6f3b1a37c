"""The doctor's findings, and the demo from beginning to end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import ROOT, jostle, python


@pytest.mark.usefixtures("library")
def test_doctor_proves_the_preload(tmp_path: Path) -> None:
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r")}
    done = jostle("doctor", "--json", **place)
    content = json.loads(done.out)
    found = {check["name"]: check for check in content["checks"]}
    assert set(found) == {
        "runtime", "preload", "counters", "clock", "spool", "file systems", "MPI", "perf events",
        "PAPI", "repository", "settings",
    }  # fmt: skip
    assert found["preload"] == {
        "name": "preload",
        "state": "ok",
        "says": "dd wrote 2.00 MiB; its profile says the same",
        "mend": "",
    }
    assert {check["state"] for check in content["checks"]} <= {"ok", "warn", "fail"}
    assert found["MPI"]["says"].startswith("adapters: ")
    assert all(check["mend"] for check in content["checks"] if check["state"] == "fail")
    assert done.code == int(not content["ok"])


def test_doctor_fails_without_a_runtime(tmp_path: Path) -> None:
    done = jostle("doctor", JOSTLE_NATIVE=str(tmp_path))
    assert done.code == 1
    assert "libjostle.so was not found" in done.out
    assert "checks failed" in done.out
    assert "mend:" in done.out


def test_doctor_sees_a_spool_that_is_not_sticky(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    done = jostle("doctor", "--json", JOSTLE_SPOOL=str(tmp_path))
    spool = next(c for c in json.loads(done.out)["checks"] if c["name"] == "spool")
    assert spool["state"] == "fail"
    assert spool["mend"] == f"chmod 1777 {tmp_path}"


def test_doctor_reads_the_operators_file(tmp_path: Path) -> None:
    if Path("/etc/jostle/jostle.conf").exists():
        pytest.skip("this machine has an operator's file")
    config = tmp_path / "jostle.conf"
    config.write_text("enabled = off\nlock = enabled\ncolour = red\n")
    done = jostle("doctor", "--json", JOSTLE_CONFIG=str(config))
    rules = next(c for c in json.loads(done.out)["checks"] if c["name"] == "settings")
    assert rules["state"] == "warn"
    assert "colour = red" in rules["says"]


def test_reasons_against_preloading(tmp_path: Path) -> None:
    code = (
        "import sys; from jostle.cli.elf import why_no_preload; print(why_no_preload(sys.argv[1]))"
    )
    assert python(code, "/bin/sh").out == "None\n"
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env python3\n")
    script.chmod(0o755)
    assert python(code, str(script)).out == "None\n"
    other = tmp_path / "other"
    other.write_bytes(b"\x7fELF\x01\x01\x01" + bytes(100))
    other.chmod(0o755)
    assert "32-bit" in python(code, str(other)).out


@pytest.mark.slow
@pytest.mark.usefixtures("library")
def test_the_demo_tells_its_story(tmp_path: Path) -> None:
    done = jostle(
        "demo", "--files", "--seconds", "12", XDG_DATA_HOME=str(tmp_path), TMPDIR=str(tmp_path)
    )
    assert done.code == 0, done.err
    kept = tmp_path / "jostle-demo"
    story = done.out
    for part in (
        "$ jostle run --job tar-steady", "$ jostle run --job sqlite-bursts", "$ jostle jobs",
        "$ jostle digest tar-steady", "$ jostle digest sqlite-bursts", "$ jostle timeline",
        "$ jostle background tar-steady", f"saved: {kept}/timeline.png",
    ):  # fmt: skip
        assert part in story
    assert (kept / "timeline.png").read_bytes().startswith(b"\x89PNG")
    assert f"export JOSTLE_REPOSITORY={kept}/repository" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["jostle-demo"]
    place = {"JOSTLE_REPOSITORY": str(kept / "repository")}
    content = json.loads(jostle("background", "tar-steady", "--json", **place).out)
    assert content["jobs"] == ["sqlite-bursts"]
    written = content["background"][0]["series"][0]["values"]
    assert sum(written) > 4 << 20
    assert 0 in written  # bursts have pauses


@pytest.mark.slow
@pytest.mark.usefixtures("library")
def test_the_demo_of_mpi_tells_its_story(tmp_path: Path) -> None:
    if not (shutil.which("mpicc.openmpi") or shutil.which("mpicc.mpich")):
        pytest.skip("no MPI to build programs with")
    done = jostle("demo", "--seconds", "9", XDG_DATA_HOME=str(tmp_path), TMPDIR=str(tmp_path))
    assert done.code == 0, done.err
    kept = tmp_path / "jostle-demo"
    for part in ("two MPI programs share the cores", "MPI: 2 ranks", "Where the time went",
                 "segments", "What to look at next", f"saved: {kept}/timeline.png"):  # fmt: skip
        assert part in done.out
    assert (kept / "timeline.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["jostle-demo"]
    place = {"JOSTLE_REPOSITORY": str(kept / "repository")}
    jobs = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    assert [job["ranks"] for job in jobs] == [2, 2]
    for job in jobs:
        words = ("digest", job["job"], "--json")
        (world,) = json.loads(jostle(*words, **place).out)["mpi"]
        assert world["counted"] and world["segments"]["number"] > 0
        assert any(kind["name"] == "collective" for kind in world["traffic"])


@pytest.mark.slow
@pytest.mark.usefixtures("library")
def test_the_demos_own_programs_run_with_each_mpi(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from jostle.demo import mpi_cast;"
        "found = mpi_cast.installed();"
        "cast = mpi_cast.own(found, Path(sys.argv[1]), 2) if found else None;"
        "print(*(len(program.command) for program in cast or ()), len(found))"
    )
    done = python(code, str(tmp_path))
    assert done.code == 0, done.err
    if done.out.strip() == "0":
        pytest.skip("no MPI with an adapter")
    assert {path.name for path in tmp_path.iterdir()} == {"heat", "spectrum"}


@pytest.mark.slow
@pytest.mark.usefixtures("library")
@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="needs root, setpriv")
def test_the_demo_needs_no_root(tmp_path: Path) -> None:
    if not _readable_for_all(Path(sys.executable)) or not _readable_for_all(ROOT):
        pytest.skip("other users cannot read this checkout or its Python")
    home = tmp_path / "home"
    home.mkdir()
    for folder in (home, *tmp_path.parents[:2], tmp_path):
        folder.chmod(0o755)
    os.chown(home, 65534, 65534)
    words = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", sys.executable,
             "-m", "jostle.cli", "demo", "--files", "--seconds", "10"]  # fmt: skip
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (home / ".local/share/jostle-demo/timeline.png").exists()


def _readable_for_all(path: Path) -> bool:
    real = path.resolve()
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (real, *real.parents))
