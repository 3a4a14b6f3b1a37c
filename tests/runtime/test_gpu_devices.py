"""Records of several GPUs, as a recorder delivers them, are in the profile and the repository."""

from __future__ import annotations

import subprocess
import time
from collections import Counter
from typing import Any

import pytest
from harness import Compile, Result, Runner, heartbeat_held, needs_decoder, needs_plain_build

from jostle.repository import Repository

SLICE_NS = 200_000_000
GPUS = ("0000:3b:00.0", "MIG-2", "unknown")
METRICS = (
    "gpu_h2d_ops",
    "gpu_h2d_bytes",
    "gpu_h2d_ns",
    "gpu_d2h_bytes",
    "gpu_launch_ops",
    "gpu_lost_ops",
    "gpu_busy_ns",
)
WORDS = (0, 1, 2, 4, 15, 17, 18)  # of the metrics, in a profile


def needs_a_new_namespace(jostle: Runner) -> None:
    """Skip where a program with a profile cannot get one, as it has two threads of libc."""
    needs_plain_build(jostle.library, "ubsan")
    if subprocess.run(["unshare", "--user", "true"], capture_output=True).returncode:
        pytest.skip("needs user namespaces")


def truth(result: Result) -> tuple[dict[str, list[int]], Counter[tuple[str, int]]]:
    """The program's own account: sums by GPU, bytes to the GPU by GPU and slice."""
    sums: dict[str, list[int]] = {}
    slices: Counter[tuple[str, int]] = Counter()
    for line in result.stdout.splitlines():
        what, gpu, *numbers = line.split()
        if what == "sum":
            sums[GPUS[int(gpu)]] = [int(n) for n in numbers]
        else:
            slices[GPUS[int(gpu)], int(numbers[0]) // SLICE_NS] += int(numbers[1])
    return sums, slices


@pytest.mark.in_turn
@pytest.mark.parametrize("end", ["exit", "killed"])
def test_what_was_handed_in(jostle: Runner, build: Compile, end: str) -> None:
    program, code = build("two_gpus.c"), -9 if end == "killed" else 0
    result = jostle.run(
        program, end, length="200ms", code=code, env={"JOSTLE_SLICE_NS": str(SLICE_NS)}
    )
    sums, slices = truth(result)
    process = result.only()
    places = dict(zip(GPUS, process.gpus, strict=True))
    assert {gpu: [places[gpu].sums[w] for w in WORDS] for gpu in GPUS} == sums
    for gpu, place in places.items():
        seen = {first: words[1] for first, words in place.slices.items() if words[1]}
        late = {first: n for (name, first), n in slices.items() if name == gpu}
        assert sum(seen.values()) == sum(late.values())
        assert len(seen) > 1
        for begin in seen:  # where the heartbeat got no core in time, a record has several slices
            before = sum(moved for first, moved in seen.items() if first < begin)
            assert before == sum(n for number, n in late.items() if number < begin)
    for at, metric in enumerate(METRICS):
        if not metric.endswith("_ns"):  # what is written of times in sums is rounded
            more = metric in ("gpu_h2d_ops", "gpu_h2d_bytes")  # of the GPU without a place
            assert process.total(metric) == sum(each[at] for each in sums.values()) + more
    needs_decoder(jostle.library)
    with Repository.of_spool(jostle.spool) as repository:
        check_repository(repository, sums, slices)


def test_a_profile_that_was_removed(jostle: Runner, build: Compile) -> None:
    """All is in the new file, also what the removed one held."""
    result = jostle.run(
        build("two_gpus.c"), "removed", length="200ms", env={"JOSTLE_SLICE_NS": str(SLICE_NS)}
    )
    assert any("removed from the spool" in note for note in result.only().notes)
    needs_decoder(jostle.library)
    with Repository.of_spool(jostle.spool) as repository:
        check_repository(repository, *truth(result))


@pytest.mark.in_turn
@pytest.mark.parametrize("held", ["", "before it hears of it", "before it is gone"])
def test_a_profile_in_two_parts(jostle: Runner, build: Compile, held: str) -> None:
    """Each part names the GPUs and has what was done in its time, also on an oversubscribed node.

    There the heartbeat makes room late for what the program asks of the kernel.
    """
    needs_a_new_namespace(jostle)
    with jostle.start(
        build("two_gpus.c"),
        "parts",
        length="200ms",
        stdin=subprocess.PIPE,
        env={"JOSTLE_SLICE_NS": str(SLICE_NS)},
    ) as process:
        if held:
            jostle.await_ticks(process.pid, 3)
            with heartbeat_held(process.pid, at_its_end="gone" in held):
                assert process.stdin is not None
                process.stdin.close()
                process.stdin = None
                time.sleep(1.5)
        out, err = process.communicate(timeout=60)
    result = jostle.collect(process.returncode, out, err)
    assert result.code == 0, "it must not be refused what it gets without us"
    first, second = sorted(result.processes, key=lambda process: int(process.header["part"]))
    assert [gpu.uuid for gpu in second.gpus] == [gpu.uuid for gpu in first.gpus]
    assert all(part.gpus[0].sums[0] for part in (first, second))
    needs_decoder(jostle.library)
    with Repository.of_spool(jostle.spool) as repository:
        check_repository(repository, *truth(result))


def test_a_part_that_cannot_be_begun(jostle: Runner, build: Compile) -> None:
    """The first one goes on without a heartbeat: nothing waits for slices that never open."""
    needs_a_new_namespace(jostle)
    away = jostle.spool.with_name("away")
    with jostle.start(
        build("two_gpus.c"),
        "parts",
        length="200ms",
        stdin=subprocess.PIPE,
        env={"JOSTLE_SLICE_NS": str(SLICE_NS)},
    ) as process:
        jostle.await_profile(process.pid)
        jostle.spool.rename(away)
        jostle.spool.touch()  # no folder can be made here
        out, err = process.communicate(timeout=60)
    result = jostle.collect(process.returncode, out, err, spool=away)
    sums, _ = truth(result)
    places = dict(zip(GPUS, result.only().gpus, strict=True))
    assert {gpu: [places[gpu].sums[w] for w in WORDS] for gpu in GPUS} == sums


def check_slices(rows: list[dict[str, Any]], slices: Counter[tuple[str, int]]) -> None:
    """Each row has what was done in its slices: several, where the heartbeat got a core late."""
    spans: dict[tuple[str, int, int], int] = {}
    for row in sorted(rows, key=lambda row: (row["gpu"], row["slice"])):
        gpu, begin, end = row["gpu"], row["slice"], row["slice"] + row["span"]
        bytes_moved = row["gpu_h2d_bytes"]
        if spans and (last := list(spans)[-1])[0] == gpu and begin < last[2]:
            bytes_moved += spans.pop(last)  # of two parts, or a record and what came after it
            begin, end = last[1], max(end, last[2])
        spans[gpu, begin, end] = bytes_moved
    done = {
        (gpu, begin, end): sum(slices[gpu, number] for number in range(begin, end))
        for gpu, begin, end in spans
    }
    assert spans == done
    assert len(spans) > len(GPUS), "else nothing is known of slices"


def check_repository(
    repository: Repository, sums: dict[str, list[int]], slices: Counter[tuple[str, int]]
) -> None:
    (job,) = repository.query("SELECT job FROM jobs")["job"].to_pylist()
    rows = repository.gpus.slices(job)
    for gpu in GPUS:
        mine = [row for row in rows.to_pylist() if row["gpu"] == gpu]
        assert [sum(row[name] for row in mine) for name in METRICS] == sums[gpu]
    check_slices(rows.to_pylist(), slices)
    named = {row["gpu"]: row for row in repository.gpus.named(job).to_pylist()}
    assert set(named) == set(GPUS)
    first = named[GPUS[0]]
    assert first["pci_path"] == "pci0000:3a/0000:3a:01.0/0000:3b:00.0"
    assert (first["name"], first["numa"], first["memory_bytes"]) == ("Big GPU", 0, 80_000_000_000)
    assert (named["MIG-2"]["pci"], named["MIG-2"]["numa"]) == ("0000:d8:00.0", 1)
    assert named["unknown"]["numa"] == -1
    rolled = repository.query(
        "SELECT gpu, sum(gpu_h2d_bytes_sum)::BIGINT AS bytes, max(gpu_busy_ns_max) AS most "
        "FROM gpu_rollup GROUP BY gpu"
    ).to_pylist()
    assert {row["gpu"]: row["bytes"] for row in rolled} == {gpu: sums[gpu][1] for gpu in GPUS}
    own = repository.alongside(job).own_gpus
    assert sum(own["gpu_d2h_bytes_sum"].to_pylist()) == sum(each[3] for each in sums.values())
    assert {
        "host",
        "gpu",
        "pci_path",
        "numa",
        "slice",
        "slice_ns",
        "start_ns",
        "length_ns",
        "count",
        "gpu_busy_ns_sum",
    } <= {*own.column_names}
