"""A name that was used before: another run gets another name, parts of one job keep one name."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from command import jostle

from ready import ROOT, Done


@pytest.fixture
def place(tmp_path: Path) -> dict[str, str]:
    """A repository and a home of their own."""
    return {"JOSTLE_REPOSITORY": str(tmp_path / "repository"), "HOME": str(tmp_path)}


def _run(place: dict[str, str], job: str, *words: str, **more: str) -> Done:
    return jostle("run", "--job", job, "--", *(words or ("/bin/true",)), **place, **more)


def _jobs(place: dict[str, str]) -> dict[str, int]:
    rows = json.loads(jostle("jobs", "--json", **place).out)["jobs"]
    return {row["job"]: row["processes"] for row in rows}


def test_a_second_use_of_a_name_is_another_job(place: dict[str, str]) -> None:
    for expected in ("", "twice-2", "twice-3"):
        done = _run(place, "twice")
        assert done.code == 0
        line = f"warning: the name twice is taken by an earlier run; this one is {expected}\n"
        assert done.err.count("warning") == bool(expected)
        assert not expected or line in done.err
    assert _jobs(place) == {"twice": 1, "twice-2": 1, "twice-3": 1}


def test_a_long_name_stays_a_name(place: dict[str, str]) -> None:
    for _ in range(2):
        _run(place, "n" * 64)
    assert _jobs(place) == {"n" * 64: 1, "n" * 62 + "-2": 1}


@pytest.mark.in_turn
def test_two_at_once(place: dict[str, str], tmp_path: Path) -> None:
    """Each waits until both run: they are two jobs."""
    command = [
        str(ROOT / ".venv/bin/jostle"),
        "run",
        "--job",
        "both",
        "--",
        "sh",
        "-c",
        f"touch {tmp_path}/$$.here; until [ $(ls {tmp_path}/*.here | wc -l) = 2 ]; "
        "do sleep 0.05; done",
    ]
    clean = {k: v for k, v in os.environ.items() if not k.startswith("JOSTLE_SPOOL")}
    both = [
        subprocess.Popen(command, env={**clean, **place}, stderr=subprocess.PIPE) for _ in range(2)
    ]
    for process in both:
        process.communicate(timeout=60)
    assert set(_jobs(place)) == {"both", "both-2"}


def test_profiles_that_wait_in_the_spool_hold_their_name(
    place: dict[str, str], tmp_path: Path
) -> None:
    spool = tmp_path / "spool"
    spool.mkdir()
    (spool / f"held.{os.getuid()}.jss").write_bytes(b"")
    done = _run(place, "held", JOSTLE_SPOOL=str(spool))
    assert "this one is held-2" in done.err
    assert [path.name for path in spool.glob("run-*")] == []
    assert list(spool.glob("held-2.*"))


@pytest.mark.in_turn
def test_steps_of_a_batch_job_are_one_job(place: dict[str, str]) -> None:
    """Also side by side; the next batch job with that name is another."""
    script = "dd if=/dev/zero of=/dev/null bs=1M count=1 status=none; head -c 100000 /etc/passwd"
    for batch, expected in (("7", ""), ("7", ""), ("8", "steps-2"), ("8", "steps-2")):
        copy = f"cp {ROOT}/CHANGELOG.md $HOME/copy; {script}"
        done = _run(place, "steps", "sh", "-c", copy, SLURM_JOB_ID=batch)
        assert (f"this one is {expected}" in done.err) == bool(expected), done.err
    assert set(_jobs(place)) == {"steps", "steps-2"}


@pytest.mark.in_turn
@pytest.mark.parametrize("name", ["PMI_RANK", "OMPI_COMM_WORLD_RANK", "RANK", "JOSTLE_JOB"])
def test_ranks_and_runs_within_a_run_are_one_job(place: dict[str, str], name: str) -> None:
    for _ in range(2):
        assert "taken" not in _run(place, "ranks", **{name: "ranks"}).err
    assert _jobs(place) == {"ranks": 2}
