"""Output for MPI jobs: golden texts, JSON, spools without a repository, waiting.

To renew after a wanted change: JOSTLE_RENEW=1 pytest tests/cli/test_mpi_looks.py; look at the diff.
"""

from __future__ import annotations

import io
import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from command import jostle
from mpi_jobs import RANKS, SEGMENTS, ocean, uncounted
from rich.console import Console

from jostle.analysis import digest
from jostle.analysis.digest.advice import advise
from jostle.analysis.digest.mpi_world import CallTraffic
from jostle.analysis.spread import Range, Spread
from jostle.cli.views.mpi_world import brief, next_view, world_view
from jostle.repository import Repository

GOLDEN = Path(__file__).with_name("golden")
CASES = {
    "mpi-jobs": ["jobs"],
    "mpi-digest": ["digest", "ocean"],
    "mpi-segments": ["digest", "ocean", "--segments"],
    "mpi-uncounted": ["digest", "uncounted"],
    "mpi-timeline": ["timeline", "ocean", "--metric", "communication"],
    "mpi-count": ["timeline", "ocean", "--metric", "perf_instructions"],
    "overhead-missing": ["overhead", "--", "no-such-command-here"],
    "overhead-help": ["overhead", "--help"],
}


@pytest.fixture(scope="session")
def mpi_spool(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A spool with two MPI jobs."""
    folder = tmp_path_factory.mktemp("mpi-spool")
    ocean(folder)
    uncounted(folder)
    return folder


@pytest.fixture(scope="session")
def mpi_repository(mpi_spool: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A repository that holds them."""
    path = tmp_path_factory.mktemp("mpi-data") / "repository"
    done = jostle("ingest", str(mpi_spool), "--repository", str(path))
    assert done.code == 0, done.err
    return str(path)


@pytest.mark.parametrize("name", CASES)
def test_golden(name: str, mpi_repository: str) -> None:
    done = jostle(*CASES[name], JOSTLE_REPOSITORY=mpi_repository)
    seen = f"exit status {done.code}\n---- stdout\n{done.out}---- stderr\n{done.err}"
    seen = seen.replace(mpi_repository, "REPOSITORY")
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("JOSTLE_RENEW"):
        file.write_text(seen)
    assert seen == file.read_text()


def test_json_has_the_worlds(mpi_repository: str) -> None:
    done = jostle("digest", "ocean", "--json", JOSTLE_REPOSITORY=mpi_repository)
    (world,) = json.loads(done.out)["mpi"]
    assert (world["size"], world["counted"]) == (RANKS, True)
    assert world["segments"]["number"] == SEGMENTS
    assert world["segments"]["rows"] is None
    assert {advice["rule"] for advice in world["next"]} >= {"imbalance", "communication"}


def test_json_lists_segments_if_asked(mpi_repository: str) -> None:
    words = ("digest", "ocean", "--json", "--segments")
    (world,) = json.loads(jostle(*words, JOSTLE_REPOSITORY=mpi_repository).out)["mpi"]
    rows = world["segments"]["rows"]
    assert len(rows) == SEGMENTS
    assert rows[0]["function"] == "MPI_Allreduce"
    assert int(rows[0]["signature_set"], 16) == 0b11


def test_jobs_json_names_ranks(mpi_repository: str) -> None:
    rows = json.loads(jostle("jobs", "--json", JOSTLE_REPOSITORY=mpi_repository).out)["jobs"]
    known = {row["job"]: row for row in rows}
    assert (known["ocean"]["ranks"], known["ocean"]["programs"]) == (RANKS, {"ocean.x": RANKS})
    assert known["uncounted"]["mpi_library"] == "Own MPI 9.9"


@pytest.mark.tries(3)
def test_digest_of_a_spool_needs_no_repository(
    mpi_spool: Path, mpi_repository: str, tmp_path: Path
) -> None:
    nowhere = {"JOSTLE_REPOSITORY": str(tmp_path / "none")}
    begin = time.monotonic()
    done = jostle("digest", "--spool", str(mpi_spool), "--wait", "20", "ocean", **nowhere)
    assert time.monotonic() - begin < 15
    assert done.code == 0, done.err
    assert done.out == jostle("digest", "ocean", JOSTLE_REPOSITORY=mpi_repository).out
    assert not (tmp_path / "none").exists()
    assert sorted(path.name for path in mpi_spool.iterdir() if path.suffix != ".jst") == []


def test_an_unknown_job_of_a_spool_is_a_mistake(mpi_spool: Path) -> None:
    done = jostle("digest", "--spool", str(mpi_spool), "lake")
    assert done.code == 2
    assert "lake" in done.err
    done = jostle("digest", "--spool", str(mpi_spool / "none"), "ocean")
    assert done.code == 2
    assert "does not exist" in done.err


@pytest.mark.tries(3)
def test_waiting_ends_when_the_last_rank_has_ended(tmp_path: Path) -> None:
    from jostle.cli.launch.wait_for_ranks import wait_for_ranks

    ocean(tmp_path, segments=False)
    late = sorted(tmp_path.iterdir())[-1]
    data = late.read_bytes()
    late.unlink()

    def appear() -> None:
        time.sleep(0.3)
        late.write_bytes(data)

    threading.Thread(target=appear).start()
    begin = time.monotonic()
    assert wait_for_ranks(tmp_path, "ocean", 20)
    assert time.monotonic() - begin < 5


@pytest.mark.in_turn
@pytest.mark.tries(3)
def test_waiting_gives_up_on_ranks_of_other_nodes(tmp_path: Path) -> None:
    from jostle.cli.launch.wait_for_ranks import wait_for_ranks

    ocean(tmp_path, ranks=2, segments=False)
    begin = time.monotonic()
    assert not wait_for_ranks(tmp_path, "ocean", 20)
    assert 0.9 < time.monotonic() - begin < 6
    begin = time.monotonic()
    assert not wait_for_ranks(tmp_path, "lake", 0.2)
    assert time.monotonic() - begin < 3


def test_a_launchers_words_identify_the_mpi() -> None:
    from jostle.cli.doctor.mpi import recognised

    for words, family, says in (
        ("mpirun (Open MPI) 4.1.4\n\nReport bugs", "openmpi", "Open MPI 4.1.4"),
        ("mpirun (Open MPI) 5.0.6", "openmpi", "Open MPI 5.0.6"),
        (
            "HYDRA build details:\n    Version:                                 4.0.2\n",
            "mpich",
            "MPICH 4.0.2",
        ),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.9 Build 1", "mpich", "Intel MPI 2021.9"),
    ):
        found = recognised(words, "/x")
        assert found is not None
        assert (found.family, found.says) == (family, says)
    assert recognised("bash: version 5", "/x") is None


def test_programs_behind_launchers_name_jobs() -> None:
    from jostle.names.identity import program_of_command

    assert program_of_command(["mpirun", "-n", "4", "--oversubscribe", "sh", "-c", "x"]) == "sh"
    assert program_of_command(["/usr/bin/python3", "-c", "1"]) == "python3"
    assert program_of_command(["mpirun"]) == "mpirun"


@pytest.mark.parametrize("width", ["80", "100"])
def test_tables_of_mpi_fit(width: str, mpi_repository: str) -> None:
    done = jostle("digest", "ocean", COLUMNS=width, JOSTLE_REPOSITORY=mpi_repository)
    drawn = [line for line in done.out.splitlines() if "█" in line or "──" in line]
    assert drawn
    assert max(map(len, drawn)) <= int(width)


@pytest.mark.parametrize("name", ["segments", "tokens", "peers"])
def test_tables_of_segments_can_be_exported(name: str, mpi_repository: str, tmp_path: Path) -> None:
    file = tmp_path / f"{name}.json"
    done = jostle("export", name, "-o", str(file), "--json", JOSTLE_REPOSITORY=mpi_repository)
    assert done.code == 0, done.err
    rows = json.loads(done.out)["rows"]
    assert rows == {"segments": RANKS * SEGMENTS, "tokens": 1, "peers": 0}[name]


@pytest.mark.parametrize("library", ["gloo", "NCCL 2.27.3"])
def test_a_training_job_is_not_called_mpi(mpi_repository: str, library: str) -> None:
    (world,) = digest(Repository(mpi_repository).job_tables("ocean")).mpi
    shares = [share for share in world.shares if share.name != "mpiio"]
    calls = CallTraffic(
        "ccl collective", Spread(20, 5, 5, 5), Spread(8, 2, 2, 2), Range(1, 1, 1), Range(4, 4, 4)
    )
    world = replace(
        world,
        library=library,
        adapter="ccl",
        launcher="torch",
        in_collectives=0.3,
        traffic=[calls],
        shares=shares,
    )
    assert world.is_training
    screen = Console(file=io.StringIO(), width=80)
    for part in (*world_view(world), *next_view(advise(world), "ocean"), brief(world)):
        screen.print(part)
    seen = screen.file.getvalue().replace("MPI_Allreduce", "gloo::allreduce")
    assert "training job: 4 ranks  ocean.x on 2 nodes" in seen
    assert f"{library}; adapter ccl; started by torchrun or the like" in seen
    assert "collectives, from begin to completion: 30 % of the time" in seen
    assert "PyTorch Profiler" in seen
    assert "MPI" not in seen, seen
