"""`jostle overhead --set` and `--alongside`: several programs, and other profilers."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from command import jostle

from jostle.analysis.overhead import ProgramOverhead, overhead
from jostle.cli.launch.other_profilers import other_profilers
from jostle.cli.launch.rounds import RoundPlan, Rounds, run_rounds
from jostle.cli.launch.trial import TrialError, TrialRun
from jostle.cli.main import main
from jostle.errors import UsageError
from jostle.plot.charts.overhead import set_finding
from jostle_lab.validation import codes

#: A profiler that writes into the given folder which program it is in.
PROFILER = """
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
__attribute__((constructor)) static void begin(void)
{
    char path[4000] = "";
    const char *options = getenv("MPIP");
    if (options && sscanf(options, "-f %3000s -k 0", path) == 1) {
        strcat(path, "/log");
        FILE *log = fopen(path, "a");
        if (log)
            fclose(log);
    }
    if (getenv("FAIL_ALONGSIDE") && !strcmp(program_invocation_short_name, "sh"))
        exit(9);
}
"""


@pytest.fixture(autouse=True)
def _needs_runtime(library: Path) -> None:
    """Fail clearly without libjostle.so."""


@pytest.fixture(scope="module")
def profiler(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("profiler")
    (folder / "p.c").write_text(PROFILER)
    library = folder / "libmpiP.so.3"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, folder / "p.c"], check=True)
    return str(library)


# ---- a set ----


@pytest.mark.in_turn
@pytest.mark.skipif(not shutil.which("mpicc.openmpi"), reason="needs Open MPI")
def test_a_set_alongside_another_profiler(
    profiler: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    hybrid = codes._hybrid("hybrid", 20, 2)
    bad = replace(hybrid, name="files", argv=lambda _: ["sh", "-c", "exit 3"])
    monkeypatch.setitem(codes.CODES, "hybrid", hybrid)
    monkeypatch.setitem(codes.CODES, "files", bad)
    words = ["overhead", "--set", "files,hybrid", "-n", "3", "--alongside", profiler]
    status = main([*words, "--plot", str(tmp_path), "--format", "svg", "--json"])
    content = json.loads(capsys.readouterr().out)
    assert status == 1
    failed, measured = content["programs"]
    assert failed["program"] == "files"
    assert "ended with 3 without jostle" in failed["error"]
    assert failed["profilers"] == {}
    assert measured["error"] == ""
    assert measured["timed"] == "MPI_Init to MPI_Finalize"
    assert list(measured["profilers"]) == ["jostle", "mpiP"]
    for cost in measured["profilers"].values():
        assert len(cost["plain"]["seconds"]) == len(cost["profiled"]["seconds"]) == 3
    assert not any("log" in note for note in measured["notes"])
    assert (content["runs"], content["planned"]) == (9, 18)
    (figure,) = content["figures"]
    assert [Path(file).name for file in figure["files"]] == ["overhead.svg", "overhead.csv"]
    assert all(Path(file).exists() for file in figure["files"])


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--set", "stencil", "--", "true"], "CMD must not be given"),
        (["--set", "stencil", "--gpu"], "No program of --set uses a GPU."),
        (["--set", "stancil"], "There is no program `stancil`"),
        (["--set", "transpose-nodes"], "runs on nodes of a lab"),
        (["--format", "svg", "--", "true"], "the name of the figure's file"),
        ([], "No command was given."),
    ],
)
def test_what_cannot_be_meant_is_refused(
    words: list[str], problem: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["overhead", *words]) == 2
    assert problem in capsys.readouterr().err


def test_all_are_those_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    present = {"mpicc.openmpi", "mpirun.openmpi"}
    monkeypatch.setattr(codes.shutil, "which", lambda name: name if name in present else None)
    names = [code.name for code in codes.installed()]
    assert {"stencil", "hybrid"} < set(names)
    assert not {"lammps", "stencil@4"} & set(names)


# ---- other profilers ----


def test_a_single_command_alongside_another_profiler(profiler: str) -> None:
    words = ("overhead", "-n", "3", "--json", "--alongside", profiler, "--", "sh", "-c", "true")
    content = json.loads(jostle(*words).out)
    assert [run["arm"] for run in content["runs"]] == ["plain", "profiled", "mpiP"] * 3
    (other,) = content["alongside"]
    assert other["profiled"]["name"] == "mpiP"
    assert not any("mpiP" in note for note in content["notes"])
    content = json.loads(jostle(*words, FAIL_ALONGSIDE="yes").out)
    assert content["alongside"] == []
    assert content["notes"][0] == (
        "mpiP is left out: `sh` ended with 9 under mpiP (without it, it succeeds), "
        "without any output"
    )


def test_profilers_are_known_by_their_libraries(profiler: str, tmp_path: Path) -> None:
    for name in ("libdarshan.so", "libipm.so.2", "libtracer.so"):
        shutil.copy(profiler, tmp_path / name)
    found = other_profilers([str(path) for path in sorted(tmp_path.iterdir())])
    assert [each.name for each in found] == ["Darshan", "IPM", "tracer"]
    assert found[0].environment(Path("/logs")) == {"DARSHAN_LOGPATH": "/logs"}
    assert found[2].environment(Path("/logs")) == {}
    (tmp_path / "libtext.so").write_text("no library")
    for library, problem in (("libtext.so", "not a library"), ("libnone.so", "cannot be read")):
        with pytest.raises(UsageError, match=problem):
            other_profilers([str(tmp_path / library)])
    other = bytearray(Path(profiler).read_bytes())
    other[4] = 1  # the class of 32-bit libraries
    (tmp_path / "libother.so").write_bytes(other)
    with pytest.raises(UsageError, match="cannot be loaded by programs"):
        other_profilers([str(tmp_path / "libother.so")])
    with pytest.raises(UsageError, match="two profilers are called mpiP"):
        other_profilers([profiler, profiler])


# ---- rounds ----


class FakeTrial:
    """Runs of a second each; the profiler "late" fails in its third run."""

    arms = ("plain", "profiled", "late")
    command = ("fake",)

    def __init__(self, stop_after: int | None = None) -> None:
        self.stop_after, self.ran = stop_after, [""]

    def run(self, arm: str) -> TrialRun:
        if len(self.ran) == self.stop_after:
            raise KeyboardInterrupt
        self.ran.append(arm)
        if arm == "late" and self.ran.count("late") == 3:
            raise TrialError("it crashed; its last words: none")
        return TrialRun(arm, 1.0, None)

    def recorded(self) -> list[object]:
        return [object()]

    def log_missing(self, arm: str) -> bool:
        return arm == "late"


def rounds_of(trial: FakeTrial) -> Rounds:
    return run_rounds(trial, RoundPlan(4, 1), lambda _: None)  # type: ignore[arg-type]


def test_a_profiler_that_fails_is_left_out_and_the_others_go_on() -> None:
    rounds = rounds_of(FakeTrial())
    assert rounds.rounds == 4
    assert list(rounds.compare()) == ["profiled"]
    assert rounds.notes() == ["late is left out: it crashed"]


def test_an_interruption_leaves_whole_rounds() -> None:
    rounds = rounds_of(FakeTrial(stop_after=8))  # in the second round that counts
    assert rounds.interrupted
    assert [run.arm for run in rounds.done] == ["plain", "profiled", "late"]
    assert rounds.notes()[0] == "interrupted after 1 of 4 rounds"
    assert rounds.notes()[1].startswith("late left no log")


# ---- words ----


def test_the_finding_counts_programs() -> None:
    plain = [1.0, 1.001, 0.999, 1.0]
    programs = [
        ProgramOverhead(name, "", [], "whole command", 4, costs, [], "" if costs else "died")
        for name, costs in (
            ("small", {"jostle": overhead(plain, [1.002, 1.003, 1.002, 1.001])}),
            ("large", {"jostle": overhead(plain, [1.02, 1.021, 1.02, 1.019])}),
            ("dead", {}),
        )
    ]
    words = "In the median, jostle costs less than 1 % in 1 of 2 programs; most in large: +2.00 %"
    assert set_finding(programs) == words
    noisy = replace(programs[0], profilers={"jostle": overhead(plain, [0.8, 1.2, 0.9, 1.1])})
    assert set_finding([*programs[1:], noisy]) == (
        "In the median, jostle costs less than 1 % in 0 of 1 programs; most in large: +2.00 %; "
        "1 more too noisy to decide"
    )
    assert set_finding([noisy]) == "Too noisy to decide what jostle costs: 1 of 1 programs"
