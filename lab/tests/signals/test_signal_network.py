"""Messages between ranks: the log against an independent counter of MPI calls, and ends without
hangs."""

from __future__ import annotations

import os
import signal
import time
from collections import Counter

import pytest
from mpis import Mpi, find, needed
from signal_runner import Signals, consistent, on_time, rows

KIB = 1024
RANKS = 4
NETWORK = ("ping", "all-to-all", "incast")
# How the counter names the calls of the load. Agreements are MPI_Iallreduce, none of these.
SENDS = {"ping": "mpi_send", "all-to-all": "mpi_all_to_all", "incast": "mpi_send"}
SILENCE = ["--period", "600", "--duty", "0.002"]
NOTHING = dict.fromkeys(("mpi_isend_bytes", "mpi_sendrecv_sent_bytes", "mpi_one_to_all_bytes"), 0)


@pytest.mark.parametrize("pattern", NETWORK)
def test_bytes_against_a_counter(signals: Signals, mpi: Mpi, pattern: str) -> None:
    """What each rank says that it sent is what went through MPI, to the byte."""
    done = signals.run(
        pattern, "--chunk", "20KiB", "--iterations", "25", mpi=mpi, ranks=RANKS, counted=True
    )
    consistent(done)
    assert [one["operations"] for one in rows(done)] == [25] * RANKS
    for one in rows(done):
        seen = done.counted[one["pid"]]
        assert one["bytes"] == seen[f"{SENDS[pattern]}_bytes"], one
        calls = 25 if pattern == "all-to-all" else one["messages"]
        assert seen[f"{SENDS[pattern]}_ops"] == calls
        # Nothing else of any size is sent: what starts and ends a run is small.
        assert {k: seen[k] // KIB for k in NOTHING} == NOTHING
    each = {"ping": 20 * KIB, "all-to-all": RANKS * 20 * KIB, "incast": 20 * KIB}[pattern]
    assert rows(done)[1]["bytes"] == 25 * each
    assert rows(done)[0]["mpi"] == mpi.name


@pytest.mark.parametrize(
    ("pattern", "mpi"),
    [("ping", "mpich"), ("all-to-all", "openmpi"), ("incast", "mpich")],
    indirect=["mpi"],
)
def test_volume_ends_all_ranks(signals: Signals, mpi: Mpi, pattern: str) -> None:
    done = signals.run(
        pattern,
        "--chunk",
        "8KiB",
        "--volume",
        f"{RANKS * RANKS * 10 * 8}KiB",
        "--time",
        "50",
        mpi=mpi,
        ranks=RANKS,
    )
    consistent(done)
    assert {one["reason"] for one in rows(done)} == {"volume"}
    # 160 messages; to all: 16 of a round; to one: 3 of a round, and short answers.
    rounds = {"ping": 40, "all-to-all": 10, "incast": 54}[pattern]
    assert {one["operations"] for one in rows(done)} == {rounds}


@pytest.mark.in_turn
@pytest.mark.tries(3)
@pytest.mark.parametrize(
    ("pattern", "mpi"),
    [("ping", "openmpi"), ("all-to-all", "mpich"), ("incast", "openmpi")],
    indirect=["mpi"],
)
def test_bursts_begin_together(signals: Signals, mpi: Mpi, pattern: str) -> None:
    """All ranks are on in the same windows, and off in between; how punctually is reported."""
    done = signals.run(
        pattern,
        "--chunk",
        "4KiB",
        "--period",
        "0.4",
        "--duty",
        "0.4",
        "--time",
        "1.5",
        mpi=mpi,
        ranks=RANKS,
    )
    consistent(done)
    late = on_time(done, 0.4, 0.4)
    per_rank = Counter(done.log.bursts["rank"].to_pylist())
    assert len(set(per_rank.values())) == 1 and per_rank[0] >= 3
    due = done.log.bursts.group_by("due_ns").aggregate([("begin_ns", "min"), ("begin_ns", "max")])
    apart = max(b["begin_ns_max"] - b["begin_ns_min"] for b in due.to_pylist()) / 1e6
    assert due.num_rows == per_rank[0]
    print(f"{mpi.name} {pattern}: up to {max(late):.2f} ms late, ranks {apart:.2f} ms apart")


@pytest.mark.in_turn
@pytest.mark.parametrize(
    ("pattern", "rhythm"),
    [("ping", []), ("incast", []), ("ping", SILENCE), ("all-to-all", SILENCE)],
)
def test_stopped_in_a_burst_and_in_a_silence(
    signals: Signals, mpi: Mpi, pattern: str, rhythm: list[str]
) -> None:
    """A signal to the launcher ends all ranks, wherever they are, with their logs complete."""
    done = signals.run(
        pattern,
        "--until-stopped",
        "--chunk",
        "64KiB",
        *rhythm,
        mpi=mpi,
        ranks=RANKS,
        stop=(0.5, signal.SIGUSR1),
        code=None,
    )
    assert done.seconds < 120, "it waited for the end of the silence"
    consistent(done)
    assert [one["reason"] for one in rows(done)] == ["signal"] * RANKS
    assert done.code == 0, done.err


def test_one_rank_stopped_stops_all(signals: Signals, mpi: Mpi) -> None:
    """The two pairs of a ping are not in touch, and yet none is left behind."""
    process = signals.start("ping", "--until-stopped", "--chunk", "1KiB", mpi=mpi, ranks=RANKS)
    signals.wait_for_load(process, RANKS)
    time.sleep(0.3)
    (pid,) = (one["pid"] for one in rows(signals.result(0, "")) if one["rank"] == 1)
    os.kill(pid, signal.SIGUSR1)
    _out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert [one["reason"] for one in rows(signals.result(0, err))] == ["signal"] * RANKS


@pytest.mark.in_turn
@pytest.mark.tries(3)
@pytest.mark.parametrize("pattern", ["ping", "all-to-all"])
def test_split(signals: Signals, mpi: Mpi, pattern: str) -> None:
    """CLUSTER'13, III.B.3: the probe goes on, the noise comes and goes, neither meets the other."""
    done = signals.run(
        pattern,
        "--split",
        "--chunk",
        "16KiB",
        "--period",
        "0.4",
        "--time",
        "1.5",
        mpi=mpi,
        ranks=RANKS,
    )
    consistent(done)
    assert [one["half"] for one in rows(done)] == ["probe", "noise"] * (RANKS // 2)
    assert [one["period_ns"] for one in rows(done)] == [0, 400_000_000] * (RANKS // 2)
    assert [one["rank"] for one in rows(done)] == list(range(RANKS))
    bursts = Counter(done.log.bursts["rank"].to_pylist())
    assert bursts[0] == bursts[2] == 1 and bursts[1] == bursts[3] >= 3
    on_time(done, 0.4, 0.5, half="noise")
    assert all(one["bytes"] > 0 for one in rows(done))


@pytest.mark.in_turn
def test_split_ends_with_its_probe(signals: Signals, mpi: Mpi) -> None:
    done = signals.run(
        "ping",
        "--split",
        "--chunk",
        "4KiB",
        "--period",
        "600",
        "--iterations",
        "200",
        mpi=mpi,
        ranks=RANKS,
    )
    assert done.seconds < 60
    assert [one["operations"] for one in rows(done)][0::2] == [200, 200]
    assert [one["reason"] for one in rows(done)][0::2] == ["iterations"] * 2
    assert all(one["complete"] for one in rows(done))


def test_silent_noise(signals: Signals, mpi: Mpi) -> None:
    """The run to compare with: the noise half is there, and sends nothing."""
    done = signals.run(
        "ping", "--split", "--duty", "0", "--period", "1", "--time", "0.6", mpi=mpi, ranks=RANKS
    )
    sent = [one["bytes"] for one in rows(done)]
    assert sent[0] > 0 and sent[2] > 0 and sent[1] == sent[3] == 0


@pytest.mark.parametrize(
    ("words", "ranks", "said"),
    [
        (["ping"], 3, "even number of ranks"),
        (["ping", "--split", "--period", "1"], 2, "even number of ranks in each half"),
        (["incast"], 1, "at least two ranks"),
        (["all-to-all", "--chunk", "4"], 2, "--chunk"),
    ],
)
def test_refused(signals: Signals, words: list[str], ranks: int, said: str) -> None:
    """What to do is said in the same words by every MPI: the one that starts faster will do."""
    mpi = find("mpich") or needed("openmpi")
    done = signals.run(*words, mpi=mpi, ranks=ranks, code=None)
    assert done.code != 0
    assert said in done.err


def test_without_ranks(signals: Signals) -> None:
    done = signals.run("ping", code=2)
    assert "no MPI" in done.err and "mpirun" in done.err
