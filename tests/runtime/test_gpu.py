"""The recorder of CUDA's transfers, against a stand-in for CUPTI (programs/fake_cupti.c)."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import Compile, Result, Runner

Run = Callable[..., Result]
# What programs/gpu.c plays in `known`, by copy kind k: k copies of 1000 k + 1 bytes, 100 k ns each.
KINDS = {"h2d": (1, 3), "d2h": (2, 4), "d2d": (5, 6, 7, 8), "peer": (10,)}
NOT_COUNTED = "is not counted"


@pytest.fixture
def play(jostle: Runner, build: Compile, tmp_path: Path) -> Run:
    """Runs the program that uses the stand-in, with the recorder on the search path."""
    program = build("gpu.c")
    folder = tmp_path / "cuda"
    folder.mkdir()
    driver = build("fake_cuda.c", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1")
    shutil.copy(driver, folder / "libcuda.so.1")

    def run(
        mode: str, length: str = "200ms", code: int = 0, several: bool = False, **env: str | None
    ) -> Result:
        flags = ("-DSEVERAL",) if several else ()
        fake = build("fake_cupti.c", "-shared", "-fPIC", "-Wl,-soname,libcupti.so.13", *flags)
        shutil.copy(fake, folder / "libcupti.so.13")
        variables = {
            "CUDA_INJECTION64_PATH": str(jostle.library.with_name("libjostle_cuda.so")),
            "LD_LIBRARY_PATH": str(folder),
            **env,
        }
        return jostle.run(program, mode, length=length, code=code, env=variables)

    return run


def check_known(result: Result, times: int = 1) -> None:
    """Compares the profile with the operations of `known`."""
    process = result.only()
    for name, kinds in KINDS.items():
        more = {"peer": (7, 7 * 5000, 7 * 70)}.get(name, (0, 0, 0))
        wanted = [
            sum(kinds),
            sum(k * (1000 * k + 1) for k in kinds),
            sum(100 * k * k for k in kinds),
        ]
        for what, n, extra in zip(("ops", "bytes", "ns"), wanted, more, strict=True):
            assert process.total(f"gpu_{name}_{what}") == times * (n + extra), (name, what)
    assert process.total("gpu_set_ops") == 7 * times
    assert process.total("gpu_set_bytes") == 7 * 64 * times
    assert process.total("gpu_set_ns") == 7 * 50 * times
    assert process.total("gpu_launch_ops") == 11 * times
    assert process.total("gpu_graph_ops") == 3 * times
    assert process.total("gpu_wait_ops") == 2 * times
    assert 30_000_000 * times <= process.total("gpu_wait_ns") < 300_000_000 * times
    assert process.total("gpu_lost_ops") == 0


@pytest.mark.parametrize("mode", ["known", "_exit"])
def test_what_was_played(play: Run, mode: str) -> None:
    """Counts, bytes and times equal what was played, whichever way the process ends."""
    result = play(mode)
    check_known(result)
    assert not [note for note in result.only().notes if "GPU" in note or "CUPTI" in note]


def test_a_killed_process_has_what_was_handed_over(play: Run) -> None:
    check_known(play("killed", length="4s", code=-9))


def test_buffers_handed_back_by_many_threads(play: Run) -> None:
    process = play("threads").only()
    assert process.total("gpu_h2d_ops") == 8 * 20_000
    assert process.total("gpu_h2d_bytes") == 8 * 20_000 * 8


def test_slices(play: Run) -> None:
    """What was played in a slice is in the record of that slice."""
    counts = play("slices").only().per_slice("gpu_d2h_ops")
    played = [n for _, n in sorted(counts.items()) if n]
    assert sum(played) == 36
    right = sum(n in played for n in range(1, 9))
    assert right >= 6, f"{counts}: an oversubscribed machine may be late once"


def test_a_long_wait_is_in_every_slice(play: Run) -> None:
    waits = play("waiting", length="200ms").only().per_slice("gpu_wait_ns")
    full = [ns for ns in waits.values() if ns > 150_000_000]
    assert len(full) >= 4, waits


def test_dropped_records_are_counted(play: Run) -> None:
    process = play("dropped").only()
    lost, taken = process.total("gpu_lost_ops"), process.total("gpu_h2d_ops")
    assert lost > 0 and lost + taken == 64 * 300 + 4
    assert any("gpu_lost_ops" in note for note in process.notes)


@pytest.mark.parametrize("slow", [None, "1"])
def test_forks_during_a_flush(play: Run, slow: str | None) -> None:
    """Children neither hang nor call CUPTI; what their parent copied is not theirs."""
    result = play("forks", FAKE_SLOW=slow)
    assert "forked child" not in result.stderr
    assert result.total("gpu_h2d_ops") == 8


def test_the_program_has_a_profiler(play: Run) -> None:
    """A program that calls CUPTI before the driver starts keeps it; the profile says so."""
    process = play("first").only()
    assert process.total("gpu_h2d_ops") == process.total("gpu_launch_ops") == 0
    assert any("uses CUPTI itself" in note for note in process.notes)


def test_a_profiler_that_comes_later(play: Run) -> None:
    result = play("second")
    check_known(result)
    assert any("from here on" in note for note in result.only().notes)


def test_alongside_a_profiler_that_allows_it(play: Run) -> None:
    """CUPTI 13.3 and later: both have all records, and neither unsubscribes."""
    result = play("alongside", several=True)
    check_known(result)
    assert result.stdout == f"{55 + 14}\n"
    assert not [note for note in result.only().notes if "CUPTI" in note]


@pytest.mark.parametrize("mode", ["alone", "second"])
def test_a_profiler_that_wants_cupti_alone(play: Run, mode: str) -> None:
    result = play(mode, several=True)
    check_known(result)
    assert any("from here on" in note for note in result.only().notes)


@pytest.mark.parametrize(
    ("env", "said"),
    [
        ({"FAKE_TAKEN": "1"}, "another tool has CUPTI"),
        ({"FAKE_FAILS": "cuptiSubscribe"}, "cuptiSubscribe failed with error 999"),
        ({"FAKE_FAILS": "cuptiActivityEnable"}, "cuptiActivityEnable failed with error 999"),
        ({"FAKE_FAILS": "cuptiActivityRegisterCallbacks"}, "RegisterCallbacks failed"),
    ],
)
def test_what_cupti_refuses(play: Run, env: dict[str, str], said: str) -> None:
    process = play("known", **env).only()
    assert any(said in note and NOT_COUNTED in note for note in process.notes), process.notes
    assert all(process.total(f"gpu_{kind}_ops") == 0 for kind in (*KINDS, "set", "launch", "wait"))


def test_without_jostle(play: Run) -> None:
    """Off, or not preloaded, the library does nothing."""
    assert not play("known", JOSTLE="off").processes
    library = os.environ.get("JOSTLE_TEST_PRELOAD")
    assert not play("known", LD_PRELOAD=library).processes


def test_each_gpu(play: Run) -> None:
    """What is played on a GPU is counted there, an instance of a divided one included."""
    process = play("devices", JOSTLE_GPU="kernels").only()
    names = [(g.pci, g.uuid[:12], g.name, g.memory_bytes) for g in process.gpus]
    assert names == [
        ("0000:3b:00.0", "GPU-10101010", "Fake G1", 1 << 30),
        ("0000:3c:00.0", "GPU-11111111", "Fake G1", 2 << 30),
        ("0000:3d:00.0", "MIG-12121212", "Fake G1 MIG 1g.10gb", 3 << 30),
    ]
    for d, gpu in enumerate(process.gpus):
        ops, size = gpu.sums[:2]  # of host to device; then four kinds more, of three numbers each
        launches, busy = gpu.sums[15], gpu.sums[18]
        assert (ops, size, launches) == (d + 1, 1000 * (d + 1), 2 * d + 1)
        assert busy == pytest.approx(50_000_000, rel=0.001)
    assert process.total("gpu_busy_ns") == pytest.approx(150_000_000, rel=0.001)


def test_kernels_are_recorded_on_request_only(play: Run) -> None:
    assert play("devices").only().total("gpu_busy_ns") == 0
