"""The doctor's findings, and the demo from beginning to end."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from command import ROOT, jostle, python

from jostle.cli.doctor import checks, mpi
from jostle.repository import Repository


@pytest.mark.usefixtures("library")
def test_doctor_proves_the_preload(tmp_path: Path) -> None:
    place = {"JOSTLE_REPOSITORY": str(tmp_path / "r")}
    done = jostle("doctor", "--json", **place)
    content = json.loads(done.out)
    found = {check["name"]: check for check in content["checks"]}
    assert set(found) == {
        "runtime",
        "preload",
        "counters",
        "clock",
        "spool",
        "file systems",
        "MPI",
        "perf events",
        "PAPI",
        "GPUs",
        "lab",
        "repository",
        "fabrics",
        "settings",
    }
    assert found["preload"] == {
        "name": "preload",
        "state": "ok",
        "says": "dd wrote 2.00 MiB; its profile says the same",
        "fix": "",
    }
    assert {check["state"] for check in content["checks"]} <= {"ok", "warn", "fail"}
    assert found["MPI"]["says"].startswith("adapters: ")
    assert all(check["fix"] for check in content["checks"] if check["state"] == "fail")
    assert "jostle lab up" in found["lab"]["says"] or found["lab"]["fix"]
    assert done.code == int(not content["ok"])


def test_doctor_fails_without_a_runtime(tmp_path: Path) -> None:
    done = jostle("doctor", JOSTLE_NATIVE=str(tmp_path))
    assert done.code == 1
    assert "libjostle.so was not found" in done.out
    assert "checks failed" in done.out
    assert "fix:" in done.out


def test_doctor_sees_a_spool_that_is_not_sticky(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    done = jostle("doctor", "--json", JOSTLE_SPOOL=str(tmp_path))
    spool = next(c for c in json.loads(done.out)["checks"] if c["name"] == "spool")
    assert spool["state"] == "fail"
    assert spool["fix"] == f"chmod 1777 {tmp_path}"


def test_doctor_sees_a_spool_that_goes_with_each_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf = tmp_path / "slurm.conf"
    monkeypatch.setenv("SLURM_CONF", str(conf))
    monkeypatch.setenv("JOSTLE_SPOOL", "/dev/shm/spool")
    assert "private" not in checks.check_spool().says
    conf.write_text("ClusterName=x\nJobContainerType=job_container/tmpfs\n")
    check = checks.check_spool()
    assert check.state == "fail" and "lies in /dev/shm, which Slurm's" in check.says
    monkeypatch.setenv("JOSTLE_SPOOL", "/scratch/local/spool")
    assert "private" not in checks.check_spool().says
    (tmp_path / "job_container.conf").write_text("AutoBasePath=true\nDirs=/tmp,/scratch/local\n")
    assert "lies in /scratch/local" in checks.check_spool().says
    conf.write_text("#JobContainerType=job_container/tmpfs\n")
    assert "private" not in checks.check_spool().says


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
        "import sys; from jostle.cli.launch.elf import why_no_preload as w; print(w(sys.argv[1]))"
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


@pytest.mark.in_turn
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
    words = [
        "setpriv",
        "--reuid=65534",
        "--regid=65534",
        "--clear-groups",
        sys.executable,
        "-m",
        "jostle.cli",
        "demo",
    ]
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert list((home / ".local/share/jostle-demo/pictures").glob("time-slices-*.png"))


@pytest.mark.parametrize(("together", "said"), [(14.0, "4.0 s longer"), (9.0, "1.0 s shorter")])
def test_the_demo_says_what_the_neighbour_cost(together: float, said: str) -> None:
    from jostle_lab.cli.commands.demo_proof import Proof

    for light, about in (
        ("yellow", "was itself disturbed,"),
        (None, "is undecided"),
        ("green", ""),
    ):
        proof = Proof(250_000_000, 16, 15, 14, "n", "n", together, 10.0, (4.0, 3.0, 5.0), light)
        text = " ".join(proof.lines())
        assert f"alone 10.0 s: {said}." in text and "14 are the same" in text
        assert about in text
        assert ("The run without" in text, "undecided whether" in text) == (
            light == "yellow",
            light is None,
        )


def test_the_demo_compares_what_was_predicted_with_what_was_saved(tmp_path: Path) -> None:
    from jostle_lab.cli.commands.demo_advice import APPLIED, AppliedAdvice, one_after_the_other
    from jostle_lab.study import shipped

    inside = AppliedAdvice("x", (4.0, 3.0, 5.0), 3.5, "").lines()
    assert "Predicted before: 4.0 s less (3.0 to 5.0). Measured now: 3.5 s less" in inside[0]
    assert inside[1].startswith("within")
    assert AppliedAdvice("x", (4.0, 3.0, 5.0), 5.5, "").lines()[1].startswith("outside of")
    assert AppliedAdvice("", None, None, "Do nothing.").lines() == ["Do nothing."]
    study = tomllib.loads(one_after_the_other(shipped()["demo"], tmp_path).read_text())
    assert study["study"]["name"] == APPLIED
    assert study["lab"]["name"] == "demo"
    assert study["pairs"] == {"all": False}
    assert [each["name"] for each in study["program"]] == ["writer", "neighbour"]


def test_the_demo_says_why_there_is_no_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    from jostle_lab.cli.commands import demo
    from jostle_lab.cluster import LabError

    def closed(_: object) -> None:
        raise LabError("/dev/fuse is closed to you.", hint="sudo jostle lab up")

    monkeypatch.setattr("jostle_lab.cluster.check_machine", closed)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert demo._no_lab("sshfs") == "/dev/fuse is closed to you. As root the demo builds one."
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert demo._no_lab("sshfs") == "/dev/fuse is closed to you. sudo jostle lab up"


@pytest.mark.usefixtures("library")
def test_without_a_lab_the_neighbour_has_large_chunks(tmp_path: Path) -> None:
    """A disk serves by request: with the writer's own chunks its imprint would be small."""
    from jostle_lab.cli.commands import demo

    study = tomllib.loads(demo._fitted(tmp_path).read_text())
    writer, neighbour = study["program"]
    assert (writer["name"], study["defaults"]["chunk"]) == ("writer", "1MiB")
    assert (neighbour["name"], neighbour["chunk"]) == ("neighbour", "8MiB")
    assert "chunk" not in writer and int(writer["volume"].removesuffix("MiB")) >= 64


def _readable_for_all(path: Path) -> bool:
    real = path.resolve()
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (real, *real.parents))


def test_fixes_change_what_was_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each finding is gone after its fix; a state without a fix is no finding."""
    config = tmp_path / "jostle.conf"
    monkeypatch.setenv("JOSTLE_CONFIG", str(config))
    config.write_text("enabled = off\n")
    assert checks.check_settings().fix == "export JOSTLE=on"
    monkeypatch.setenv("JOSTLE", "on")
    assert checks.check_settings().state == "ok"
    config.write_text("")
    monkeypatch.setenv("JOSTLE", "off")
    assert checks.check_settings().fix == "unset JOSTLE"
    monkeypatch.delenv("JOSTLE")
    assert checks.check_settings().state == "ok"

    monkeypatch.setattr(mpi, "open_event", lambda kind, _: 0 if kind else errno.ENOENT)
    assert (mpi.check_perf().state, mpi.check_perf().fix) == ("ok", "")
    monkeypatch.setattr(mpi, "open_event", lambda *_: errno.EACCES)
    assert (mpi.check_perf().state, "perf_event_open" in mpi.check_perf().fix) == ("warn", True)


def test_a_damaged_repository_is_a_finding(tmp_path: Path) -> None:
    store = Repository(tmp_path, create=True)
    (tmp_path / "commits" / "00000001.json").write_text("{")
    found = checks.check_repository(tmp_path)
    assert (found.state, "check" in found.fix and "--fix" in found.fix) == ("warn", True)
    store.repair()
    assert checks.check_repository(tmp_path).state == "ok"
