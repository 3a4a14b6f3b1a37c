"""Users of cores, by real processes: loops that share cores, and mixes with logged truth."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from command import jostle

ROOT = Path(__file__).resolve().parents[3]
COMMAND = str(Path(sys.executable).with_name("jostle"))
LOOP = "import time\nend = time.time() + 9\nwhile time.time() < end: sum(range(20000))\n"


@pytest.fixture(scope="module")
def cpu_mixes() -> ModuleType:
    script = ROOT / "lab/bench/proofs/cpu_mixes.py"
    spec = importlib.util.spec_from_file_location("cpu_mixes", script)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["cpu_mixes"] = module
    spec.loader.exec_module(module)
    return module


def said_by(*words: str, repository: Path) -> str:
    done = jostle(*words, JOSTLE_REPOSITORY=str(repository))
    assert done.code == 0, done.err
    return done.out


@pytest.mark.in_turn
@pytest.mark.tries(2)
def test_three_loops_on_two_cores_name_each_other(tmp_path: Path) -> None:
    """At slices of 4 s, which no test could use, each verdict names the two others."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    names = ["one", "two", "three"]
    runs = [
        subprocess.Popen(
            [COMMAND, "run", "--slice", "4s", "--job", name, "--", sys.executable, "-c", LOOP],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"JOSTLE_REPOSITORY": str(tmp_path)},
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
        for name in names
    ]
    said = {name: run.communicate()[1] for name, run in zip(names, runs, strict=True)}
    for name in names:
        assert "CPU" in said[name], said[name]
        verdict = json.loads(said_by("estimate", "--json", name, repository=tmp_path))
        attribution = verdict["attribution"]
        found = {each["job"]: each for each in attribution["suspects"]}
        others = set(names) - {name}
        assert others <= set(found), (name, found)
        assert {found[other]["how"] for other in others} == {"by CPU time used"}
        # Alike loops, with alike parts; and all parts together are the loss.
        shares = [found[other]["share"] for other in others]
        assert min(shares) > 0.6 * max(shares)
        whole = sum(each["share"] for each in found.values()) + attribution["unexplained_share"]
        assert whole == pytest.approx(1)
        assert sum(each["seconds"]["value"] for each in found.values()) == pytest.approx(
            attribution["explained_s"]["value"]
        )
        assert not set(verdict["interference"]["ruled_out"]) & others
        text = said_by("interference", name, repository=tmp_path)
        assert "by CPU time used" in text and all(other in text for other in others)


@pytest.mark.in_turn
@pytest.mark.tries(2)
def test_a_run_alongside_programs_without_a_profile_ends_with_their_names(tmp_path: Path) -> None:
    """No other profiled job: the verdict at the end of the run names the users of the cores."""
    cores = sorted(os.sched_getaffinity(0))[:2]
    hogs = [
        subprocess.Popen(
            ["sh", "-c", "while :; do :; done"], preexec_fn=lambda: os.sched_setaffinity(0, cores)
        )
        for _ in range(2)
    ]
    try:
        run = subprocess.run(
            [COMMAND, "run", "--slice", "2s", "--job", "alone", "--", sys.executable, "-c", LOOP],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"JOSTLE_REPOSITORY": str(tmp_path)},
            preexec_fn=lambda: os.sched_setaffinity(0, cores),
        )
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    assert "CPU, by " in run.stderr, run.stderr
    attribution = json.loads(said_by("estimate", "--json", "alone", repository=tmp_path))[
        "attribution"
    ]
    found = {each["job"]: each for each in attribution["suspects"]}
    shell = next(job for job in found if job.startswith(("sh (2 processes", "dash (2 processes")))
    assert (found[shell]["kind"], found[shell]["how"]) == ("unprofiled", "by CPU time used")
    assert found[shell]["share"] > 0.25


@pytest.mark.in_turn
@pytest.mark.tries(2)
@pytest.mark.parametrize(("seed", "bound"), [(303, False), (305, False), (315, True)])
def test_shares_of_a_mix_are_those_of_its_log(
    cpu_mixes: ModuleType, seed: int, bound: bool
) -> None:
    """A job that is bound to one core needs a watcher, who sees who was on that core."""
    cells, _ = cpu_mixes.run_mix(seed, 10.0, "2s")
    assert {cell.bound for cell in cells} == {bound}
    cells = [cell for cell in cells if cell.machine or not bound]
    assert len(cells) >= 5
    off = [cell for cell in cells if cell.off > cpu_mixes.WITHIN]
    assert len(off) <= 1, off


def test_causes_of_its_own_and_the_untested_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """The causes of waiting that is not all others'; untested jobs, and what would decide."""
    from jostle.analysis.identification.model import (
        AccountPart,
        CoreAccount,
        JobInterference,
        Untested,
    )
    from jostle.analysis.interval import Interval
    from jostle.cli.output import show
    from jostle.cli.views.interference import _core_account, details

    nothing = Interval(0.0, 0.0, 0.0)
    parts = [
        AccountPart("its own threads", "own", Interval(6.0, 5.0, 7.0)),
        AccountPart("a", "job", Interval(2.0, 1.0, 3.0)),
    ]
    account = CoreAccount("n1", 8.0, parts, True, [0], 4_000_000_000, {})
    found = JobInterference(
        "me",
        0,
        10.0,
        nothing,
        nothing,
        [],
        [],
        {},
        [],
        1,
        0.0,
        [],
        accounts=[account],
        untested={"b": Untested("too few slices on n1", "`jostle run --slice 250ms -- CMD`")},
    )
    show(*_core_account(account), *details(found))
    said = capsys.readouterr().out
    assert "Its threads waited 8.00 s for cores of n1" in said
    assert "its own threads" in said and "75 %" in said
    assert "Not tested  jobs that ran alongside it" in said and "Ruled out" not in said
    assert "b: because too few slices on n1; what would decide it: `jostle run --slice" in said
