"""The log of a signal agrees with jostle's profile of it, slice by slice."""

from __future__ import annotations

from pathlib import Path

import pytest
from mpis import Mpi, Mpirun
from signal_runner import Done, Signals, rows

from jostle_lab.signals import program


@pytest.fixture
def runner(library: Path, tmp_path: Path) -> Mpirun:
    return Mpirun(library, tmp_path / "profiled")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path) -> None:
    (tmp_path / "profiled").mkdir()


def close(seen: int, said: int) -> bool:
    return abs(seen - said) <= 0.01 * said


@pytest.mark.parametrize(
    ("pattern", "metric"), [("ping", "mpi_send_bytes"), ("all-to-all", "mpi_all_to_all_bytes")]
)
def test_network(signals: Signals, runner: Mpirun, mpi: Mpi, pattern: str, metric: str) -> None:
    words = signals.words(pattern, "--chunk", "16KiB", "--period", "0.4", "--time", "1.3")
    world = runner.world(mpi, 4, program(mpi.name), *words, counted="")
    done = signals.result(0, world.stderr)
    for one in rows(done):
        assert close(world.total(metric, one["pid"]), one["bytes"])
        (process,) = (p for p in world.ranks if p.pid == one["pid"])
        compare_slices(done, one["pid"], process.per_slice(metric))


def compare_slices(done: Done, pid: int, seen: dict[int, int]) -> None:
    """Hold slices against slices: an operation is booked where it ends, by both.

    The profile may book a call that ends at the edge one slice away from the log, which reads the
    clock a moment later; and many when the heartbeat was late. So it is sums up to a slice that
    are compared, and they may differ by what the neighbours hold.
    """
    log = {row["slice"]: row["bytes"] for row in done.log.slices.to_pylist() if row["pid"] == pid}
    most = max(log.values())
    said_so_far = seen_so_far = 0
    wrong = 0
    for number in range(min(log), max(log) + 1):
        said_so_far += log.get(number, 0)
        seen_so_far = sum(n for k, n in seen.items() if k <= number)
        wrong += abs(said_so_far - seen_so_far) > 0.1 * most
    assert wrong <= 0.5 * len(log), f"{wrong} of {len(log)} slices: {log} {seen}"


def test_metadata(signals: Signals, runner: Mpirun) -> None:
    result = runner.run(program(), *signals.words("metadata", "--iterations", "1000"))
    (one,) = rows(signals.result(0, result.stderr))
    kinds = {
        "posix_open_ops": one["opens"],
        "posix_close_ops": one["closes"],
        "posix_meta_ops": one["stats"] + one["unlinks"],
    }
    assert kinds["posix_meta_ops"] == 2000
    for metric, said in kinds.items():
        assert close(result.total(metric, one["pid"]), said), metric
