"""`jostle inject`: the life of CMD, the final message, and mistakes that are named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import Done, jostle

from jostle_lab.inject import read

GOOD = ("--calls", "mpi", "--delay", "fixed:5ms")
WRITER = ("dd", "if=/dev/zero", "bs=4k", "count=30", "status=none")


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path) -> None:
    """Fail clearly without libjostle.so."""


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """A repository of the test's own."""
    return {"JOSTLE_REPOSITORY": str(tmp_path / "repository")}


def inject(tmp_path: Path, place: dict[str, str], *words: str, **more: str) -> Done:
    logs = () if "--log" in words else ("--log", str(tmp_path / "logs"))
    return jostle("inject", *logs, *words, **place, **more)


def test_says_what_was_given_and_what_comes_next(tmp_path: Path, place: dict[str, str]) -> None:
    done = inject(
        tmp_path,
        place,
        "--calls",
        "write",
        "--delay",
        "fixed:2ms",
        "--job",
        "slow",
        "--",
        *WRITER,
        f"of={tmp_path / 'data'}",
    )
    assert done.code == 0 and done.out == ""
    assert (tmp_path / "data").stat().st_size == 30 * 4096
    log = read(tmp_path / "logs")
    assert log.delays.num_rows == 30
    assert log.processes["job"].to_pylist() == ["slow"]
    assert "injected: 30 delays" in done.err
    assert f"every delay is in {tmp_path / 'logs'}" in done.err
    assert "next: jostle estimate" in done.err
    # the profile in the repository has the time
    (row,) = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    assert row["job"] == "slow"


def test_json_and_status_are_programs(tmp_path: Path, place: dict[str, str]) -> None:
    done = inject(
        tmp_path,
        place,
        "--calls",
        "write",
        "--delay",
        "fixed:1ms",
        "--json",
        "--",
        "sh",
        "-c",
        f"echo x >{tmp_path / 'x'}; exit 7",
    )
    assert done.code == 7
    reported = json.loads(done.err.splitlines()[-1])["inject"]
    assert reported["given"] == 1 and 0.001 <= reported["seconds"] < 1
    assert reported["totals"][0]["class"] == "write"
    assert reported["rules"].startswith("seed=0 calls=write ")


def test_nothing_to_delay_is_said(tmp_path: Path, place: dict[str, str]) -> None:
    done = inject(
        tmp_path,
        place,
        "--calls",
        "mpi",
        "--delay",
        "fixed:1ms",
        "--",
        *WRITER,
        f"of={tmp_path / 'data'}",
    )
    assert "no delays: no process made a call that was to be delayed" in done.err
    logs = str(tmp_path / "other")
    done = inject(
        tmp_path,
        place,
        "--calls",
        "write",
        "--probability",
        "0",
        "--log",
        logs,
        "--delay",
        "fixed:1ms",
        "--",
        *WRITER,
        f"of={tmp_path / 'data'}",
    )
    assert "no delays: of 30 calls none was selected" in done.err


@pytest.mark.parametrize(
    ("words", "why", "fix"),
    [
        (("--calls", "alltoall", "--delay", "fixed:1ms"), "no calls `alltoall`", "all-to-all"),
        (("--calls", "", "--delay", "fixed:1ms"), "No calls", "--calls"),
        (("--calls", "mpi", "--delay", "5ms"), "`5ms` is not a delay", "fixed:5ms"),
        (("--calls", "mpi", "--delay", "fixed:5"), "`5` is not a length", "fixed:5ms"),
        ((*GOOD, "--ranks", "a"), "`a` is not a list of ranks", "0,2-3"),
        ((*GOOD, "--duty", ".1"), "parts of a period", "--period"),
        ((*GOOD, "--place", "random"), "parts of a period", "--period"),
        (
            (*GOOD, "--period", "4s", "--duty", ".7", "--place", "random"),
            "at most half",
            "--period",
        ),
        ((*GOOD, "--from", "5"), "`5` is not a span", "5s"),
        ((*GOOD, "--probability", "2"), "2.0", "0.01"),
        ((*GOOD, "--from", "5s", "--until", "1s"), "ends", "later"),
    ],
)
def test_mistakes(
    tmp_path: Path, place: dict[str, str], words: tuple[str, ...], why: str, fix: str
) -> None:
    done = inject(tmp_path, place, *words, "--", "true")
    assert done.code == 2
    first, *rest = done.err.splitlines()
    assert first.startswith("jostle: ") and why in first
    assert fix in "".join(rest)
    assert not (tmp_path / "logs").exists()


def test_a_command_that_is_none_leaves_nothing(
    tmp_path: Path, place: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = jostle("inject", "--calls", "mpi", "--delay", "fixed:1ms", "--", "no-such-cmd", **place)
    assert done.code == 127
    assert not list(tmp_path.glob("inject-*"))


def test_a_command_may_remove_the_logs(
    tmp_path: Path, place: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = jostle(
        "inject",
        "--calls",
        "write",
        "--delay",
        "fixed:1ms",
        "--",
        "sh",
        "-c",
        "echo x >x; rm -r inject-*; exit 7",
        **place,
    )
    assert done.code == 7, done.err
    assert "Traceback" not in done.err
    assert "no logs" in done.err.lower()


def test_an_injector_of_another_version_says_so(library: Path) -> None:
    """It is asked by a host whose interface it does not know."""
    code = """if True:
        import ctypes, sys
        get = ctypes.CDLL(sys.argv[1]).jst_inject_get
        get.restype = ctypes.c_void_p
        assert get((ctypes.c_uint32 * 8)(99, 32)) is None
    """
    injector = library.parent / "libjostle_inject.so"
    rules = {"JOSTLE_INJECT": "calls=mpi delay=fixed:1ms log=/nowhere"}
    for added, said in (({}, ""), (rules, "jostle: another version of jostle profiles ")):
        done = subprocess.run(
            [sys.executable, "-c", code, injector],
            env=os.environ | added,
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stderr.startswith(said) and bool(done.stderr) == bool(said)


def test_help_has_the_sets_of_calls(place: dict[str, str]) -> None:
    done = jostle("inject", "--help", **place)
    assert "all-to-all" in done.out and "jostle inject --calls io" in done.out


def test_jostle_run_preloads_it_where_it_is_wanted(tmp_path: Path, library: Path) -> None:
    """So that ranks on other nodes need one variable."""
    show = [library.parent / "jostle-run", "--", "/bin/sh", "-c", 'printf %s "$LD_PRELOAD"']
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("JOSTLE", "LD_"))}
    clean |= {"JOSTLE_SPOOL": str(tmp_path)}
    injector = library.parent / "libjostle_inject.so"
    wanted = {"JOSTLE_INJECT": f"calls=mpi delay=fixed:1ms log={tmp_path}"}
    for added, libraries in (
        ({}, [library]),
        (wanted, [library, injector]),
        (wanted | {"LD_PRELOAD": "libm.so.6"}, [library, injector, "libm.so.6"]),
        (wanted | {"LD_PRELOAD": str(injector)}, [library, injector]),
    ):
        done = subprocess.run(show, env=clean | added, capture_output=True, text=True, check=True)
        shown = done.stdout.replace("/jostle-preload/$PLATFORM/", "/")
        assert shown == ":".join(map(str, libraries))
