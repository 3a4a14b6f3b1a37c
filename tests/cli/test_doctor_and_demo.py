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
        "PAPI", "lab", "repository", "settings",
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
    assert "jostle lab up" in found["lab"]["says"] or found["lab"]["mend"]
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
    # `make demo` is the one in a lab; studies in labs have tests of their own.
    done = jostle("demo", "--local", XDG_DATA_HOME=str(tmp_path), TMPDIR=str(tmp_path))
    assert done.code == 0, done.err
    kept = tmp_path / "jostle-demo"
    for part in ("$ jostle study run ", "$ jostle study show demo --plot",
                 "$ jostle estimate demo.r01-p001.writer", "Dilation", "Degradation",
                 "$ jostle estimate demo.r01-a001.writer", "Was it right?",
                 f"The picture: {kept}/pictures/time-slices"):  # fmt: skip
        assert part in done.out
    (picture,) = (kept / "pictures").glob("time-slices-*.png")
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert f"export JOSTLE_REPOSITORY={kept}/repository" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["jostle-demo"]
    assert not list(Path("/run/jostle-lab").glob("demo*"))
    # The neighbour pauses, and the writer is the longer for it.
    place = {"JOSTLE_REPOSITORY": str(kept / "repository")}
    content = json.loads(jostle("timeline", "demo.r01-p001.neighbour", "--json", **place).out)
    written = content["metrics"][0]["jobs"][0]["values"] if "metrics" in content else [0]
    assert 0 in written
    result = json.loads(jostle("study", "show", "demo", "--json", **place).out)
    assert len(result["cells"]) == 1


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
             "-m", "jostle.cli", "demo"]  # fmt: skip
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert list((home / ".local/share/jostle-demo/pictures").glob("time-slices-*.png"))


def _readable_for_all(path: Path) -> bool:
    real = path.resolve()
    return all(folder.stat().st_mode & 0o005 == 0o005 for folder in (real, *real.parents))
